# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write down a program that waits for its user, and what it has done so far.

The bytes hold the program as the sandbox stands, so they are read only after they were unsealed, or from this process.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING, Any

from ..core.jsontext import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CALLS = 50
"""Most calls that one program makes."""

LARGEST = 128 * 2**20
"""Largest program in bytes that is read again."""

MOST_NOTES = 10


class OtherProgram(Exception):
    """Raised if what was written down is of another program, another table, or another sandbox."""


class Record:
    """What a run has done. `run` is its id in the audit log. `state` belongs to the question to the user."""

    __slots__ = ("calls", "notes", "printed", "run", "state", "writes")

    def __init__(self, run: str) -> None:
        self.run = run
        self.calls = 0
        self.writes: list[str] = []
        self.notes: list[str] = []
        self.printed = ""
        self.state = ""

    def note(self, tool: str, told: str) -> None:
        """Keep what a result told beside its value, such as how to get the next page."""
        line = f"{tool}: {told}"
        if line not in self.notes and len(self.notes) < MOST_NOTES:
            self.notes.append(line)

    def done(self) -> str:
        """Return a sentence on the writes that were made, or ""."""
        if not self.writes:
            return ""
        count = len(self.writes)
        made = "1 write was made" if count == 1 else f"{count} writes were made"
        return f"{made}: {', '.join(self.writes)}."

    def written(self, about: Sequence[str], program: bytes) -> bytes:
        """Return all of this and the program as bytes. `about` is what must be the same when they are read."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return zlib.compress(dumps([_digest(about), told]) + b"\n" + program)

    @classmethod
    def read(cls, about: Sequence[str], written: bytes) -> tuple[Record, bytes]:
        """Return what was written down, and the program. Raises OtherProgram."""
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
