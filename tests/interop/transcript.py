"""Read the lines that one client and one server process exchanged, as `recorder.py` has recorded them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.interop.messages import Exchange, Message


class Entry(NamedTuple):
    """One line of a transcript. `sender`: `client`, `server` or `stderr`."""

    sender: str
    line: bytes


class Transcript(NamedTuple):
    """All lines of one process in order, and its exit code, if the recorder saw it."""

    entries: Sequence[Entry]
    code: int | None

    def said(self, sender: str) -> list[bytes]:
        return [entry.line for entry in self.entries if entry.sender == sender]

    def requests(self) -> list[dict[str, Any]]:
        """Return the client's requests, in order."""
        return [message for message in map(json.loads, self.said("client")) if "method" in message and "id" in message]

    def messages(self, changes: bool = False) -> list[Message]:
        """Check all messages of the server by the rules of MCP in messages.py, and return the messages.

        Raise AssertionError if a message breaks a rule, or a response is missing.
        """
        exchange = Exchange(changes)
        found = []
        for entry in self.entries:
            if entry.sender == "client":
                exchange.heard(entry.line)
            elif entry.sender == "server":
                found.append(exchange.judged(entry.line))
        exchange.ended()
        return found


def read(folder: Path) -> list[Transcript]:
    """Return the transcripts in a folder, ordered by the time at which they begin."""
    return [
        _transcript(map(json.loads, path.read_text("ascii").splitlines())) for path in sorted(folder.glob("*.jsonl"))
    ]


def _transcript(lines: Iterable[dict[str, Any]]) -> Transcript:
    entries, code = [], None
    for line in lines:
        if "exit" in line:
            code = line["exit"]
        else:
            entries.append(Entry(line["from"], line["line"].encode("latin-1")))
    return Transcript(entries, code)
