"""Read the parameters of an operation (OpenAPI 3.1, 4.8.12): lists merged, references resolved, and the defaults of
`style` and `explode` filled in.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, compact
from mcpgen.base.names import clipped, fold
from mcpgen.model import Location, Parameter, PathTemplate, SecurityScheme, Style
from mcpgen.read.document import redaction
from mcpgen.read.openapi.credentials import scheme_of, verdict
from mcpgen.read.openapi.references import References

_STYLES: dict[Location, tuple[Style, ...]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
    "querystring": ("form",),
}
"""Place of a parameter → the styles allowed there, the default first (OpenAPI 3.2, 4.12.3)."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Pattern of names of header fields (RFC 9110, section 5.6.2)."""

FRAMING = frozenset(
    re.findall(
        r"\S+",
        """
    connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding
    upgrade
    """,
    )
)
"""Header fields that delimit messages or concern only one connection (hop-by-hop). They are never parameters."""

JUDGED = ("accept", "authorization")
"""Header parameters that are never arguments, but may carry information: a version (`Accept`), or a credential."""

NOT_ARGUMENTS = FRAMING | frozenset(
    re.findall(
        r"\S+",
        """
    accept accept-charset accept-encoding authorization content-type cookie cookie2 forwarded proxy-authenticate via
    x-forwarded-for x-forwarded-host x-forwarded-proto x-http-method-override x-method-override traceparent tracestate
    baggage
    """,
    )
)
"""Header parameters that never become arguments: they belong to HTTP, carry credentials, or trace requests."""

Credentials = Mapping[tuple[str, str], SecurityScheme]
"""Place (see `place_of`) → the API key that is sent there."""


def read(
    lists: Iterable[tuple[JsonValue, Where]],
    credentials: Credentials,
    references: References,
    diagnostics: Diagnostics,
    *,
    by_name: bool = True,
) -> tuple[tuple[Parameter, ...], tuple[SecurityScheme, ...]]:
    """Return the parameters in `lists` that become arguments, and the security schemes of those that are credentials.

    `lists`: pairs (list of parameters as JSON, its place). `credentials`: place → declared API key. `by_name`: also
    recognise undeclared credentials by name. Raises SkipOperation if a required parameter cannot be read.
    """
    raw_ones = gathered(lists, references)
    _refuse_two_queries(raw_ones)
    each = (_read_one(raw, where, references, diagnostics) for raw, where in raw_ones)
    read_ones = (found for found in each if found is not None)
    return without_credentials(read_ones, credentials, diagnostics, by_name=by_name)


def _refuse_two_queries(raw_ones: list[tuple[JsonObject, Where]]) -> None:
    """Raise SkipOperation if one parameter describes the whole query, while others describe parts of it."""
    whole = [where for raw, where in raw_ones if raw.get("in") == "querystring"]
    if len(whole) > 1 or (whole and any(raw.get("in") == "query" for raw, _ in raw_ones)):
        message = "One parameter describes the whole query string, but there are other query parameters."
        raise SkipOperation(
            "invalid-parameter",
            message,
            whole[0],
            "Describe the whole query string in one parameter, or use only parameters with `in: query`.",
        )


def is_field_name(name: str) -> bool:
    """Return True if a header field can have this name (RFC 9110, section 5.6.2)."""
    return bool(_TOKEN.fullmatch(name))


def can_be_set(name: str) -> bool:
    """Return True if an API key can be sent in a header field of this name."""
    return is_field_name(name) and name.lower() not in FRAMING


def place_of(location: str, name: str) -> tuple[str, str]:
    """Return the place that a credential fills: its location (such as `header`), and the name folded by `fold`.

    Names that a server may treat as equal have the same place.
    """
    return location, fold(name)


def api_keys(schemes: Iterable[SecurityScheme]) -> Credentials:
    """Return place (see `place_of`) → security scheme, of each API key in `schemes`."""
    return {place_of(each.location, each.wire_name): each for each in schemes if not each.unsent and not each.text.word}


def gathered(lists: Iterable[tuple[JsonValue, Where]], references: References) -> list[tuple[JsonObject, Where]]:
    """Return the Parameter Objects of all `lists`, with references resolved.

    A parameter replaces one of the same name and place in an earlier list.
    """
    found: dict[tuple[str, str], tuple[JsonObject, Where]] = {}
    for value, where in lists:
        for index, entry in enumerate(as_list(value)):
            raw, place = references.resolve(entry, where.inside(index))
            found[compact(raw.get("name")), compact(raw.get("in"))] = raw, place
    return list(found.values())


