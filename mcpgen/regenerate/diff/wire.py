"""Compare those parts of a tool's requests that callers do not see: method, path, styles, constants.

Changes of these parts break no caller, because the server sends what the API expects.
"""

from collections.abc import Iterator

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.regenerate.diff import rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed

_PLACES = ("path", "query", "querystring", "headers", "cookies")
_ELSEWHERE = (
    "name", "operation", "method", "server", "body", "accept", "security", "scopes", "callerScopes", "confirm", "ask",
    "open", "nullable",
)  # fmt: skip
_KNOWN = frozenset((*_ELSEWHERE, *_PLACES, "timeout", "requires", "task", "fields", "result", "withheld", "saves"))
"""Keys of a binding that have their own comparison, in this module or another one. The values of all other keys are
only compared for equality.
"""

_OF_BODY = ("contentType", "encoding", "required", "xml", "needs")
Slot = tuple[str, str]
"""Where a value goes: the place in the request (such as `query`), and the name there."""


def compared(old: Listed, new: Listed, *, moved: bool) -> Iterator[Change]:
    """Yield the changes in a tool's request, timeout and required client capabilities.

    `moved`: True if a new method or path was already reported, so that it is not reported again.
    """
    yield from _constants(old, new)
    yield from _workflows(old, new)
    if old.binding.get("timeout") != new.binding.get("timeout"):
        yield rules.of_tool("timeout", new.name, old.binding.get("timeout"), new.binding.get("timeout"))
    needs, needed = (as_list(tool.binding.get("requires")) for tool in (new, old))
    if needs != needed:
        code = "client-requires" if set(map(str, needs)) - set(map(str, needed)) else "client-requires-less"
        yield rules.of_tool(code, new.name, needed or "nothing", needs or "nothing")
    if parts := [part for part in dict.fromkeys(_parts(old, new)) if not (moved and part in ("method", "path"))]:
        yield rules.of_tool("request", new.name, after=[*parts])


def _workflows(old: Listed, new: Listed) -> Iterator[Change]:
    """Yield the changes in what a workflow calls, and in the outputs that it names."""
    before, after = (as_object(tool.binding.get("workflow")) for tool in (old, new))
    if not (before and after):
        return
    called, calling = _called(before), _called(after)
    if called != calling:
        yield rules.of_tool("workflow-calls", new.name, called, calling)
    had, has = as_object(before.get("outputs")).keys(), as_object(after.get("outputs")).keys()
    if gone := sorted(had - has):
        yield rules.of_tool("workflow-outputs-removed", new.name, before=[*gone])
    if more := sorted(has - had):
        yield rules.of_tool("workflow-outputs-added", new.name, after=[*more])


def _called(workflow: JsonObject) -> list[JsonValue]:
    """Return the names of the tools that the steps of a workflow call, also to undo something, sorted."""
    steps = [as_object(step) for step in as_list(workflow.get("steps"))]
    return [*sorted({as_text(each["tool"]) for step in steps for each in (step, as_object(step.get("undo"))) if each})]


def _parts(old: Listed, new: Listed) -> Iterator[str]:
    """Yield the name of each part of the request that differs for the same arguments, such as `method` or `body`."""
    if old.binding.get("method") != new.binding.get("method"):
        yield "method"
    if _literals(old) != _literals(new):
        yield "path"
    had, has = dict(_entries(old)), dict(_entries(new))
    yield from (slot[0] for slot in had if slot in has and _style(had[slot]) != _style(has[slot]))
    before, after = slots(old), slots(new)
    yield from (after[name][0] for name in before if name in after and before[name] != after[name])
    bodies = [as_object(tool.binding.get("body")) for tool in (old, new)]
    if all(bodies) and any(bodies[0].get(key) != bodies[1].get(key) for key in _OF_BODY):
        yield "body"
    if old.binding.get("accept") != new.binding.get("accept"):
        yield "accepted media types"
    others = sorted((old.binding.keys() | new.binding.keys()) - _KNOWN)
    yield from (key for key in others if old.binding.get(key) != new.binding.get(key))
    if _shown(old) != _shown(new):
        yield "result"


def _shown(tool: Listed) -> JsonObject:
    """Return the rules by which the tool changes results, except `remove`, which the module `guards` compares."""
    return {key: value for key, value in as_object(tool.binding.get("result")).items() if key != "remove"}


def _literals(tool: Listed) -> list[JsonValue]:
    return [part if isinstance(part, str) else None for part in as_list(tool.binding.get("path"))]


def _style(entry: JsonObject) -> JsonObject:
    return {key: value for key, value in entry.items() if key not in ("argument", "value", "name")}


def slots(tool: Listed) -> dict[str, Slot]:
    """Return argument → the place and the name of its value in the request."""
    return {
        as_text(entry["argument"]): slot for slot, entry in _entries(tool) if isinstance(entry.get("argument"), str)
    }


def _constants(old: Listed, new: Listed) -> Iterator[Change]:
    had, has = _values(old), _values(new)
    for slot in sorted(had.keys() | has.keys()):
        if slot not in had or slot not in has or had[slot] != has[slot]:
            code = "constant-added" if slot not in had else "constant-removed" if slot not in has else "constant"
            yield rules.of_tool(code, new.name, had.get(slot), has.get(slot), at=slot[1])


def _values(tool: Listed) -> dict[Slot, JsonValue]:
    return {slot: entry["value"] for slot, entry in _entries(tool) if "value" in entry}


def _entries(tool: Listed) -> Iterator[tuple[Slot, JsonObject]]:
    for place in _PLACES:
        for position, part in enumerate(as_list(tool.binding.get(place))):
            entry = as_object(part)
            if entry:  # identify a path variable by its position, and ignore its name
                yield (place, str(position) if place == "path" else as_text(entry.get("name"))), entry
    body = as_object(tool.binding.get("body"))
    yield ("body", ""), {"argument": body.get("argument")}
    yield ("body", "*"), {"argument": body.get("rest")}
    for entry in map(as_object, as_list(body.get("fields"))):
        name = as_text(entry.get("name"))
        yield ("body", name), entry
        yield ("file name", name), {"argument": entry.get("filename")}
