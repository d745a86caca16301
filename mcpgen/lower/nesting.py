"""Values inside the values of a parameter, where the standard leaves open how they are written (OpenAPI 3.1,
4.8.12.3).
"""

from mcpgen.diagnostics import Diagnostics
from mcpgen.jsonvalue import JsonObject, as_object
from mcpgen.lower.compose import Composer, alternatives, members, types
from mcpgen.model import Operation, Parameter

_COLLECTIONS = {"object", "array"}
_MOST_LOOKED_INTO = 20


def report(operation: Operation, composer: Composer, diagnostics: Diagnostics) -> None:
    """Report each parameter whose style does not say how the values inside its values are written."""
    for parameter in operation.parameters:
        if parameter.content is None and _nests(parameter.schema, composer):
            diagnostics.add(
                "nested-values",
                f"The style {parameter.style} does not say how the values inside {parameter.name} are written; "
                f"{_how(parameter)}.",
                parameter.where,
                "Use `content` with application/json, which says it.",
            )


def _how(parameter: Parameter) -> str:
    in_pairs = parameter.location == "query" and parameter.explode and parameter.style in ("form", "deepObject")
    return "they are written with brackets" if in_pairs else "they are written as JSON text"


def _nests(schema: JsonObject, composer: Composer) -> bool:
    """Whether an array of `schema` holds collections, or an object of it does."""
    node, _ = composer.node(schema)
    inner = [as_object(node["items"])] if isinstance(node.get("items"), dict) else []
    inner += [member for _, member in members(node)]
    return any(_is_collection(member, composer) for member in inner) or any(
        _nests(branch, composer) for branch in alternatives(node)[:_MOST_LOOKED_INTO] if "$ref" not in branch
    )


def _is_collection(schema: JsonObject, composer: Composer) -> bool:
    node, _ = composer.node(schema)
    return bool(_COLLECTIONS & set(types(node))) or "properties" in node
