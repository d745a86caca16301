"""Read `arguments:` of a tool, which lists arguments in a short form: name → type or schema.

Each argument becomes a parameter or a member of a JSON body. An argument whose name is in the path is sent in the path.
An argument that the tool's `send` names is sent only there. For any other argument, `in` gives the place; without `in`,
it is sent in the body of a POST, PUT or PATCH, and else in the query.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Literal, cast

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Location, MediaType, Parameter, PathTemplate, RequestBody, SentArgument
from mcpgen.read.openapi import parameters
from mcpgen.read.openapi.schemas import Definitions

WITH_BODY = ("POST", "PUT", "PATCH")
"""Methods whose arguments go into the body by default."""

WITHOUT_BODY = ("HEAD",)
"""Methods whose requests have no body. A GET has one only if its author puts something there: some searches need it."""

TYPES = ("string", "number", "integer", "boolean", "object", "array")
OF_PARAMETERS = ("schema", "style", "explode", "content", "allowReserved")
"""Keys of OpenAPI's Parameter Object that are not allowed for an argument in short form."""

_OWN = ("in", "name")

Place = Location | Literal["body"]

Entry = tuple[str, JsonValue, Where]
"""An argument in short form: its name, its type or schema, and its place in the file."""


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """Properties of a tool that decide where its arguments are sent.

    `sent`: arguments that `send` names. `body`: name of another key that already describes the body, or "".
    """

    where: Where
    method: str
    template: PathTemplate
    sent: Container[str]
    body: str
    definitions: Definitions


