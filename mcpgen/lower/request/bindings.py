"""Assign the arguments of a tool to places in its HTTP request.

The result is an `HttpBinding` with styles, encodings and constants. A request of GraphQL also gets rules for its
result, because such a response has status 200 also if the call has failed.

The request templates of a tools file (`send`) become HTTP requests too. The arguments of such a tool are the names in
its templates, and its handwritten input schema is not changed.
"""

import json
import re
from dataclasses import replace
from itertools import chain, count

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.once import ValueCache
from mcpgen.base.secrets import is_secret_field
from mcpgen.lower.inputs import constants
from mcpgen.lower.inputs.arguments import Arguments
from mcpgen.lower.inputs.bodies import BodyPlan, part_of
from mcpgen.lower.inputs.positions import positions
from mcpgen.lower.inputs.slots import FIELDS, REST, WHOLE, Slot, part_slot
from mcpgen.lower.schema import budget
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.lower.schema.xml import part_shape
from mcpgen.model import (
    BodyBinding,
    BodyEncoding,
    CallerScopes,
    Encoding,
    FieldBinding,
    HttpBinding,
    Location,
    Operation,
    Parameter,
    ParameterBinding,
    Response,
    ResultView,
    Scopes,
    SecurityRequirement,
    Template,
    arguments_of,
)

_OTHERS = "others"
"""Name of the query parameter for arguments that a schema allows without naming them."""

_REDIRECT = re.compile(r"3(?:[0-9][0-9]|XX)")
_DOCUMENT = re.compile(r"(\s|#[^\n]*\n)*(\{|(query|mutation|subscription|fragment)\b[^{]*\{)")
_BESIDE = ("variables", "operationName")


def bind(
    operation: Operation,
    plan: BodyPlan | None,
    arguments: Arguments,
    composer: Composer,
    server: int,
    security: tuple[SecurityRequirement, ...],
    scopes: Scopes,
    caller_scopes: CallerScopes,
) -> HttpBinding:
    """Return the `HttpBinding` of `operation`: how a call of its tool becomes an HTTP request.

    `server`: index in the catalog's servers. `security` and `scopes`: the credentials that calls send, and the OAuth
    scopes that these need. `caller_scopes`: the scopes that callers of a server over HTTP need.
    """
    bound = [
        _made(_parameter(parameter, arguments), parameter, composer)
        for parameter in operation.parameters
        if _is_sent((parameter.location, parameter.name), arguments)
    ]
    fixed = [
        ParameterBinding(None, name, "query", "form", explode=True, value=value)
        for name, value in operation.template.fixed_query
    ]

    by_hand, listed = arguments.profile == "written", as_object(arguments.schema.get("properties"))

    def placed(location: Location) -> tuple[ParameterBinding, ...]:
        described = (binding for binding in bound if binding.location == location)
        return (*described, *_bound_template(operation, location, arguments))

    sent = _body(plan, arguments, composer) if plan else _body_of_template(operation, arguments)
    return HttpBinding(
        operation.method,
        _path(operation, placed("path")),
        server,
        _accept_of_template(operation) or constants.accept(operation, composer) or _accept(operation),
        query=(*fixed, *placed("query")),
        querystring=placed("querystring"),
        headers=placed("header"),
        cookies=placed("cookie"),
        body=sent,
        security=security,
        settings=tuple(scheme.name for scheme in operation.credentials if not scheme.text.secret),
        scopes=scopes,
        caller_scopes=caller_scopes,
        fields=arguments.names.get(FIELDS),
        defaults=arguments.defaults,
        nullable=arguments.nullable,
        timeout=operation.decided.timeout,
        requires=operation.decided.requires or (),
        result=_rules(operation, sent),
        also=tuple(name for name in _named_in_template(operation) if by_hand and name not in listed),
        open=operation.decided.sends is not None and operation.decided.sends.open is not None,
        withheld=_withheld(operation, arguments),
        redirects=_redirects(operation),
        saves=_saves(operation, arguments),
        follows=_follows(operation),
        shows=_shows(operation),
    )


