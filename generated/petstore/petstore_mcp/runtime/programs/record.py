# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serialize a model's program that waits for the user's confirmation, together with a record of what it has done so
far.

The bytes contain the state of the sandbox. So they are read only if they come from this process, or after decryption
has proved that this server wrote them.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CALLS = 50
"""Maximum number of tool calls that one program makes."""

LARGEST = 128 * 2**20
"""Maximum size in bytes of a decompressed program."""

MOST_NOTES = 10


class OtherProgram(Exception):
    """Raised if stored bytes do not hold the expected program, or come from other generated files or another sandbox
    version. Also raised if they are too large.
    """


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
        told = {name: getattr(self, name) for name in self.__slots__}
        return zlib.compress(dumps([_digest(about), told]) + b"\n" + program)

    @classmethod
    def read(cls, about: Sequence[str], written: bytes) -> tuple[Record, bytes]:
        """Return the `Record` and the serialized program that the method `written` converted to these bytes.

        Raise OtherProgram if `about` differs from the texts that the method `written` got, or if the decompressed
        bytes exceed LARGEST.
        """
        unpacked = zlib.decompressobj()
        whole = unpacked.decompress(written, LARGEST)
        head, _, program = whole.partition(b"\n")
        found: Any = loads(head.decode())[0]
        if found[0] != _digest(about) or unpacked.unconsumed_tail:
            raise OtherProgram
        record = cls("")
        for name, value in found[1].items():
            setattr(record, name, value)
        return record, program


def _digest(about: Sequence[str]) -> str:
    return hashlib.sha256(dumps(list(about))).hexdigest()
