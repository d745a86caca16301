"""Compare how the server follows the jobs that a tool starts (`task` in the tools file)."""

from collections.abc import Iterator

from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.regenerate.diff import rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Listed


def compared(old: Listed, new: Listed) -> Iterator[Change]:
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
