"""Read the request of a tool: `request:`, `send:` and `inputSchema:`.

`request:` is a method, a path, and optionally a query after `?`. A query field without placeholders is sent with every
call, like a query in a path of an OpenAPI document. A field with `{name}` is a template, as if it were written under
`send`. The templates under `send` say where arguments are sent. Where a request lacks something if a call leaves out an
argument, this is reported.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote_plus

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, lookup, tokens
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Location, Parameter, PathTemplate, Sends, SentArgument, Template, arguments_of
from mcpgen.read.openapi import content, parameters, paths
from mcpgen.read.toolsfile import templates
from mcpgen.read.toolsfile.arguments import WITH_BODY, WITHOUT_BODY

_REQUEST = re.compile(r"(GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS) (/\S*)")
_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\s{0,9}:")
"""Declaration of a variable in a GraphQL document. Its braces are no placeholders, so it is written as it is."""
_PLACES: tuple[tuple[str, Location], ...] = (("query", "query"), ("headers", "header"), ("cookies", "cookie"))
_BRANCHES = ("allOf", "anyOf", "oneOf")
_ALONE = ("if", "then", "else")
_HINT = "Give the argument a `default`, which the server then sends, or make it required."
_Loss = tuple[str, str]
"""An argument that a call may leave out, and what then happens, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A parsed request line.

    `path` includes the constant query fields. `query`: the other query fields, name → template.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)

    def template(self, where: Where, diagnostics: Diagnostics) -> PathTemplate:
        """Return the template of the path. Raises SkipOperation if no request can be made from it."""
        return paths.parse(self.path, where, diagnostics, query_is_meant=True)


