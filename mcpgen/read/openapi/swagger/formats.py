"""Read parameters of OpenAPI 2.0, which are schemas themselves. Convert `collectionFormat` to style and explode."""

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_object, as_text, compact
from mcpgen.base.names import clipped
from mcpgen.model import Location, Parameter, Style
from mcpgen.read.openapi import parameters
from mcpgen.read.openapi.references import References

_STYLES: dict[str, Style] = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": "tabDelimited"}
_DESCRIBED = frozenset({"type", "enum", "items", "format", "pattern", "schema"})
"""Keywords that describe a parameter's value. A parameter without any of them is a string."""

_PLAIN: dict[Location, Style] = {"query": "form", "path": "simple", "header": "simple"}


def parameter_of(raw: JsonObject, where: Where, references: References, diagnostics: Diagnostics) -> Parameter | None:
    """Return the OpenAPI 2.0 parameter `raw` as a `Parameter`. If it cannot be read, report this and return None, or
    raise SkipOperation if it is required.
    """
    named = parameters.name_and_place(raw, where, tuple(_PLAIN), diagnostics)
    if named is None:
        return None
    name, location = named
    style, explode = style_of(raw, location, where, diagnostics)
    return Parameter(
        name=name,
        location=location,
        schema=references.schema(where) if raw.keys() & _DESCRIBED else {"type": "string"},
        where=where,
        required=raw.get("required") is True or location == "path",
        description=as_text(raw.get("description")),
        style=style,
        explode=explode,
        allows_empty=raw.get("allowEmptyValue") is True and location == "query",
    )


def style_of(raw: JsonObject, location: Location, where: Where, diagnostics: Diagnostics) -> tuple[Style, bool]:
    """Return style and explode of a parameter, which matter only for arrays.

    Raises SkipOperation for nested arrays: each level may have its own format, and no style of later versions can
    express that.
    """
    if as_object(raw.get("items")).get("type") == "array":
        message = "mcpgen cannot send nested arrays with a collectionFormat for each level."
        raise SkipOperation(
            "invalid-style", message, where.inside("items"), "Use an array without nested arrays, or a request body."
        )
    declared = raw.get("collectionFormat", "csv")
    plain = _PLAIN[location]
    if declared == "multi" and location == "query":
        return plain, True
    if isinstance(declared, str) and declared in _STYLES:
        return _STYLES[declared], False
    if declared != "csv":
        diagnostics.add(
            "invalid-style",
            f"The collectionFormat {clipped(compact(declared))} is not defined for {location} parameters; csv is used.",
            where.inside("collectionFormat"),
            "Use csv, ssv, tsv or pipes; multi is allowed in a query or a form.",
        )
    return plain, False
