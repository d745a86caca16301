"""Decide how the server follows the job that a tool starts: where the variables of further requests get their
values.
"""

from collections.abc import Collection
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest
from mcpgen.lower.text.prose import shortened
from mcpgen.lower.tool.descriptions import LONGEST
from mcpgen.model import Operation, TaskRule

_TOLD = "It starts a job and waits for its result; if that takes longer, the answer says how to look again."


def told(description: str, rule: TaskRule | None) -> str:
    """Return `description` with a sentence about the job that a call starts. Return it unchanged if `rule` is None."""
    if rule is None:
        return description
    return f"{shortened(description, LONGEST - len(_TOLD) - 1)} {_TOLD}"


# Decision 0228: A tool that starts a job has no output schema.
def derive(operation: Operation, arguments: Collection[str], diagnostics: Diagnostics) -> TaskRule | None:
    """Return the owner's `task` rule. For each variable that is no argument of the tool, a JSON Pointer into the
    response is added.
    """
    rule = operation.decided.task
    if rule is None:
        return None
    needed = {name for request in rule.requests() for name in request.names()}
    for name in sorted(rule.values.keys() - needed):
        message = f"No request of the task has a variable '{clipped(name)}'."
        hint = nearest(name, sorted(needed))
        diagnostics.add("unknown-name", message, rule.where.inside("values", name), hint)
    found = {name: "/" + name.replace("~", "~0").replace("/", "~1") for name in sorted(needed - {*arguments})}
    return replace(rule, values={**found, **{name: rule.values[name] for name in rule.values if name in needed}})
