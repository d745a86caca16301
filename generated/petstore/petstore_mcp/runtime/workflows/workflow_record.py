# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Record what a workflow has done so far. From the record, a workflow that waits goes on, and one that failed is
reported, so that a model or a person can do the rest by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..inner_calls.kept_runs import packed, unpacked
from ..text.sanitize import brief, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..tables.workflow import WorkflowStep

PREFIX = "workflow."
"""Prefix of the `requestState` of a workflow that waits. Its user has confirmed it before, if that was needed."""

LONGEST_REASON = 2000
LONGEST_ARGUMENTS = 500
MOST_SHOWN = 50
"""Limits on the texts of a report: characters of a reason and of arguments, and calls in one list."""

DONE, FAILED, UNKNOWN, UNDONE, LEFT = "done", "failed", "unknown", "undone", "not undone"
"""States of a call: a call in the state UNKNOWN was sent, and nobody knows if it had an effect."""

_HEADINGS = {
    DONE: "Done, and still in effect:",
    UNKNOWN: "Sent, but without an answer that says whether it was done. Look before you repeat it:",
    FAILED: "Failed, without effect as far as the answer says:",
    UNDONE: "Done, and undone again:",
    LEFT: "Could not be undone:",
}


class Record:
    """Record of one run of a workflow. All attributes are JSON values, so that any replica can continue the run.

    - `place`: index of the step that runs, or that waits for the user.
    - `steps`: id of a step that has succeeded -> its outputs. `workflows`: workflow -> its `inputs` and `outputs`.
    - `items`: outputs for the items that a step with `each` has finished.
    - `retries`: place in `onFailure` of the step that runs -> how often this action has been taken.
    - `before`: `step` or `tool` to call before the step is retried. `transfer`: the workflow to call after it, or {}.
    - `calls`: number of calls made. `size`: size in bytes of all outputs. `spent`: seconds, without the user's.
    - `made`: calls for the report, in their order: `step`, `tool`, `state`, and for a write `arguments`.
    - `undo`: calls that take back what was done, the last one last: `step`, `tool`, `arguments`.
    - `failed`: why the workflow failed, or "". While it is set, the calls in `undo` are made.
    - `is_agreed`: True if the user has confirmed the whole workflow.
    - `state`: the `requestState` of the question at which the workflow waits.
    - `run`: text that identifies the run: another replica that repeats its calls sends the same idempotency keys.
    """

    __slots__ = (
        "before",
        "calls",
        "failed",
        "is_agreed",
        "items",
        "made",
        "place",
        "retries",
        "run",
        "size",
        "spent",
        "state",
        "steps",
        "transfer",
        "undo",
        "workflows",
    )

    def __init__(self) -> None:
        self.place = 0
        self.steps: dict[str, dict[str, Any]] = {}
        self.workflows: dict[str, dict[str, dict[str, Any]]] = {}
        self.items: list[dict[str, Any]] = []
        self.retries: dict[str, int] = {}
        self.before: dict[str, Any] = {}
        self.transfer: dict[str, Any] = {}
        self.calls = 0
        self.size = 0
        self.spent = 0.0
        self.made: list[dict[str, Any]] = []
        self.undo: list[dict[str, Any]] = []
        self.failed = ""
        self.is_agreed = False
        self.state = ""
        self.run = ""

    def written(self, about: Sequence[str]) -> bytes:
        """Return the record as bytes. `about`: texts that the run belongs to, such as its arguments."""
        return packed(about, {name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def read(cls, about: Sequence[str], written: bytes) -> Record:
        """Return the record in these bytes. Raise kept_runs.OtherRun if they belong to another run."""
        record = cls()
        for name, value in unpacked(about, written)[0].items():
            setattr(record, name, value)
        return record


def failure(name: str, reason: str, made: Sequence[dict[str, Any]], left: Iterable[WorkflowStep]) -> str:
    """Return the report of a workflow that failed.

    `made`: the calls that it made, as in a record. `left`: the steps that it did not come to.
    """
    lines = [f"{name} was not completed. {reason[:LONGEST_REASON]}"]
    writes = [each for each in made if "arguments" in each]
    for state, heading in _HEADINGS.items():
        lines += _listed(heading, [_call(each) for each in writes if each["state"] == state])
    if not writes:
        lines.append("Nothing was changed.")
    reads = [each["step"] for each in made if "arguments" not in each and each["state"] == DONE]
    lines += _listed("Read:", [", ".join(dict.fromkeys(reads))] if reads else [])
    lines += _listed("Not done:", [f"{step['id']} ({step['tool']})" for step in left])
    if any(each["state"] in (DONE, UNKNOWN, LEFT) for each in writes):
        lines.append("What is still in effect must be undone or completed by other calls; a repeated call begins anew.")
    return "\n".join(lines)


def _listed(heading: str, entries: list[str]) -> list[str]:
    more = [f"- and {len(entries) - MOST_SHOWN} more"] if len(entries) > MOST_SHOWN else []
    return [heading, *(f"- {entry}" for entry in entries[:MOST_SHOWN]), *more] if entries else []


def _call(made: dict[str, Any]) -> str:
    """Return a line about a write: its step, its tool with its arguments, and what is known of its result."""
    arguments = brief(written(made["arguments"]), LONGEST_ARGUMENTS)
    told = f": {brief(made['told'], LONGEST_ARGUMENTS)}" if made.get("told") else ""
    return f"{made['step']}: {made['tool']} {arguments}{told}"
