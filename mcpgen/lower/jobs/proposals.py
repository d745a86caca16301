"""Write a `task` for the tools file, with which the server would follow a job: work that goes on after the response."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, compact, without_empty
from mcpgen.base.names import clipped
from mcpgen.lower.jobs.requests import Look
from mcpgen.lower.jobs.states import State
from mcpgen.model import Accepted, Operation
from mcpgen.model.pins import Slot

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"[A-Za-z_][\w .-]*")


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a tool. `names`: slot (place in the request, parameter name) → argument. `taken`: all argument
    names in use.
    """

    names: Mapping[Slot, str]
    taken: Collection[str]

    def target(self, path: str) -> str:
        """Return `path` with the variables of the operation replaced by the names of the tool's arguments."""
        return _VARIABLE.sub(lambda match: f"{{{self.names.get(('path', match[1]), match[1])}}}", path)


def job(look: Look, arguments: Arguments) -> Accepted:
    """Return the job whose state the request `look` reads, with a `task` for the tools file that polls by `look`.

    The `task` is {} if no condition of a `task` can test the state.
    """
    poll = f"GET {arguments.target(look.target)}"
    if look.state is not None and not look.state.pointer:
        return Accepted("job", poll)
    told = {name: at for name, at in look.values.items() if at != f"/{name}" or name in arguments.taken}
    further = without_empty(
        result=look.result and f"GET {arguments.target(look.result)}",
        cancel=look.cancel and f"POST {arguments.target(look.cancel)}",
    )
    return Accepted("job", poll, {"poll": poll, **without_empty(values=told), **ends(look.state), **further})


def at_url(pointer: str, read: Accepted | None) -> Accepted:
    """Return the job whose URL is at `pointer` in the response, with a new `task` (a key of tools files) that polls
    this URL.

    `read`: the same job with a `task` that polls by a GET operation of the document, or None if there is none. All keys
    of that `task`, such as `done` and `failed`, are copied to the new `task`, except `poll`. `values` is copied only
    with `result` or `cancel`.
    """
    task: JsonObject = {**(read.task if read is not None else {}), "poll": pointer}
    if "result" not in task and "cancel" not in task:
        task.pop("values", None)
    return Accepted("job", pointer, task)


def ends(state: State | None) -> JsonObject:
    """Return the conditions of a `task` that say when its job has ended (`done`, `failed`).

    Return {} if `state`, the member that shows the job's state, is None or cannot be written as a condition.
    """
    if state is None or " " in state.pointer or not all(map(_WORD.fullmatch, (*state.done, *state.failed))):
        return {}
    if not state.is_word:
        return {"done": state.pointer}
    found: JsonObject = {}
    for key, words in (("done", state.done), ("failed", state.failed)):
        if words:
            found[key] = f"{state.pointer} == {', '.join(words)}"
    return found


def report(accepted: Accepted, operation: Operation, diagnostics: Diagnostics) -> None:
    """Report an operation whose job the server could follow. The hint contains the override that makes the server
    follow it.
    """
    if accepted.task:
        request = f"{operation.method} {operation.path}"
        message = f"{clipped(request)} may answer before its work has ended; {_told(accepted)}."
        override = f"{compact(request)}: {{task: {written(accepted.task)}}}"
        hint = f"To let the server follow the job, write under `overrides`: {override}"
        diagnostics.add("job-recognised", message, operation.where, hint)


def _told(accepted: Accepted) -> str:
    if accepted.kind == "again":
        return "the same request brings the result later"
    look = accepted.look
    if look.startswith("GET "):
        return f"{clipped(look)} shows when the work has ended"
    return f"its response says where to look ({clipped(look)})"


def written(task: JsonObject) -> str:
    """Return the value of a tools file's key `task` as one line of YAML."""
    parts = (f"{key}: {written(each) if isinstance(each, dict) else compact(each)}" for key, each in task.items())
    return f"{{{', '.join(parts)}}}"