def read_line(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> RequestLine | None:
    """Return the request line of a tool, or None if it is malformed, which `schema_check` has reported."""
    found = _REQUEST.fullmatch(as_text(entry.get("request")).strip())
    if found is None:
        return None
    method, target = found.groups()
    path, mark, query = target.partition("?")
    plain, templates = [], dict[str, str]()
    for pair in query.split("&") if mark else []:
        name, _, value = pair.partition("=")
        if "{" not in value and "}" not in value:
            plain.append(pair)
        elif name in templates:
            message = f"The query has '{clipped(name)}' twice."
            diagnostics.add("duplicate-name", message, where.inside("request"), "Use one argument that takes a list.")
        else:
            templates[unquote_plus(name)] = unquote_plus(value)
    return RequestLine(method, f"{path}?{'&'.join(plain)}" if plain else path, templates)


def sent(entry: JsonObject, line: RequestLine, where: Where, diagnostics: Diagnostics) -> JsonObject:
    """Return the tool `entry` with the query templates of its request line moved to `send`, and `graphql` as a body."""
    entry = _with_graphql(entry, where, diagnostics)
    if not line.query:
        return entry
    send = as_object(entry.get("send"))
    query = as_object(send.get("query"))
    for name in sorted(line.query.keys() & query.keys()):
        message = f"The query has '{clipped(name)}' twice: in the request, and here."
        diagnostics.add(
            "duplicate-name",
            message,
            where.inside("send", "query", name),
            "Keep only one of the two: remove the parameter from the request line or from `send`.",
        )
    return {**entry, "send": {**send, "query": {**dict[str, JsonValue](line.query), **query}}}


def _with_graphql(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> JsonObject:
    """Return the tool `entry` with a GraphQL document under `send` as a JSON body: each variable is an argument."""
    send = as_object(entry.get("send"))
    document = send.get("graphql")
    if not isinstance(document, str):
        return entry
    if "body" in send:
        message, hint = "`send` has both `graphql` and `body`.", "Leave out one of them."
        diagnostics.add("invalid-value", message, where.inside("send", "graphql"), hint)
    if as_text(entry.get("request")).startswith("GET "):  # GraphQL over HTTP: a GET has the document in its query
        message, hint = "`send` has a GraphQL document, which a GET request does not carry in its body.", "Use POST."
        diagnostics.add("invalid-value", message, where.inside("send", "graphql"), hint)
    variables: JsonObject = {name: f"{{{name}}}" for name in dict.fromkeys(_VARIABLE.findall(document))}
    body: JsonObject = {"query": document.replace("{", "{{").replace("}", "}}")}
    return {**entry, "send": {**send, "body": {**body, **({"variables": variables} if variables else {})}}}


@dataclass(frozen=True, slots=True)
class TemplateNames:
    """Names that the templates of a tool may use, and places in the request that these templates must not fill.

    `names`: names of arguments. `credentials`: places that credentials fill. `in_request`: names of the query fields
    whose templates are written under `request`, not under `send`.
    """

    names: list[str]
    credentials: parameters.Credentials
    in_request: Container[str] = ()


def read_sends(entry: JsonObject, where: Where, known: TemplateNames, diagnostics: Diagnostics) -> Sends | None:
    """Return the `send` of the tool `entry` at `where`, or None if it is missing."""
    found = entry.get("send")
    if not isinstance(found, dict):
        return None
    place = where.inside("send")
    sent = {
        key: dict(_templates(as_object(found.get(key)), where, location, known, diagnostics))
        for key, location in _PLACES
    }
    body = None
    if "body" in found:
        body = templates.template(found["body"], place.inside("body"), diagnostics, known.names)
        _refuse_body(as_text(entry.get("request")), found, body, place, diagnostics)
    media_type = as_text(found.get("content_type")) or "application/json"
    return Sends(place, sent["query"], sent["headers"], sent["cookies"], body, media_type)


def _templates(
    found: JsonObject, where: Where, location: Location, known: TemplateNames, diagnostics: Diagnostics
) -> Iterator[tuple[str, Template]]:
    key = next(key for key, place in _PLACES if place == location)
    for name, value in found.items():
        in_request = location == "query" and name in known.in_request
        place = where.inside("request") if in_request else where.inside("send", key, name)
        if reason := _refusal(name, location, place, known):
            diagnostics.add("invalid-value", f"`send` cannot set the {location} '{clipped(name)}': {reason}.", place)
            continue
        node = templates.template(value, place, diagnostics, known.names)
        if location == "header" and name.lower() == "accept" and "value" not in node:
            message = "The Accept header is the same in every call, so it cannot contain an argument."
            diagnostics.add("invalid-value", message, place, "Write the media types themselves.")
            continue
        yield name, node


def _refusal(name: str, location: Location, where: Where, known: TemplateNames) -> str:
    if not name:
        return "it has no name"
    if location == "header" and not parameters.is_field_name(name):
        return "it is not a valid name of a header"
    if location == "header" and name.lower() == "accept":
        return ""
    if parameters.credential(Parameter(name, location, {}, where), known.credentials) is not None:
        return "it is a credential, which belongs under `security`"
    if location == "header" and parameters.is_of_http(name):
        return "it belongs to HTTP or carries a credential"
    return ""


def _refuse_body(request: str, found: JsonObject, node: Template, where: Where, diagnostics: Diagnostics) -> None:
    """Report a body that the method or the media type does not allow. `node`: the template of that body."""
    method = request.split(" ")[0]
    if method in WITHOUT_BODY:
        message = f"`send` has a body, but a {method} request cannot have one."
        diagnostics.add("invalid-value", message, where.inside("body"), "Send the value in the query, or use POST.")
    media_type = as_text(found.get("content_type")) or "application/json"
    essence, body = media_type.partition(";")[0].strip().lower(), found["body"]
    is_json, is_form = parameters.is_json(essence), essence == "application/x-www-form-urlencoded"
    if not content.is_media_type(media_type) or "*" in media_type:
        message = f"'{clipped(media_type)}' is not a media type."
        hint = "Name a media type, such as application/json."
        diagnostics.add("invalid-value", message, where.inside("content_type"), hint)
    elif essence.startswith("multipart/"):
        message = f"`send` cannot write a body of {media_type}."
        hint = "Describe the parts of the body by `body`, a Request Body Object of OpenAPI."
        diagnostics.add("invalid-value", message, where.inside("content_type"), hint)
    elif is_form and not isinstance(body, dict) and "argument" not in node:
        message = "The body of a form must be a mapping."
        diagnostics.add(
            "invalid-value", message, where.inside("body"), "Write `NAME: TEMPLATE` for each field of the form."
        )
    elif not (is_json or is_form) and isinstance(body, (dict, list)):
        message = f"A body of {clipped(media_type)} must be a text."
        diagnostics.add("invalid-value", message, where.inside("body"), "Write one text that contains {name}.")


def named(sends: Sends | None) -> set[str]:
    """Return the names of all arguments in the templates of `sends`."""
    if sends is None:
        return set()
    every = [*sends.query.values(), *sends.headers.values(), *sends.cookies.values(), sends.body or {}]
    return {name for node in every for name in arguments_of(node)}


def with_arguments(sends: Sends | None, taken: tuple[SentArgument, ...]) -> Sends | None:
    """Return a copy of `sends` whose field `arguments` is `taken`, or None if `sends` is None. `taken`: arguments that
    the tool describes under `arguments:`, and that are sent only where templates of `send:` use them.
    """
    return replace(sends, arguments=taken) if sends is not None else None


# -- arguments of `inputSchema` ----------------------------------------------------------------------------------------


def implied(schema: JsonObject, template: PathTemplate, method: str, where: Where, said: Sends | None) -> Sends:
    """Return where the arguments of `schema`, a tool's `inputSchema`, are sent if the tool has no `send`.

    Arguments that the tool's `request` (METHOD and path) does not name are sent in the query or the JSON body,
    depending on the method. So are undeclared arguments, if `schema` allows them. `said`: templates in the query of
    `request`.
    """
    query = dict(said.query) if said else {}
    left = [name for name in names_of(schema) if name not in {*template.declared, *named(said)}]
    sent: dict[str, Template] = {name: {"argument": name} for name in left}
    is_open = schema.get("additionalProperties", False) is not False or "patternProperties" in schema
    if method not in WITH_BODY:
        return Sends(where, {**query, **sent}, open="query" if is_open else None)
    body: Template | None = {"members": dict[str, JsonValue](sent)} if sent or is_open else None
    return Sends(where, query, body=body, open="body" if is_open else None)


def names_of(schema: JsonObject) -> list[str]:
    """Return the names of arguments in a schema: its properties, and the properties of schemas combined at its root."""
    found: dict[str, None] = {}
    waiting: list[JsonValue] = [schema]
    seen: list[JsonValue] = []
    while waiting:
        node = as_object(waiting.pop(0))
        if not node or any(node is each for each in seen):
            continue
        seen.append(node)
        found.update(dict.fromkeys(as_object(node.get("properties"))))
        for keyword in _BRANCHES:
            waiting += as_list(node.get(keyword))
        waiting += [node[keyword] for keyword in _ALONE if keyword in node]
        waiting += as_object(node.get("dependentSchemas")).values()
        waiting += _referred(schema, as_text(node.get("$ref")))
    return list(found)


def _referred(schema: JsonObject, reference: str) -> Iterable[JsonValue]:
    """Return a list of one item: the subschema of `schema` to which `reference` points, such as `#/$defs/a`.

    Return [] if `reference` does not begin with `#/`, or if the reference is broken, which `check/catalog.py` reports.
    """
    try:
        return [lookup(schema, tokens(reference[1:]))] if reference.startswith("#/") else []
    except KeyError:
        return []


# A `send` inserts each argument by name, so nothing says where an undeclared argument belongs.
def check_schema(
    schema: JsonObject, sends: Sends, template: PathTemplate, where: Where, diagnostics: Diagnostics
) -> None:
    """Report each argument of an `inputSchema` that is sent nowhere, and each path variable that is no argument of the
    schema.
    """
    names = names_of(schema)
    going = named(sends) | set(template.declared)
    for name in names:
        place = where.inside("properties", name)
        if not name:
            diagnostics.add("invalid-name", "An argument has an empty name.", place, "Give the argument a name.")
        elif name not in going:
            hint = nearest(name, [each for each in sorted(going) if each not in names])
            hint = (
                hint
                if hint.startswith("Did")
                else "Use the argument in the path or in `send`, or leave the argument out."
            )
            diagnostics.add("invalid-value", f"The argument '{clipped(name)}' is not used in the request.", place, hint)
    # do not report a schema that is combined from subschemas: one of them may require the argument
    combines = any(keyword in schema for keyword in (*_BRANCHES, *_ALONE, "$ref"))
    for name in template.declared:
        if name in names and name not in as_list(schema.get("required")) and not combines:
            message = f"The path needs '{clipped(name)}', which the inputSchema does not require."
            diagnostics.add("invalid-value", message, where, f"Add {name} to the list `required` of the inputSchema.")
        if name not in names:
            message = f"The path names '{clipped(name)}', which the inputSchema does not have."
            diagnostics.add("invalid-value", message, where, nearest(name, names))


def report_omissions(sends: Sends | None, line: RequestLine, where: Where, diagnostics: Diagnostics) -> None:
    """Report the arguments of a tool without which its request would lack a part, or be refused.

    `where`: the place of the tool. The query templates of `line` are written under `request`, not under `send`.
    """
    if sends is None:
        return
    optional = {each.name for each in sends.arguments if not each.required and each.default in (None, (None,))}
    for key, fields in (("query", sends.query), ("headers", sends.headers), ("cookies", sends.cookies)):
        for name, node in fields.items():
            in_line = key == "query" and name in line.query
            place = where.inside("request") if in_line else where.inside("send", key, name)
            _report_losses(_inside(node, optional), place, diagnostics)
    if sends.body is not None:
        _report_losses(_of_body(sends.body, optional), where.inside("send", "body"), diagnostics)


def _report_losses(losses: Iterator[_Loss], where: Where, diagnostics: Diagnostics) -> None:
    for name, effect in dict.fromkeys(losses):
        message = f"Calls may leave out '{clipped(name)}'; then {effect}."
        diagnostics.add("omitted-argument", message, where, _HINT)


def _of_body(node: Template, optional: Collection[str]) -> Iterator[_Loss]:
    """Yield what is lost of a body that is sent in every call."""
    if node.get("argument") in optional:
        yield str(node["argument"]), "the body would be empty, so the call is refused"
    elif "text" in node:
        yield from ((name, "the body is sent without it") for name in arguments_of(node) if name in optional)
    else:
        yield from _inside(node, optional)


def _inside(node: Template, optional: Collection[str]) -> Iterator[_Loss]:
    """Yield what is lost in the texts and lists of a template."""
    names = dict.fromkeys(arguments_of(node))
    if "text" in node and len(names) > 1:
        yield from ((name, "the text is sent without it") for name in names if name in optional)
    items = [as_object(item) for item in as_list(node.get("items"))]
    for item in items[:-1]:
        if _can_vanish(item, optional):
            yield from ((name, "the following items of the list move forward") for name in arguments_of(item))
    for child in (*items, *map(as_object, as_object(node.get("members")).values())):
        yield from _inside(child, optional)


def _can_vanish(node: Template, optional: Collection[str]) -> bool:
    """Return True if the node is not sent when a call leaves out its arguments."""
    if "argument" in node or "text" in node:
        return all(name in optional for name in arguments_of(node))
    children = [*as_list(node.get("items")), *as_object(node.get("members")).values()]
    return "value" not in node and all(_can_vanish(as_object(child), optional) for child in children)