def without_credentials(
    found: Iterable[Parameter], credentials: Credentials, diagnostics: Diagnostics, *, by_name: bool = True
) -> tuple[tuple[Parameter, ...], tuple[SecurityScheme, ...]]:
    """Return the parameters in `found` that become arguments, and the security schemes of those that are credentials.

    Parameters that the server or HTTP fills in are removed and reported. `by_name`: also recognise undeclared
    credentials by name, such as a header parameter `X-API-Key`. It is False for OpenAPI documents, in which `withhold`
    recognises such credentials later.
    """
    kept: list[Parameter] = []
    implied: list[SecurityScheme] = []
    for parameter in found:
        if parameter.location == "header" and not by_name and parameter.name.lower() in JUDGED:
            kept.append(parameter)
        elif parameter.location == "header" and is_of_http(parameter.name):
            _report_filled(parameter, "it belongs to HTTP", diagnostics)
        elif (scheme := credentials.get(place_of(parameter.location, parameter.name))) is not None:
            implied.append(scheme)
            _report_filled(parameter, "it is a credential", diagnostics)
        elif by_name and (key := _implied(parameter)) is not None:
            implied.append(key)
            message = (
                f"The {parameter.location} parameter {parameter.name} has the name of a credential, so it is not "
                "an argument."
            )
            hint = (
                "The server sends the value of the environment variable that is named after the parameter. Better "
                "declare a security scheme."
            )
            diagnostics.add("credential-parameter", message, parameter.where, hint)
        else:
            kept.append(parameter)
    return tuple(kept), tuple(implied)


def credential(parameter: Parameter, credentials: Credentials) -> SecurityScheme | None:
    """Return the security scheme for a parameter that carries a credential, declared or recognised by name. Return None
    for any other parameter.
    """
    return credentials.get(place_of(parameter.location, parameter.name)) or _implied(parameter)


def is_of_http(name: str) -> bool:
    """Return True if HTTP reserves the header field of this name, so that no tool may set it."""
    return name.lower().replace("_", "-") in NOT_ARGUMENTS


def _implied(parameter: Parameter) -> SecurityScheme | None:
    return scheme_of(parameter) if verdict(parameter) == "credential" else None


def matched_with_path(
    read: tuple[Parameter, ...], template: PathTemplate, where: Where, diagnostics: Diagnostics
) -> tuple[Parameter, ...]:
    """Return the parameters of an operation, path parameters first, in the order of the path.

    Path parameters that are not declared are added. Declared path parameters that the path does not contain are
    removed.
    """
    in_path = {parameter.name: parameter for parameter in read if parameter.location == "path"}
    for name, declared in zip(template.variables, template.declared, strict=True):
        if name not in in_path and declared in in_path:
            in_path[name] = replace(in_path[declared], name=name, argument="")
        if name not in in_path:
            in_path[name] = Parameter(name, "path", {"type": "string"}, where, required=True, style="simple")
            diagnostics.add(
                "undeclared-path-parameter",
                f"The path holds {{{name}}}, which is not declared; it becomes a required string argument.",
                where,
                "Declare the parameter under `parameters`.",
            )
    elsewhere = _with_those_of_query(in_path, [each for each in read if each.location != "path"], template, where)
    for name in sorted(in_path.keys() - set(template.variables)):
        diagnostics.add(
            "unused-path-parameter",
            f"The path does not hold {{{name}}}; the parameter is left out.",
            in_path[name].where,
            "Add the parameter to the path, or remove its declaration.",
        )
    return tuple(in_path[name] for name in template.variables) + elsewhere


def _with_those_of_query(
    in_path: dict[str, Parameter], elsewhere: list[Parameter], template: PathTemplate, where: Where
) -> tuple[Parameter, ...]:
    """Return the parameters outside the path. If the key in `paths` has a query (`/a?action={action}`), its variables
    come first, as required query parameters.

    Parameters that are declared as `in: path`, but occur only in that query, are removed from `in_path`.
    """
    known = {each.name: each for each in elsewhere if each.location == "query"}
    used = {variable: in_path.pop(variable, None) for _, variable in template.query_variables}
    filled: dict[str, Parameter] = {}
    for name, variable in template.query_variables:
        said = used[variable] or known.get(name) or known.get(variable)
        said = said or Parameter(name, "query", {"type": "string"}, where)
        argument = variable if variable != name else said.argument
        filled[name] = replace(
            said, name=name, location="query", required=True, style="form", explode=True, argument=argument
        )
    replaced = {*filled, *used}
    kept = [each for each in elsewhere if each.location != "query" or each.name not in replaced]
    return (*filled.values(), *kept)


