"""Apply a tool's `result` rules to the schemas of its responses.

So neither the description nor a derived output schema mentions parts that are removed or not selected. JSON Pointers
are followed as in the runtime (`result_rules.py`, `drop_fields.py`). If a `remove` rule names a member where the schema
has a list, the member is removed from every item. If a `remove` rule has `*` or `0`, for items of a list, where the
schema has an object, the rest of the pointer is also followed in the object.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostic, Diagnostics
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, tokens
from mcpgen.base.names import alike, clipped, nearest
from mcpgen.lower.schema.compose import Composer, types
from mcpgen.model import MediaType, Operation, Response, ResultView

_DEEPEST = 40


def seen(operation: Operation, composer: Composer, diagnostics: Diagnostics) -> Operation:
    """Return `operation` with the tool's `result` rules applied to the schemas of its responses.

    A schema that cannot be read becomes {}.
    """
    view = operation.decided.result
    if view is None or not (view.remove or view.select):
        return operation
    found: list[Diagnostic] = []
    responses = tuple(_seen(response, view, composer, found) for response in operation.responses)
    diagnostics.extend([each for each in dict.fromkeys(found) if each not in set(diagnostics)])
    return replace(operation, responses=responses)


def _seen(response: Response, view: ResultView, composer: Composer, found: list[Diagnostic]) -> Response:
    def of(media_type: MediaType) -> MediaType:
        if media_type.schema is None:
            return media_type
        try:
            return replace(media_type, schema=_viewed(media_type.schema, view, composer))
        except SkipOperation as unusable:
            found.append(unusable.diagnostic)
            return replace(media_type, schema={})

    return replace(response, content=tuple(of(media_type) for media_type in response.content))


def _viewed(schema: JsonObject, view: ResultView, composer: Composer) -> JsonObject:
    for pointer in view.remove:
        schema = without(schema, tokens(pointer), composer)
    if isinstance(view.select, str):
        return part(schema, tokens(view.select), composer) or {}
    if view.select is None:
        return schema
    members = {name: part(schema, tokens(pointer), composer) for name, pointer in view.select.items()}
    return {"type": "object", "properties": {name: member or {} for name, member in members.items()}}


def without(
    schema: JsonObject, steps: list[str], composer: Composer, depth: int = 0, named: bool = False
) -> JsonObject:
    """Return `schema` without the part to which the JSON Pointer `steps` points.

    `named`: True if the first step is a number that the caller has already followed as an array index; here the number
    can only be the name of a property. If False, the first step can be an array index or the name of a property.
    """
    if depth > _DEEPEST:
        return {}
    node, step, rest = dict(composer.node(schema)[0]), steps[0], steps[1:]
    node.pop("discriminator", None)

    def further(member: JsonValue, left: list[str], named: bool = False) -> JsonValue:
        return without(member, left, composer, depth + 1, named) if left and isinstance(member, dict) else {}

    def item(member: JsonValue) -> JsonValue:
        if named or not (step == "*" or step.isdecimal()):
            return further(member, steps, named)
        return further(member, rest) if step == "*" else further(further(member, rest), steps, named=True)

    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            node[keyword] = [further(branch, steps, named) for branch in as_list(node[keyword])]
    if "items" in node:
        node["items"] = item(node["items"])
    if "prefixItems" in node:
        node["prefixItems"] = [item(each) for each in as_list(node["prefixItems"])]
    hit = _without_members(node, steps, further)
    may_be_item = step == "*" or (step == "0" and not (named or hit))
    if "properties" in node and may_be_item and steps != ["*"]:
        return without(node, rest or ["*"], composer, depth + 1)
    return node


def _without_members(
    node: JsonObject, steps: list[str], further: Callable[[JsonValue, list[str]], JsonValue]
) -> list[str]:
    """Remove from the object schema `node`, in place, the part to which the JSON Pointer `steps` points. Return the
    names of the members that the first step matches; `*` matches all members.

    `further(member, later)` returns the schema of a member without the part to which the later steps point.
    """
    step, rest = steps[0], steps[1:]
    properties = as_object(node.get("properties"))
    hit = [name for name in properties if step == "*" or alike(step) == alike(name)]
    if "properties" in node:
        left = {name: further(member, rest) for name, member in properties.items() if name in hit and rest}
        node["properties"] = {**{name: each for name, each in properties.items() if name not in hit}, **left}
    if not rest and "required" in node:
        node["required"] = [name for name in as_list(node["required"]) if name not in hit]
    if isinstance(node.get("additionalProperties"), dict) and (rest or step == "*"):
        node["additionalProperties"] = further(node["additionalProperties"], rest)
    return hit


def part(schema: JsonObject, steps: list[str], composer: Composer, depth: int = 0) -> JsonObject | None:
    """Return the schema of the part to which a JSON Pointer points, or None if `schema` does not describe that part.

    If the pointer contains `*`, which matches every member or item, return the schema of a list of all matches.
    """
    if not steps:
        return schema
    node, step, rest = composer.node(schema)[0], steps[0], steps[1:]
    if depth > _DEEPEST:
        return None
    found: list[JsonObject] = []
    for member in _members(node, step):
        inner = part(member, rest, composer, depth + 1)
        if inner is not None:
            found.append(_listed(inner) if step == "*" and "*" not in rest else inner)
    for keyword in ("anyOf", "oneOf"):
        branches = (part(as_object(branch), steps, composer, depth + 1) for branch in as_list(node.get(keyword)))
        found += [branch for branch in branches if branch is not None]
    return found[0] if len(found) < 2 and found else {"anyOf": list[JsonValue](found)} if found else None


def _listed(schema: JsonObject) -> JsonObject:
    return {"type": "array", "items": schema}


def _members(node: JsonObject, step: str) -> Iterator[JsonObject]:
    """Yield the schemas of the members or items of `node` that one step of a JSON Pointer names."""
    properties, rest = as_object(node.get("properties")), node.get("additionalProperties")
    is_object = "object" in types(node) or bool(properties)
    if step in properties:
        yield as_object(properties[step])
    elif isinstance(rest, dict) and is_object:
        yield rest
    if isinstance(node.get("items"), dict) and (step == "*" or step.isdecimal()):
        yield as_object(node["items"])


# -- Names of arguments in texts ---------------------------------------------------------------------------------------


def report(view: ResultView | None, arguments: list[str], diagnostics: Diagnostics) -> None:
    """Report each placeholder in the texts of `view` that names none of the tool's `arguments`."""
    if view is None:
        return
    for path, parts in view.texts():
        for name in (str(each["argument"]) for each in parts if isinstance(each, dict) and "argument" in each):
            if name not in arguments:
                message = f"The tool has no argument '{clipped(name)}'."
                diagnostics.add("invalid-value", message, view.where.inside(*path), nearest(name, arguments))