def _withheld(operation: Operation, arguments: Arguments) -> dict[str, tuple[str, ...]]:
    """Return place (`query`, `cookies`) → the names of parameters there that the project's owner hid from callers.

    An object argument with `explode` can set any parameter in these places, so the server must refuse the hidden names.
    """
    slots = [(each.location, each.name) for each in operation.parameters]
    hidden = [slot for slot in slots if not _is_sent(slot, arguments)]
    places = (("query", "query"), ("cookies", "cookie"))
    found = {key: tuple(name for place, name in hidden if place == location) for key, location in places}
    return {key: names for key, names in found.items() if names}


def _is_sent(slot: Slot, arguments: Arguments) -> bool:
    """Return True if a parameter gets a value, from an argument or a constant. Return False if the project's owner hid
    the parameter.
    """
    return slot in arguments.names or slot in arguments.constants


def _made(binding: ParameterBinding, parameter: Parameter, composer: Composer) -> ParameterBinding:
    return replace(binding, made=binding.argument is not None and constants.is_made(parameter, composer))


def _path(operation: Operation, variables: tuple[ParameterBinding, ...]) -> tuple[str | ParameterBinding, ...]:
    by_name = {binding.name: binding for binding in variables}
    first, *rest = operation.template.literals
    parts: list[str | ParameterBinding] = [first]
    for name, literal in zip(operation.template.variables, rest, strict=True):
        parts += [by_name[name], literal]
    return tuple(part for part in parts if part != "")


def _accept(operation: Operation) -> str:
    """Return the `Accept` header: up to four media types of the 2xx responses, with JSON first and `*/*` last.

    Without `*/*` an API could answer 406 because of an incomplete document.
    """
    offered = [
        media_type.name
        for response in operation.responses
        if response.status[:1] == "2"
        for media_type in response.content
        if "*" not in media_type.name
    ]
    ordered = sorted(set(offered), key=lambda name: ("json" not in name, name))[:4]
    return ", ".join([*ordered, "*/*;q=0.1"]) if ordered else "*/*"


def _redirects(operation: Operation) -> tuple[str, ...]:
    """Return the declared redirect statuses, sorted. For these the tool returns the Location header as its result. 304
    does not count.
    """
    statuses = {response.status.upper() for response in operation.responses}
    return tuple(sorted(status for status in statuses if _REDIRECT.fullmatch(status) and status != "304"))


def _follows(operation: Operation) -> bool:
    """Return True if the server follows redirects of this operation: it is a GET, and the tools file sets `redirects:
    follow`.
    """
    return operation.decided.redirects == "follow" and operation.method == "GET"


def _shows(operation: Operation) -> tuple[str, ...]:
    """Return the header fields that the result of a HEAD request shows: those that the document declares, without
    cookies and other fields that may hold a secret.
    """
    if operation.method != "HEAD":
        return ()
    declared = (name for each in operation.responses if each.status[:1] == "2" for name in each.headers)
    named = {name.lower(): name for name in declared if not is_secret_field(name)}
    return tuple(named.values())


def _is_file(response: Response) -> bool:
    """Return True if a response is a file: it is not text, or it is an attachment (RFC 6266)."""
    types = [each.name for each in response.content if each.name]
    attached = any(name.lower() == "content-disposition" for name in response.headers)
    return attached or any(encoding_of(name) == "binary" for name in types)


def _saves(operation: Operation, arguments: Arguments) -> str | None:
    """Return the name of an additional argument with which a call names a file for saving the response.

    Return None if no response can be a file, or if the tools file contains the tool's input schema, output schema or
    `result` rules.
    """
    # a followed redirect may lead to a file that the document does not describe, so the call must be able to save it
    leads_away = _follows(operation) and bool(_redirects(operation))
    if not leads_away and not any(each.status[:1] == "2" and _is_file(each) for each in operation.responses):
        return None
    if (
        arguments.profile == "written"
        or operation.decided.result is not None
        or operation.decided.output_schema is not None
    ):
        return None
    taken = {*as_object(arguments.schema.get("properties")), *_named_in_template(operation)}
    return next(name for name in chain(["save_as"], (f"save_as_{n}" for n in count(2))) if name not in taken)


