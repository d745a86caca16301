# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the report of a workflow that failed, from which a model or a person can do the rest by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..text.sanitize import brief, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..tables.workflow import WorkflowStep

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
