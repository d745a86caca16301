"""Decide how the server follows the job that a tool starts: where the variables of later requests about the job, such
as those for its state, get their values.
"""

from collections.abc import Collection
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import pointer
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Operation, TaskRule

_TOLD = "It starts a job and waits for its result; if the job takes too long, the answer says how to get it later."
_TOLD_TASKS = "It starts a job, which the client follows as a task."


def sentence(rule: TaskRule | None, requires: Collection[str]) -> str:
    """Return what a tool's description says of the job that a call starts, or "" if `rule` is None.

    `requires`: capabilities that the tool requires of clients.
    """
    if rule is None:
        return ""
    return _TOLD_TASKS if "tasks" in requires else _TOLD


# A tool with `task` has no output schema: the API's first response, the result of the job, and the sentence that says
# how to ask later would all have to match it.
def derive(operation: Operation, arguments: Collection[str], diagnostics: Diagnostics) -> TaskRule | None:
    """Return the `task` rule that the tools file contains for the operation, or None if there is none.

    Variables of the rule's requests take their values from the response, by the JSON Pointers in the rule's `values`,
    or from the tool's arguments. For any other variable, a pointer to the response member with its name is added.
    """
    rule = operation.decided.task
    if rule is None:
        _check_no_tasks(operation, diagnostics)
        return None
    needed = {name for request in rule.requests() for name in request.names()}
    for name in sorted(rule.values.keys() - needed):
        message = f"No request under `task` has a variable '{clipped(name)}'."
        hint = nearest(name, sorted(needed))
        diagnostics.add("unknown-name", message, rule.where.inside("values", name), hint)
    found = {name: pointer("", name) for name in sorted(needed - {*arguments})}
    return replace(rule, values={**found, **{name: rule.values[name] for name in rule.values if name in needed}})


def _check_no_tasks(operation: Operation, diagnostics: Diagnostics) -> None:
    """Report `requires: [tasks]` on an operation whose calls never become tasks."""
    if "tasks" in (operation.decided.requires or ()):
        message = "`requires: [tasks]` is for tools whose calls become tasks, and this tool has no `task`."
        hint = "Add a `task` that says how the job is followed, or remove `tasks` from `requires`."
        diagnostics.add("invalid-value", message, operation.where, hint)