def _parameter(parameter: Parameter, arguments: Arguments, slot: Slot | None = None) -> ParameterBinding:
    slot = slot or (parameter.location, parameter.name)
    return ParameterBinding(
        arguments.names.get(slot),
        parameter.name,
        parameter.location,
        parameter.style,
        parameter.explode,
        parameter.reserved,
        arguments.media_types.get(slot, parameter.content),
        parameter.required,
        may_be_empty=slot in arguments.empty,
        value=arguments.constants.get(slot),
    )


# -- Bindings of bodies ------------------------------------------------------------------------------------------------


def _body(plan: BodyPlan, arguments: Arguments, composer: Composer) -> BodyBinding | None:
    binding = BodyBinding(plan.content_type, plan.encoding, plan.is_needed, xml=plan.xml, set_by_api=plan.set_by_api)
    if plan.properties is None:
        if not _is_sent(WHOLE, arguments):
            return None
        in_form = plan.encoding in ("form", "multipart")
        inner = _all_members(plan.schema, composer) if in_form else []
        if plan.encoding == "multipart-items":
            inner = positions(plan.media_type, composer)
        described = [_field(key, schema, plan, arguments, composer) for key, schema in inner]
        if plan.encoding == "multipart-items":
            described = [replace(each, name="", repeat=False) for each in described]
        value = (arguments.constants[WHOLE],) if WHOLE in arguments.constants else None
        return replace(binding, argument=arguments.names.get(WHOLE), value=value, fields=tuple(described))
    sent = ((key, schema) for key, schema in plan.properties.items() if _is_sent(("body", key), arguments))
    fields = (_field(key, schema, plan, arguments, composer) for key, schema in sent)
    needs = () if plan.is_needed else tuple(key for key in plan.properties if key in plan.required)
    withheld = tuple(key for key in plan.properties if not _is_sent(("body", key), arguments))
    return replace(binding, fields=tuple(fields), rest=arguments.names.get(REST), needs=needs, withheld=withheld)


def _all_members(schema: JsonObject, composer: Composer) -> list[tuple[str, JsonObject]]:
    """Return the members of a body and of its alternatives. Of several members with the same name, the first counts."""
    node, _ = composer.node(schema)
    found = dict(members(node))
    for branch in alternatives(node):
        for key, member in members(composer.node(branch)[0]):
            found.setdefault(key, member)
    return list(found.items())


def _field(key: str, schema: JsonObject, plan: BodyPlan, arguments: Arguments, composer: Composer) -> FieldBinding:
    slot: Slot = ("body", key)
    constant = slot in arguments.constants
    binding = FieldBinding(key, arguments.names.get(slot), constant, arguments.constants.get(slot))
    encoding = plan.media_type.encoding.get(key, Encoding())
    node, _ = composer.node(schema)
    if plan.encoding == "form":
        return _form_field(binding, encoding)
    if plan.encoding in ("multipart", "multipart-items"):
        filename = arguments.names.get(("filename", key))
        slots = {part_slot(key, header): header for header in encoding.headers}
        headers = [_parameter(header, arguments, slot) for slot, header in slots.items()]
        known = tuple(each for each in headers if each.argument is not None or each.value is not None)
        part = replace(binding, part=part_of(plan, key, schema, composer), headers=known)
        if part.part == "xml":
            part = replace(part, xml=part_shape(key, schema, composer))
        inner = composer.node(as_object(node.get("items")))[0] if "array" in types(node) else node
        return _multipart_field(part, encoding, node, filename, inner.get("contentEncoding"))
    return binding


def _form_field(binding: FieldBinding, encoding: Encoding) -> FieldBinding:
    """Return how an urlencoded field is sent (OpenAPI 3.1, 4.8.15.1): by the style in its Encoding Object, or as JSON
    if the content type there is JSON.

    If the document has neither style nor content type, the value decides: an array is exploded, and an object is
    written with brackets (`a[b]=c`), as most APIs expect.
    """
    if encoding.content_type is not None and encoding.style is None and encoding_of(encoding.content_type) == "json":
        return replace(binding, content_type=encoding.content_type)
    if encoding.style is None and encoding.explode is None and not encoding.reserved:
        return binding
    style = encoding.style or "form"
    explode = encoding.explode if encoding.explode is not None else style in ("form", "deepObject")
    return replace(binding, style=style, explode=explode, reserved=encoding.reserved)


