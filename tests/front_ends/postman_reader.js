// Print the requests of a collection as the Postman Collection SDK reads them, one JSON line a request.
// Arguments: the collection. The place of a request is its JSON Pointer in the file.
const fs = require('fs');
const { Collection, VariableScope } = require('postman-collection');

const raw = JSON.parse(fs.readFileSync(process.argv[2], 'utf8').replace(/^\uFEFF/, ''));
const collection = new Collection(raw);
const scope = new VariableScope({ values: collection.variables });

function pointers(holder, place) {
  return (holder.item || []).flatMap((item, index) => {
    const at = `${place}/item/${index}`;
    return item.item ? pointers(item, at) : item.request ? [`${at}/request`] : [];
  });
}

const places = pointers(raw, '');
const items = [];
collection.forEachItem((item) => items.push(item));
items.forEach((item, index) => {
  const { request } = item;
  const { url, body } = request;
  const pairs = (list) => list.map((each) => [each.key, each.value, each.disabled === true, each.type || '']);
  const found = {
    place: places[index],
    name: item.name,
    method: request.method,
    host: scope.replaceIn ? scope.replaceIn(url.getHost()) : url.getHost(),
    path: url.path || [],
    query: pairs(url.query.all()),
    headers: pairs(request.headers.all()),
    body: body && !body.disabled ? { mode: body.mode, raw: body.raw } : null,
  };
  if (body && body.mode === 'urlencoded') found.body.fields = pairs(body.urlencoded.all());
  if (body && body.mode === 'formdata') found.body.fields = pairs(body.formdata.all());
  if (body && body.mode === 'graphql') found.body.graphql = body.graphql;
  process.stdout.write(`${JSON.stringify(found)}\n`);
});