@dataclass(frozen=True, slots=True)
class ShortArguments:
    """The result of reading arguments in short form: parameters, a body, and arguments that are sent where `send`
    says.
    """

    parameters: tuple[Parameter, ...] = ()
    body: RequestBody | None = None
    sent: tuple[SentArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    wire: str
    place: Place | None
    schema: JsonObject
    required: bool
    where: Where


# The short form compiles to the same table entries as OpenAPI's `parameters`.
def read(
    value: JsonValue,
    asked: Iterable[Entry],
    taken: Iterable[str],
    site: ToolFacts,
    diagnostics: Diagnostics,
) -> ShortArguments:
    """Return the `arguments` of a tool, and the arguments in `asked`, which the user fills in.

    `taken`: names that the tool's `parameters` and `body` already define.
    """
    known, found, used = set(taken), list[_Argument](), dict[tuple[Place | None, str], str]()
    written = [(name, entry, site.where.inside("arguments", name)) for name, entry in as_object(value).items()]
    for name, entry, where in (*written, *asked):
        if name in known:
            message = f"The argument '{clipped(name)}' is declared twice: here, and in `parameters` or `body`."
            diagnostics.add("duplicate-name", message, where, "Keep only one of the two declarations.")
            continue
        argument = _read_one(name, entry, where, site, diagnostics)
        if argument is None:
            continue
        other = used.setdefault((argument.place, argument.wire), name)
        if other != name:
            message = (
                f"The arguments '{clipped(other)}' and '{clipped(name)}' would both be sent as "
                f"'{clipped(argument.wire)}'."
            )
            diagnostics.add(
                "duplicate-name", message, where.inside("name"), "Give one of the two arguments another `name`."
            )
            continue
        found.append(argument)
    return ShortArguments(
        tuple(_parameter(each) for each in found if each.place not in (None, "body")),
        _body([each for each in found if each.place == "body"], site),
        tuple(SentArgument(each.name, each.schema, each.required) for each in found if each.place is None),
    )


def _read_one(name: str, entry: JsonValue, where: Where, site: ToolFacts, diagnostics: Diagnostics) -> _Argument | None:
    """Return one argument, or None if it is faulty. The fault is reported here, or was reported by `schema_check`."""
    if isinstance(entry, str):
        kind, _, rest = entry.partition(" ")
        if kind not in TYPES or rest not in ("", "required"):
            return None
        entry = {"type": kind, "required": rest == "required"}
    if not isinstance(entry, dict):
        return None
    if stray := [key for key in OF_PARAMETERS if key in entry]:
        message = f"The argument '{clipped(name)}' has the key {stray[0]!r} of a Parameter Object."
        hint = "Write only a schema here, or describe the argument under `parameters`."
        diagnostics.add("invalid-value", message, where.inside(stray[0]), hint)
        return None
    required = entry.get("required")
    if isinstance(required, list) and "object" not in str(entry.get("type", "object")):
        message = f"The argument '{clipped(name)}' is not an object, so a list under `required` has no meaning for it."
        diagnostics.add("invalid-value", message, where.inside("required"), "Write `required: true`.")
        return None
    wire = as_text(entry.get("name")) or name
    placed = _place(name, wire, entry, where, site, diagnostics)
    if placed is False:
        return None
    own = {key: member for key, member in entry.items() if key not in _OWN and (key, member) != ("required", required)}
    raw = {**own, "required": required} if isinstance(required, list) else own
    return _Argument(name, wire, placed, site.definitions.converted(raw, where), required is True, where)


def _place(
    name: str, wire: str, entry: JsonObject, where: Where, site: ToolFacts, diagnostics: Diagnostics
) -> Place | Literal[False] | None:
    """Return where an argument is sent, or None if the tool's key `send` decides that. If the argument cannot be
    sent as its keys say, report this and return False.
    """

    def refuse(message: str, hint: str, key: str = "in") -> Literal[False]:
        place = where.inside(key) if key in entry else where
        diagnostics.add("invalid-value", f"The argument '{clipped(name)}' {message}.", place, hint)
        return False

    wanted, in_path = entry.get("in"), wire in site.template.declared
    if in_path and wanted in (None, "path"):
        return "path"
    if in_path:
        return refuse(
            f"goes into the path, which names {{{wire}}}",
            "Leave `in` out, or rename the argument or the variable of the path.",
        )
    if wanted == "path":
        return refuse("is not in the path of the request", nearest(wire, list(site.template.declared)))
    if name in site.sent:
        stray = next((key for key in _OWN if key in entry), "")
        return (
            refuse("is written by `send`, which decides where the argument goes", "Leave the key out.", stray)
            if stray
            else None
        )
    if wanted == "body" and site.method in WITHOUT_BODY:
        return refuse(f"cannot go into a body: a {site.method} has none", "Use `in: query` instead.")
    if wanted == "body" or (wanted is None and site.method in WITH_BODY):
        if site.body:
            hint = f"Use the argument in `{site.body}`, or write `in: query`."
            return refuse(f"is not used: `{site.body}` decides what the body contains", hint)
        return "body"
    if wanted == "header" and not parameters.is_field_name(wire):
        return refuse(
            f"cannot be a header field called '{clipped(wire)}'",
            "Give the argument a `name` that is a valid header name.",
        )
    return cast(Place, wanted) if wanted in ("query", "header", "cookie") else "query"


def _parameter(argument: _Argument) -> Parameter:
    location = cast(Location, argument.place)
    return Parameter(
        argument.wire,
        location,
        argument.schema,
        argument.where,
        required=argument.required or location == "path",
        style="simple" if location in ("path", "header") else "form",
        explode=location in ("query", "cookie"),
        argument=argument.name,
    )


def _body(members: list[_Argument], site: ToolFacts) -> RequestBody | None:
    """Return a body: a JSON object with one member for each argument. A POST, PUT or PATCH always sends the body."""
    if not members:
        return None
    schema: JsonObject = {"type": "object", "properties": {each.wire: each.schema for each in members}}
    if required := [each.wire for each in members if each.required]:
        schema["required"] = list[JsonValue](required)
    names = {each.wire: each.name for each in members}
    media_types = (MediaType("application/json", schema),)
    must = bool(required) or site.method in WITH_BODY
    return RequestBody(media_types, site.where.inside("arguments"), must, names=names)