def _encoded(binding: FieldBinding, transfer: JsonValue) -> FieldBinding:
    """Return the part with the header that names the encoding of its text (`contentEncoding`, OpenAPI 3.1.1, 4.8.15).

    Without this header, a server would take the encoded text for the content.
    """
    name = "Content-Transfer-Encoding"
    if any(each.name.lower() == name.lower() for each in binding.headers):
        return binding
    header = ParameterBinding(None, name, "header", "simple", explode=False, value=transfer)
    return replace(binding, headers=(*binding.headers, header))


def _multipart_field(
    binding: FieldBinding, encoding: Encoding, node: JsonObject, filename: str | None, transfer: JsonValue
) -> FieldBinding:
    """Return how one part of a multipart body is sent (OpenAPI 3.1, 4.8.15.1.1). `transfer`: its `contentEncoding`.

    An array becomes one part per item, unless it is sent as JSON, or a style joins its items. Of several content types,
    a file gets the type that matches its bytes, and other parts get the first type.
    """
    if binding.part == "text" and encoding.style is not None and encoding.explode is False:
        return replace(binding, style=encoding.style, explode=False)
    declared = list(filter(None, map(str.strip, (encoding.content_type or "").split(","))))
    concrete = [name for name in declared if "*" not in name]
    if binding.part is None:
        return replace(binding, filename=filename)
    whole = binding.part == "json" and encoding.content_type is not None
    if binding.part == "text" and transfer is not None:
        binding, concrete = _encoded(binding, transfer), concrete or ["application/octet-stream"]
    return replace(
        binding,
        content_type=", ".join(declared if binding.part == "file" else concrete[:1]) or None,
        filename=filename,
        repeat="array" in types(node) and not whole,
    )


def _rules(operation: Operation, body: BodyBinding | None) -> ResultView | None:
    """Return the `result` rules of the operation. If its body is a request of GraphQL, the rules say so."""
    view = operation.decided.result
    if body is None or not _is_graphql(operation, body):
        return view
    view = view or ResultView(operation.where)
    return replace(view, rules={"graphql": True, **view.rules})


def _is_graphql(operation: Operation, body: BodyBinding) -> bool:
    """Return True for a body of the type `application/graphql`, and for JSON whose member `query` is one of GraphQL.

    If a caller gives the query, another member of GraphQL's requests or the path must show that it is one.
    """
    if body.encoding != "json":
        return body.content_type.partition(";")[0].strip() == "application/graphql"
    members: dict[str, JsonValue] = {each.name: each.value if each.constant else None for each in body.fields}
    for name, node in as_object((body.template or {}).get("members")).items():
        text = as_list(as_object(node).get("text"))
        members[name] = text[0] if text else as_object(node).get("value")
    members |= as_object((body.template or {}).get("value"))
    query = members.get("query")
    if isinstance(query, str):
        return _DOCUMENT.match(query) is not None
    at_graphql = operation.path.lower().rstrip("/").endswith("graphql")
    return "query" in members and (at_graphql or any(name in members for name in _BESIDE))


# -- send templates ----------------------------------------------------------------------------------------------------


def lay_out(operation: Operation, most_tokens: int, once: ValueCache) -> Arguments:
    """Return the arguments of a tool with a handwritten input schema."""
    schema = operation.decided.input_schema
    assert schema is not None
    names: dict[Slot, str] = {("path", each.name): each.argument for each in operation.parameters}
    names |= {("send", name): name for name in _named_in_template(operation)}
    fits = budget.fits(schema, most_tokens, once)
    sent = operation.decided.sends.arguments if operation.decided.sends else ()
    defaults = {each.name: each.default[0] for each in sent if each.default is not None}
    return Arguments(schema, "written", names, {}, (), fits=fits, defaults=defaults)


