"""Read `overrides:` of the tools file: changes of single operations and their tools.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.base.names import WRITTEN_ARGUMENT_NAME
from mcpgen.model import ArgumentChange, BodyChange, Change, Decisions
from mcpgen.read.toolsfile import decisions


def read(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[Change, ...]:
    """Return the `overrides` at `where` as changes of operations and tools, in the order of the file."""
    return tuple(
        _change(key, entry, where.inside(key), diagnostics)
        for key, entry in as_object(value).items()
        if isinstance(entry, dict)
    )


def of_parts(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[Change, ...]:
    """Return the tools file's top-level `arguments` as one override for each of its keys. Each key names operations or
    tools. `where`: place of `arguments` in the file.
    """
    return tuple(
        Change(key, where.inside(key), Decisions(arguments=_arguments(entry, where.inside(key), diagnostics)))
        for key, entry in as_object(value).items()
        if isinstance(entry, dict)
    )


def _arguments(entry: JsonValue, where: Where, diagnostics: Diagnostics) -> dict[str, ArgumentChange]:
    return {
        argument: _argument(change, where.inside(argument), diagnostics)
        for argument, change in as_object(entry).items()
        if isinstance(change, dict)
    }


def _change(key: str, entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Change:
    decided = replace(
        decisions.read(entry, where, diagnostics),
        hidden=_flag(entry, "hide"),
        told=_text(entry, "description"),
        arguments=_arguments(entry.get("arguments"), where.inside("arguments"), diagnostics),
    )
    body = _body(entry.get("body"), where.inside("body"))
    return Change(key, where, decided, body, unsecured=entry.get("security") == "none")


def _body(value: JsonValue, where: Where) -> BodyChange | None:
    entry = as_object(value)
    return BodyChange(where, _flag(entry, "required"), _text(entry, "media_type")) if entry else None


def _argument(change: JsonObject, where: Where, diagnostics: Diagnostics) -> ArgumentChange:
    if "value" in change:
        for key in ("name", "description", "default", "required", "hide", "schema", "allow_empty"):
            if key in change:
                message = f"An argument with a fixed `value` cannot have `{key}`, because no call can set it."
                diagnostics.add("invalid-value", message, where.inside(key), "Leave out either `value` or this key.")
    name = change.get("name")
    return ArgumentChange(
        where,
        name=name if isinstance(name, str) and WRITTEN_ARGUMENT_NAME.fullmatch(name) else None,
        description=_text(change, "description"),
        required=_flag(change, "required"),
        hidden=_flag(change, "hide"),
        schema=_schema(change.get("schema"), where.inside("schema"), diagnostics),
        media_type=_text(change, "media_type"),
        allow_empty=change.get("allow_empty") is True,
        credential=_flag(change, "credential"),
        default=(change["default"],) if "default" in change else None,
        value=(change["value"],) if "value" in change else None,
    )


def _schema(value: JsonValue, where: Where, diagnostics: Diagnostics) -> JsonObject | None:
    """Return the schema that replaces the schema of an argument.

    A schema with a reference is reported and not used, since the reference could not be resolved.
    """
    if not isinstance(value, dict):
        return None
    if _has_reference(value):
        hint = "Copy the schema here instead of referring to it. An overlay can change the document's own schemas."
        diagnostics.add(
            "invalid-value",
            "The schema of an argument contains `$ref`, which an override does not allow.",
            where,
            hint,
        )
        return None
    return value


def _has_reference(schema: JsonObject) -> bool:
    left: list[JsonValue] = [schema]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if not node.keys().isdisjoint(("$ref", "$dynamicRef")):
                return True
            left += node.values()
        elif isinstance(node, list):
            left += node
    return False


def _flag(entry: JsonObject, key: str) -> bool | None:
    value = entry.get(key)
    return value if isinstance(value, bool) else None


def _text(entry: JsonObject, key: str) -> str | None:
    """Return the text under a key, or None if it is missing or blank."""
    value = entry.get(key)
    return value if isinstance(value, str) and value.strip() else None