def of_header(
    name: str, raw: JsonObject, where: Where, references: References, diagnostics: Diagnostics
) -> Parameter | None:
    """Return a Header Object (OpenAPI 3.1, 4.8.21) as a parameter. If the header field cannot be sent, report this and
    return None.
    """
    header = _read_one({**raw, "name": name, "in": "header", "required": False}, where, references, diagnostics)
    return header and replace(header, required=raw.get("required") is True)


def name_and_place(
    raw: JsonObject, where: Where, locations: tuple[Location, ...], diagnostics: Diagnostics
) -> tuple[str, Location] | None:
    """Return the name and the location (`in`) of a parameter.

    If the name is invalid or the location is not one of `locations`, report this and return None. If such a parameter
    is required, raise SkipOperation instead.
    """
    name, location = raw.get("name"), next((known for known in locations if raw.get("in") == known), None)
    sendable = isinstance(name, str) and name and location is not None
    if sendable and not (location == "header" and not _TOKEN.fullmatch(str(name))):
        return str(name), cast(Location, location)
    shown = clipped(compact(raw.get("name"))), clipped(compact(raw.get("in")))
    message = f"A parameter has an invalid name or location: its name is {shown[0]}, its location {shown[1]}."
    hint = f"Give the parameter a valid name, and one of these locations as `in`: {', '.join(locations)}."
    if raw.get("required") is True:
        raise SkipOperation("invalid-parameter", message, where, hint)
    diagnostics.add("invalid-parameter", message + " It is left out.", where, hint)
    return None


def _read_one(raw: JsonObject, where: Where, references: References, diagnostics: Diagnostics) -> Parameter | None:
    named = name_and_place(raw, where, tuple(_STYLES), diagnostics)
    if named is None:
        return None
    name, location = named
    style = _style(raw, location, where, diagnostics)
    explode = raw.get("explode")
    content, schema = _schema(raw, where, references)
    if location == "querystring" and content is None:
        message = (
            f"The parameter {clipped(name)} describes the whole query string, but has no `content`, so its format "
            "is unknown."
        )
        raise SkipOperation("invalid-parameter", message, where, "Name a media type under `content`.")
    return Parameter(
        name=name,
        location=location,
        schema=schema,
        where=where,
        required=raw.get("required") is True or location == "path",
        description=as_text(raw.get("description")),
        deprecated=raw.get("deprecated") is True,
        style=style,
        explode=explode if isinstance(explode, bool) else style in {"form", "deepObject", "cookie"},
        reserved=raw.get("allowReserved") is True and location in ("path", "query"),
        content=content,
        allows_empty=raw.get("allowEmptyValue") is True and location == "query",
        is_credential=raw.get(redaction.MARK) is True,
    )


def _style(raw: JsonObject, location: Location, where: Where, diagnostics: Diagnostics) -> Style:
    allowed = _STYLES[location]
    declared = raw.get("style", allowed[0])
    for style in allowed:
        if declared == style:
            return style
    diagnostics.add(
        "invalid-style",
        f"The style {clipped(compact(declared))} is not defined for {location} parameters; {allowed[0]} is used.",
        where.inside("style"),
        f"Use one of {', '.join(allowed)}.",
    )
    return allowed[0]


def _schema(raw: JsonObject, where: Where, references: References) -> tuple[str | None, JsonObject]:
    content = raw.get("content")
    if isinstance(content, dict) and content:
        media_type, entry = next(iter(content.items()))
        raw, place = references.resolve(as_object(entry), where.inside("content", media_type))
        if "schema" in raw:
            return media_type, references.schema(place.inside("schema"))
        return media_type, {} if is_json(media_type) else {"type": "string"}
    return None, references.schema(where.inside("schema")) if "schema" in raw else {"type": "string"}


def is_json(essence: str) -> bool:
    """Return True for type and subtype of JSON, in lower case. AWS has types of its own, such as that of Cognito."""
    return essence.endswith(("/json", "+json")) or essence.startswith("application/x-amz-json-")


def _report_filled(parameter: Parameter, by: str, diagnostics: Diagnostics) -> None:
    message = f"The {parameter.location} parameter {parameter.name} is not an argument: {by}."
    diagnostics.add("credential-parameter", message, parameter.where)
