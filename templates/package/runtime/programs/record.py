# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serialize a model's program that waits for the user's confirmation, together with a record of what it has done so
far.

The bytes contain the state of the sandbox. So they are read only if they come from this process, or after decryption
has proved that this server wrote them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..inner_calls.kept_runs import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CALLS = 50
"""Maximum number of tool calls that one program makes."""

MOST_NOTES = 10


class Record:
    """Record of what a model's program has done.

    `run` is the id of the program's run in the audit log. `state` is the `requestState` of the pending question to the
    user.
    """

    __slots__ = ("calls", "notes", "printed", "run", "state", "writes")

    def __init__(self, run: str) -> None:
        self.run = run
        self.calls = 0
        self.writes: list[str] = []
        self.notes: list[str] = []
        self.printed = ""
        self.state = ""

    def note(self, tool: str, told: str) -> None:
        """Store the additional text of a tool call's result, such as how to request the next page."""
        line = f"{tool}: {told}"
        if line not in self.notes and len(self.notes) < MOST_NOTES:
            self.notes.append(line)

    def done(self) -> str:
        """Return a sentence that lists the write tools that a language model's program has called, or "" if none."""
        if not self.writes:
            return ""
        count = len(self.writes)
        made = "1 write was made" if count == 1 else f"{count} writes were made"
        return f"{made}: {', '.join(self.writes)}."

    def written(self, about: Sequence[str], program: bytes) -> bytes:
        """Return this record of what a model's program has done, and the serialized `program`, as bytes.

        `about`: texts such as the program's code and the sandbox version. `read` refuses the bytes for other texts.
        """
        return packed(about, {name: getattr(self, name) for name in self.__slots__}, program)

    @classmethod
    def read(cls, about: Sequence[str], written: bytes) -> tuple[Record, bytes]:
        """Return the `Record` and the serialized program that the method `written` converted to these bytes.

        Raise kept_runs.OtherRun if `about` differs from the texts that the method `written` got, or if the decompressed
        bytes are too many.
        """
        facts, program = unpacked(about, written)
        record = cls("")
        for name, value in facts.items():
            setattr(record, name, value)
        return record, program
