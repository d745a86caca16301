"""What the fuzz has found, smallest first: each is said again in every run of the suite."""

from __future__ import annotations

from tests.hostile.fuzz.answers import Case

LINES: dict[str, list[bytes]] = {}
"""The lines of a client by what was wrong."""

ANSWERS: dict[str, list[Case]] = {
    "UTF-16 without a byte order mark that is too large to be shown broke the call": [
        Case(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-16\r\nContent-Length: 80000\r\n\r\n"
            + b"x\0" * 40_000,
            0,
        )
    ],
}
"""The answers of an upstream by what was wrong."""
