"""Read `result:` of a tool or an override: rules for the results of a tool.

A rule is a key of `result` in `schema.json`, and has the same name in `bindings.json`. A rule that `_READERS` does not
contain has the same value there, too.
"""

from collections.abc import Callable, Mapping

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.model import ResultView, RuleValue
from mcpgen.read.toolsfile import blocks, conditions, schema_check
from mcpgen.read.toolsfile.pointers import pointer, text


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> ResultView | None:
    """Return the `result` of `entry` (a tool or an override), or None if `entry` has none.

    A later pass checks that the arguments and resources named in `result` exist.
    """
    found = entry.get("result")
    if not isinstance(found, dict) or not found:
        return None
    place = where.inside("result")
    if isinstance(found.get("text"), str) and entry.get("fields") is True:
        message = (
            "A tool whose result is a `text` cannot have `fields`, because `text` already says which parts are shown."
        )
        diagnostics.add("invalid-value", message, where.inside("fields"), "Leave out either `text` or `fields`.")
    rules: dict[str, RuleValue] = {}
    for name in schema_check.keys("result"):
        if name in found:
            value = _READERS.get(name, _as_written(name))(found[name], place.inside(name), diagnostics)
            if value is not None and value != []:
                rules[name] = value
    return ResultView(place, rules)


_Reader = Callable[[JsonValue, Where, Diagnostics], RuleValue]


def _as_written(name: str) -> _Reader:
    """Return the reader of a rule whose value is taken as it is written, if the schema allows it."""
    return lambda value, *_: value if schema_check.is_valid("result", name, value) else None


def _removed(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    found = (pointer(each, where.inside(index), diagnostics) for index, each in enumerate(as_list(value)))
    return [each for each in found if each]


def _selected(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    if not isinstance(value, dict):
        return pointer(value, where, diagnostics)
    found = {name: pointer(each, where.inside(name), diagnostics) for name, each in value.items()}
    return {name: each for name, each in found.items() if each} or None


def _linked(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    found = (blocks.link(each, where.inside(index), diagnostics) for index, each in enumerate(as_list(value)))
    return [each for each in found if each]


_READERS: Mapping[str, _Reader] = {
    "failed": conditions.read,
    "remove": _removed,
    "select": _selected,
    "text": text,
    "links": _linked,
    "blocks": blocks.read,
}
"""Name of a rule → reader of a value that contains conditions, JSON Pointers or texts."""
