# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Record what a workflow has done so far. From the record, a paused workflow goes on, and a report is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..inner_calls.kept_runs import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence


class Record:
    """Record of one run of a workflow. All attributes are JSON values, so that any replica can continue the run.

    - `place`: index of the step that runs, or that waits for the user.
    - `steps`: id of a step that has succeeded -> its outputs. `workflows`: workflow -> its `inputs` and `outputs`.
    - `items`: outputs for the items that a step with `each` has finished. `retries`: of the step that runs.
    - `before`: `step` or `tool` to call before the step is retried. `transfer`: the workflow to call after it, or "".
    - `calls`: number of calls made. `size`: size in bytes of all outputs. `spent`: seconds, without the user's.
    - `made`: calls for the report, in their order: `step`, `tool`, `state`, and for a write `arguments`.
    - `undo`: calls that take back what was done, the last one last: `step`, `tool`, `arguments`.
    - `failed`: why the workflow failed, or "". While it is set, the calls in `undo` are made.
    - `is_agreed`: True if the user has confirmed the whole workflow.
    - `state`: the `requestState` of the question at which the workflow waits.
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
        self.retries = 0
        self.before: dict[str, str] = {}
        self.transfer = ""
        self.calls = 0
        self.size = 0
        self.spent = 0.0
        self.made: list[dict[str, Any]] = []
        self.undo: list[dict[str, Any]] = []
        self.failed = ""
        self.is_agreed = False
        self.state = ""

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
