"""Make the type of a schema and the values of its `enum` agree, where none of the values has the type.

Without this, a tool would show no values. Authors write the values of the items beside `type: array`, and numbers and
booleans as texts. In any other schema of this kind, the values say more than the type.
"""

import re

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object

_PYTHON: dict[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "object": dict,
}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_BOOLEANS = {"true": True, "false": False}


def agree(schema: JsonObject) -> None:
    """Change `schema`, which is in JSON Schema 2020-12, in place, if none of the values of its `enum` has its type.

    Values of a schema of the type `string` are left alone: all other scalars can be read as texts.
    """
    kinds = [kind for kind in as_list(schema.get("type")) or [schema.get("type")] if kind != "null"]
    values = as_list(schema.get("enum"))
    if len(kinds) != 1 or kinds[0] not in _PYTHON or all(value is None for value in values):
        return
    kind = str(kinds[0])
    converted = [_converted(value, kind) for value in values]
    if any(_is_of(value, kind) for value in converted):
        schema["enum"] = converted
    elif kind == "array":
        schema["items"] = {"enum": values, **as_object(schema.get("items"))}
        agree(as_object(schema["items"]))
        del schema["enum"]
    else:
        del schema["type"]


def _is_of(value: JsonValue, kind: str) -> bool:
    return isinstance(value, _PYTHON[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _converted(value: JsonValue, kind: str) -> JsonValue:
    """Return a text as the number or boolean that it stands for if `kind` is such a type, else the value unchanged."""
    if not isinstance(value, str):
        return value
    if kind == "boolean":
        return _BOOLEANS.get(value.strip().lower(), value)
    found = _NUMBER.fullmatch(value.strip())
    if found is None or kind not in ("integer", "number") or (kind == "integer" and found[1]):
        return value
    return float(found[0]) if found[1] else int(found[0])
