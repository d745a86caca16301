"""Compare one tool: its texts, its arguments, its result, its guards (such as confirmations), its credentials, its
request, and how the server follows the jobs that the tool starts.

A weaker guard is breaking, because somebody relied on the guard: a host that asks the user, an operator who hides
tools, an owner who removes private data. A stronger guard is breaking too, if calls that worked may fail.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, tokens
from mcpgen.base.work import Budget, Exhausted
from mcpgen.regenerate.diff import authorization, objections, rules, wire
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.limits_in_text import heard
from mcpgen.regenerate.diff.places import Place, Places
from mcpgen.regenerate.diff.surface import Listed
from mcpgen.regenerate.diff.variance import Inclusion, Scope, Terms
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

_KNOWN = frozenset({"name", "title", "description", "inputSchema", "outputSchema", "annotations"})


def compared(
    old: Listed, new: Listed, renamed: Mapping[str, str], elsewhere: Listed, budget: Budget, *, guessed: bool
) -> Iterator[Change]:
    """Yield all changes from `old` to `new`, which are the same tool.

    `renamed`: old name → new name of security schemes. `elsewhere`: the tool that now has the operationId of `old`,
    mostly `new` itself. `guessed`: the match rests only on equal descriptions and arguments. `budget`: limits the steps
    for comparing schemas.
    """
    if old.name != new.name:
        code = "tool-renamed-alias" if old.name in new.aliases else "tool-renamed"
        yield replace(rules.of_tool(code, old.name, old.name, new.name), tool=new.name)
    moved = old.key != new.key and old.request != new.request
    if moved:
        yield rules.of_tool("tool-taken" if guessed else "tool-moved", new.name, old.request, new.request)
    elif elsewhere.key != new.key and new.operation_id not in ("", old.operation_id):
        yield rules.of_tool("tool-replaced", new.name, old.operation_id, new.operation_id, at=elsewhere.name)
    for alias in sorted(old.aliases - new.aliases - {new.name}):
        yield rules.of_tool("alias-removed", new.name, before=alias)
    for alias in sorted(new.aliases - old.aliases - {old.name}):
        yield rules.of_tool("alias-added", new.name, after=alias)
    if old.shown != new.shown:
        yield from _words(old.shown, new.shown, new.name)
        yield from objections.of_tool(old, new)
        yield from _results(old, new, budget)
    yield from _arguments(old, new, budget)
    yield from _guards(old, new)
    yield from authorization.compared(old, new, renamed)
    yield from _jobs(old, new)
    yield from wire.compared(old, new, moved=moved)


def _words(old: JsonObject, new: JsonObject, tool: str) -> Iterator[Change]:
    for key in ("title", "description"):
        if old.get(key) != new.get(key):
            yield rules.of_tool(key, tool, old.get(key), new.get(key))
    others = sorted((old.keys() | new.keys()) - _KNOWN)
    if changed := [key for key in others if old.get(key) != new.get(key)]:
        yield rules.of_tool("listing", tool, after=[*changed])


# -- Changes of arguments ----------------------------------------------------------------------------------------------


def _arguments(old: Listed, new: Listed, budget: Budget) -> Iterator[Change]:
    """Yield the changes of the arguments. If a comparison takes more steps than `budget`, yield a breaking change."""
    if old.schema == new.schema and all(old.binding.get(key) == new.binding.get(key) for key in ("open", "nullable")):
        return
    budget.begin()
    try:
        before, after = _taken(old, budget), _taken(new, budget)
        places = Places(Inclusion(listed=True)).between(before, after)
        yield from _of_places(old, new, places, before.scope, after.scope)
    except Exhausted:
        one, two = as_object(old.schema.get("properties")), as_object(new.schema.get("properties"))
        others = [name for name in sorted(one.keys() | two.keys()) if one.get(name) != two.get(name)]
        yield rules.of_tool("arguments-unproven", new.name, after=[*others])


def _of_places(old: Listed, new: Listed, places: list[Place], before: Scope, after: Scope) -> Iterator[Change]:
    """Yield the changes of arguments, given `places`, the differences between the old and the new schema of all
    arguments. A renamed argument gives one change, not a removal and an addition.
    """
    renamed = _renamed(old, new, places)
    for argument, name in renamed.items():
        yield rules.of_tool("argument-renamed", new.name, argument, name, argument=name)
    left = [place for place in places if not _is_renaming(place, renamed)]
    yield from (rules.of_argument(new.name, place) for place in left)
    yield from _described(old, new, before, after, {place.path[0] for place in places if place.path})


def _taken(tool: Listed, budget: Budget) -> Terms:
    """Return the schema of all arguments that a tool accepts.

    Undeclared arguments are accepted only if the tool's entry in `bindings.json` has `open`.
    """
    schema = as_object(heard(tool.schema))
    for pointer in as_list(tool.binding.get("nullable")):
        schema = as_object(_with_null(schema, tokens(as_text(pointer))))
    scope = Scope(schema, budget)
    if tool.binding.get("open"):
        return scope.terms(schema)
    known: JsonObject = dict.fromkeys(as_object(schema.get("properties")), True)
    return scope.terms(schema, scope.made({"properties": known, "additionalProperties": False}))


def _with_null(node: JsonValue, path: Sequence[str]) -> JsonValue:
    """Return a schema that also allows null at a place: names of members, and `*` for each item of a list."""
    if not path:
        return {"anyOf": [node, {"type": "null"}]}
    schema, (first, *rest) = as_object(node), path
    members = as_object(schema.get("properties"))
    if first in members:
        return {**schema, "properties": {**members, first: _with_null(members[first], rest)}}
    return {**schema, "items": _with_null(schema["items"], rest)} if first == "*" and "items" in schema else node


def _renamed(old: Listed, new: Listed, places: list[Place]) -> dict[str, str]:
    """Return old name → new name for arguments that still go to the same place of the request."""
    gone = [place.path[0] for place in places if place.kind == "member-gone" and len(place.path) == 1]
    added = [place.path[0] for place in places if place.kind.endswith("member-added") and len(place.path) == 1]
    had, has = wire.slots(old), wire.slots(new)
    return {
        name: same[0]
        for name in gone
        if name in had and len(same := [each for each in added if has.get(each) == had[name]]) == 1
    }


def _is_renaming(place: Place, renamed: Mapping[str, str]) -> bool:
    if len(place.path) != 1:
        return False
    name = place.path[0]
    return (place.kind == "member-gone" and name in renamed) or (
        place.kind.endswith("member-added") and name in renamed.values()
    )


def _described(old: Listed, new: Listed, scope: Scope, other: Scope, told: set[str]) -> Iterator[Change]:
    """Yield changes of arguments whose accepted values stay the same: defaults, descriptions, equivalent schemas.

    `told`: arguments to leave out, because other changes of them were already reported.
    """
    before, after = as_object(old.schema.get("properties")), as_object(new.schema.get("properties"))
    silent = not told
    for name in (each for each in before if each in after and before[each] != after[each]):
        silent = False
        one, two = as_object(before[name]), as_object(after[name])
        if one.get("default") != two.get("default"):
            yield rules.of_tool("argument-default", new.name, one.get("default"), two.get("default"), argument=name)
        elif one.get("description") != two.get("description"):
            yield rules.of_tool(
                "argument-words", new.name, one.get("description"), two.get("description"), argument=name
            )
        elif name not in told:
            same = scope.text(before[name]) == other.text(after[name])
            yield rules.of_tool("argument-words" if same else "argument-written", new.name, argument=name)
    if silent and old.schema != new.schema:
        yield rules.of_tool("arguments-written", new.name)


# -- Changes of results ------------------------------------------------------------------------------------------------


def _results(old: Listed, new: Listed, budget: Budget) -> Iterator[Change]:
    before, after = old.shown.get("outputSchema"), new.shown.get("outputSchema")
    if before == after:
        return
    if before is None or after is None:
        yield rules.of_tool("result-promised" if before is None else "result-unpromised", new.name)
        return
    budget.begin()
    try:
        had, has = _promised(before, budget), _promised(after, budget)
        places = Places(Inclusion()).between(had, has)
        yield from (rules.of_result(new.name, place) for place in places)
        if not places:
            yield rules.of_tool("result-words" if had.text == has.text else "result-written", new.name)
    except Exhausted:
        yield rules.of_tool("result-unproven", new.name)


def _promised(schema: JsonValue, budget: Budget) -> Terms:
    root = as_object(schema)
    return Scope(root, budget).terms(root)


def _jobs(old: Listed, new: Listed) -> Iterator[Change]:
    """Yield changes of a tool's job. A change is breaking if a job was added or removed, if its result comes from
    another place, or if clients can no longer cancel it.
    """
    before, after = _task(old), _task(new)
    if before == after:
        return
    if not before or not after:
        yield rules.of_tool("task-added" if after else "task-removed", new.name)
        return
    if before.get("result") != after.get("result"):
        yield rules.of_tool("task-result", new.name)
    if ("cancel" in before) != ("cancel" in after):
        yield rules.of_tool("task-cancels" if "cancel" in after else "task-cancels-not", new.name)
    others = [key for key in sorted(before.keys() | after.keys()) if key not in ("result", "cancel")]
    if changed := [key for key in others if before.get(key) != after.get(key)] + _rewritten(before, after):
        yield rules.of_tool("task-changed", new.name, after=[*changed])


def _task(tool: Listed) -> JsonObject:
    return as_object(tool.binding.get("task"))


def _rewritten(before: JsonObject, after: JsonObject) -> list[str]:
    """Return the changed keys: `["cancel"]` if both versions can cancel the job, but by different requests; else []."""
    both = "cancel" in before and "cancel" in after
    return ["cancel"] if both and before["cancel"] != after["cancel"] else []


# -- guards ------------------------------------------------------------------------------------------------------------


def _guards(old: Listed, new: Listed) -> Iterator[Change]:
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
