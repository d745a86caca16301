// A schema in words: the type of a value, and the members below it.

const listOf = (value) => (Array.isArray(value) ? value : []);
const objectOf = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
const branchesOf = (schema) => [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map(objectOf);

/** `integer`, `array of string`, `string (date) or null`; listed values stand elsewhere. */
function typeOf(schema) {
  if (schema.type === undefined && valuesOf(schema).length) return [...new Set(valuesOf(schema).map(kindOf))].join(" or ");
  const branches = branchesOf(schema);
  if (branches.length) return [...new Set(branches.map(typeOf))].join(" or ");
  return [schema.type === undefined ? "any" : schema.type].flat().map((type) => named(type, schema)).join(" or ");
}

function named(type, schema) {
  if (type === "array" && schema.items) {
    const inner = typeOf(objectOf(schema.items));
    return inner.includes(" or ") ? "array of (" + inner + ")" : "array of " + inner;
  }
  return type === "string" && schema.format ? "string (" + schema.format + ")" : String(type);
}

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const valuesOf = (schema) => ("const" in schema ? [schema.const] : listOf(schema.enum));

/** The listed values of a schema, of its branches, and of the items of a list. */
function choicesOf(schema) {
  const inner = [...branchesOf(schema), ...(schema.items ? [objectOf(schema.items)] : [])];
  return [...valuesOf(schema), ...inner.flatMap(choicesOf)].filter((value) => value !== null);
}

const LIMITS = [
  ["minimum", "at least"], ["exclusiveMinimum", "more than"], ["maximum", "at most"], ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"], ["minLength", "characters, at least"], ["maxLength", "characters, at most"],
  ["minItems", "items, at least"], ["maxItems", "items, at most"], ["pattern", "matches"], ["default", "default"],
];

/** What else limits a value, as short texts. */
function limitsOf(schema) {
  return LIMITS.filter(([key]) => key in schema).map(([key, word]) => word + " " + (key === "pattern" ? schema[key] : JSON.stringify(schema[key])));
}

/** [{path, prefix, name, depth, schema, required}] of an object schema, members of members behind their own. */
function membersOf(schema, prefix = "", depth = 0) {
  const required = new Set(listOf(schema.required));
  return Object.entries(objectOf(schema.properties)).flatMap(([name, value]) => {
    const inner = objectOf(value);
    return [{ path: prefix + name, prefix, name, depth, schema: inner, required: required.has(name) }, ...inside(inner, prefix + name, depth + 1)];
  });
}

function inside(schema, path, depth) {
  return [schema, ...branchesOf(schema)].flatMap((branch) => [
    ...membersOf(branch, path + ".", depth),
    ...(branch.items ? inside(objectOf(branch.items), path + "[]", depth) : []),
  ]);
}
