"""Compare the guards of a tool: hints, confirmations, roles, parts removed from responses, and parameters hidden from
callers. A weaker guard is breaking, because somebody relied on the guard: a host that asks the user, an operator who
hides tools, an owner who removes private data. A stronger guard is breaking too, if calls that worked may fail.
"""

from collections.abc import Iterator

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.regenerate.diff import rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed
from mcpgen.regenerate.diff.wire import slots

_HINTS: dict[str, tuple[bool, str, str]] = {
    "readOnlyHint": (True, "read-only", "not read-only"),
    "destructiveHint": (False, "not destructive", "destructive"),
    "idempotentHint": (True, "safe to repeat", "not safe to repeat"),
    "openWorldHint": (False, "closed to the world", "open to the world"),
}
"""Hint of MCP → its safe value, the text for the safe value, and the text for the other value."""

_ASKED_BY = frozenset(_HINTS) - {"idempotentHint"}
"""Hints by which hosts decide whether to ask the user before a call, and by which `--read-only` selects tools.

`idempotentHint` is not among them, since no host decides by this hint.
"""

_CONFIRM = ("never", "when-supported", "always")


def compared(old: Listed, new: Listed) -> Iterator[Change]:
    """Yield a change for each guard of a tool (such as a confirmation or a required role) that became weaker or
    stronger.
    """
    yield from _hints(old, new)
    yield from _roles(new.name, frozenset(old.roles), frozenset(new.roles))
    yield from _confirmation(old, new)
    yield from _questions(old, new)
    yield from _removed(old, new)
    yield from _withheld(old, new)


def _hints(old: Listed, new: Listed) -> Iterator[Change]:
    before, after = as_object(old.shown.get("annotations")), as_object(new.shown.get("annotations"))
    for hint, (safe, good, bad) in _HINTS.items():
        if before.get(hint) == after.get(hint):
            continue
        was, now = (good if hints.get(hint) is safe else bad for hints in (before, after))
        safer = "hint-lifted" if hint in _ASKED_BY else "safer"
        yield rules.of_tool(safer if now == good else "less-safe", new.name, was, now)


def _roles(tool: str, old: frozenset[str], new: frozenset[str]) -> Iterator[Change]:
    """Yield changes of a tool's roles. The operator, or a caller over HTTP, needs one of them if the tool has any."""
    before, after = _listed(old) or "anybody", _listed(new) or "anybody"
    if new and (not old or old - new):
        yield rules.of_tool("roles-narrowed", tool, before, after)
    if old and (not new or new - old):
        yield rules.of_tool("roles-widened", tool, before, after)


# An added guard can make calls fail that worked before, and a removed guard protected somebody
# (docs/decisions/differences.md).
def _confirmation(old: Listed, new: Listed) -> Iterator[Change]:
    before, after = (str(tool.binding.get("confirm", _CONFIRM[0])) for tool in (old, new))
    if before != after and {before, after} <= set(_CONFIRM):
        code = "confirm-raised" if _CONFIRM.index(after) > _CONFIRM.index(before) else "confirm-lowered"
        yield rules.of_tool(code, new.name, before, after)


def _questions(old: Listed, new: Listed) -> Iterator[Change]:
    """Yield changes of questions to the user. New wording is not breaking, since a person who is asked can still
    answer.
    """
    before, after = _asked(old), _asked(new)
    for name in sorted(before.keys() - after.keys()):
        yield rules.of_tool("question-removed", new.name, before=_fields(before[name]))
    for name in sorted(after.keys() - before.keys()):
        yield rules.of_tool("question-added", new.name, after=_fields(after[name]))
    for name in sorted(before.keys() & after.keys()):
        had, has = before[name].get("without"), after[name].get("without")
        if had != has:
            yield rules.of_tool("question-allows" if has else "question-refuses", new.name, at=name)
        if {**before[name], "without": has} != {**after[name], "without": has}:
            yield rules.of_tool("question-changed", new.name, at=name)


def _asked(tool: Listed) -> dict[str, JsonObject]:
    return {as_text(each.get("name")): each for each in map(as_object, as_list(tool.binding.get("ask")))}


def _fields(question: JsonObject) -> list[JsonValue]:
    return [*as_object(question.get("form"))]


def _removed(old: Listed, new: Listed) -> Iterator[Change]:
    """Yield changes of the parts that the server removes from responses. A part includes everything below its JSON
    Pointer.
    """
    had, has = (_texts(as_object(tool.binding.get("result")).get("remove")) for tool in (old, new))
    if fallen := [pointer for pointer in sorted(had) if not _is_covered(pointer, has)]:
        yield rules.of_tool("removal-lifted", new.name, before=[*fallen])
    if more := [pointer for pointer in sorted(has) if not _is_covered(pointer, had)]:
        yield rules.of_tool("removal-added", new.name, after=[*more])


def _is_covered(pointer: str, pointers: frozenset[str]) -> bool:
    return any(pointer == each or pointer.startswith(f"{each}/") for each in pointers)


def _withheld(old: Listed, new: Listed) -> Iterator[Change]:
    """Yield changes of the parameters that the project's owner hid, and which no argument may set.

    If a hidden parameter becomes an argument, or the reverse, only the comparison of arguments reports the change.
    """
    had, has = _names_withheld(old), _names_withheld(new)
    if fallen := had - has - {name for _, name in slots(new).values()}:
        yield rules.of_tool("withheld-lifted", new.name, before=_listed(fallen))
    if more := has - had - {name for _, name in slots(old).values()}:
        yield rules.of_tool("withheld-added", new.name, after=_listed(more))


def _names_withheld(tool: Listed) -> frozenset[str]:
    lists = [*as_object(tool.binding.get("withheld")).values(), as_object(tool.binding.get("body")).get("withheld")]
    return frozenset[str]().union(*map(_texts, lists))


def _texts(value: JsonValue) -> frozenset[str]:
    return frozenset(map(as_text, as_list(value)))


def _listed(names: frozenset[str]) -> list[JsonValue]:
    return [*sorted(names)]