def _named_in_template(operation: Operation) -> list[str]:
    """Return the names of the arguments in the tools file's templates (`send`) for the query, headers, cookies and
    body of an operation, in the order of their first use.
    """
    sends = operation.decided.sends
    if sends is None:
        return []
    every = [*sends.query.values(), *sends.headers.values(), *sends.cookies.values(), sends.body or {}]
    return list(dict.fromkeys(name for node in every for name in arguments_of(node)))


def _bound_template(operation: Operation, location: Location, arguments: Arguments) -> tuple[ParameterBinding, ...]:
    """Return the query, header or cookie parameters (`location`) that the tools file sets (`send`), except `Accept`."""
    sends = operation.decided.sends
    if sends is None:
        return ()
    by_place = {"query": sends.query, "header": sends.headers, "cookie": sends.cookies}
    found = [
        _parameter_of_template(name, location, node, arguments) for name, node in by_place.get(location, {}).items()
    ]
    if location == "query" and sends.open == "query":
        others: Template = {"members": {}, "others": True}
        found.append(ParameterBinding(None, _OTHERS, "query", "form", explode=True, template=others))
    return tuple(each for each in found if not (location == "header" and each.name.lower() == "accept"))


def _accept_of_template(operation: Operation) -> str | None:
    """Return the `Accept` header that the tools file sets for this operation, or None."""
    headers = operation.decided.sends.headers if operation.decided.sends else {}
    return next((str(node["value"]) for name, node in headers.items() if name.lower() == "accept"), None)


def _parameter_of_template(name: str, location: Location, template: Template, arguments: Arguments) -> ParameterBinding:
    node, in_header = _settled(template, arguments), location == "header"
    binding = ParameterBinding(None, name, location, "simple" if in_header else "form", explode=not in_header)
    if "value" in node:
        return replace(binding, value=node["value"])
    if "argument" in node:
        return replace(binding, argument=str(node["argument"]))
    return replace(binding, template=node)


def _body_of_template(operation: Operation, arguments: Arguments) -> BodyBinding | None:
    """Return how the body is made from its template under `send` in the tools file, or None if there is none."""
    sends = operation.decided.sends
    if sends is None or sends.body is None:
        return None
    template = _settled(sends.body, arguments)
    if sends.open == "body":
        template = {**template, "others": True}
    return BodyBinding(sends.content_type, _encoding(sends.content_type), required=True, template=template)


def _encoding(media_type: str) -> BodyEncoding:
    """Return the encoding of a body that a template describes: JSON, a form, XML (in which values are escaped), else
    text.
    """
    found = encoding_of(media_type)
    return found if found in ("json", "form", "xml") else "text"


def _settled(node: Template, arguments: Arguments) -> Template:
    """Return a part of a request template (`send` in the tools file), with the names that its arguments have in the
    tool. Replace arguments with a constant value by the constant.
    """
    if "argument" in node:
        return _argument(str(node["argument"]), arguments)
    if "text" in node:
        parts = [_settled(part, arguments) if isinstance(part, dict) else part for part in as_list(node["text"])]
        written = [_spoken(part["value"]) if isinstance(part, dict) and "value" in part else part for part in parts]
        is_fixed = all(isinstance(part, str) for part in written)
        return {"value": "".join(map(str, written))} if is_fixed else {"text": written}
    if "items" in node:
        return {"items": [_settled(as_object(item), arguments) for item in as_list(node["items"])]}
    if "members" in node:
        members = as_object(node["members"]).items()
        return {"members": {name: _settled(as_object(member), arguments) for name, member in members}}
    return node


def _argument(name: str, arguments: Arguments) -> Template:
    for place in ("send", "path"):
        slot: Slot = ("send", name) if place == "send" else ("path", name)
        if slot in arguments.constants:
            return {"value": arguments.constants[slot]}
        if slot in arguments.names:
            return {"argument": arguments.names[slot]}
    return {"argument": name}


def _spoken(value: JsonValue) -> str:
    """Return a constant as text, for insertion into a template."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
