"""Report parameters whose `style` must write nested arrays or objects, which OpenAPI does not define (OpenAPI 3.1,
4.8.12.3). Skip operations with an array or object parameter in a media type that mcpgen cannot write.
"""

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.base.names import clipped
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.model import Operation, Parameter

_COLLECTIONS = {"object", "array"}
_MOST_LOOKED_INTO = 20


def refuse_unwritable(operation: Operation, composer: Composer) -> None:
    """Raise SkipOperation if a parameter is an array or object in a media type that mcpgen cannot write (OpenAPI 3.1,
    4.8.12.2.2).

    mcpgen can write JSON, and a form if the parameter is the whole query.
    """
    for parameter in operation.parameters:
        encoding = encoding_of(parameter.content) if parameter.content is not None else "json"
        is_form = encoding == "form" and parameter.location == "querystring"
        if encoding != "json" and not is_form and _is_collection(parameter.schema, composer):
            message = (
                f"The parameter {clipped(parameter.name)} is an array or object in the media type {parameter.content}."
            )
            hint = "Describe the parameter as application/json, or with a style."
            raise SkipOperation(
                "invalid-parameter",
                message + " mcpgen cannot write parameters of this media type.",
                parameter.where,
                hint,
            )


def report(operation: Operation, composer: Composer, diagnostics: Diagnostics) -> None:
    """Report each parameter whose style does not define how arrays and objects inside its value are written."""
    for parameter in operation.parameters:
        if parameter.content is None and _nests(parameter.schema, composer):
            diagnostics.add(
                "nested-values",
                f"The style {parameter.style} does not define how nested values in {parameter.name} are sent; "
                f"{_how(parameter)}.",
                parameter.where,
                "Use `content` with application/json instead.",
            )


def _how(parameter: Parameter) -> str:
    in_pairs = parameter.location == "query" and parameter.explode and parameter.style in ("form", "deepObject")
    if in_pairs:
        return "they are written with brackets"
    is_whole = parameter.location == "header" or (parameter.location == "cookie" and not parameter.explode)
    return f"{'a value with them is' if is_whole else 'they are'} written as JSON text"


def _nests(schema: JsonObject, composer: Composer) -> bool:
    """Return True if `schema` is an array or object that contains arrays or objects."""
    node, _ = composer.node(schema)
    inner = [as_object(node["items"])] if isinstance(node.get("items"), dict) else []
    inner += [member for _, member in members(node)]
    return any(_is_collection(member, composer) for member in inner) or any(
        _nests(branch, composer) for branch in alternatives(node)[:_MOST_LOOKED_INTO] if "$ref" not in branch
    )


def _is_collection(schema: JsonObject, composer: Composer) -> bool:
    node, _ = composer.node(schema)
    return bool(_COLLECTIONS & set(types(node))) or "properties" in node
