"""List the faults that the fuzz has found, with reduced inputs. Every run of the suite tests them again."""

from __future__ import annotations

from tests.hostile.fuzz.answers import Case

_HELLO = b'{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"f","version":"1"}}'
LINES: dict[str, list[bytes]] = {
    "a batch of too many was taken for one of which nobody is answered": [
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":%b}' % _HELLO,
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b"[" + b",".join(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % (number // 2) for number in range(103)) + b"]",
    ]
}
"""Description of a fault → the client's lines that showed it."""

ANSWERS: dict[str, list[Case]] = {
    "UTF-16 without a byte order mark that is too large to be shown broke the call": [
        Case(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-16\r\nContent-Length: 80000\r\n\r\n"
            + b"x\0" * 40_000,
            0,
        )
    ],
    "a text that is larger in UTF-8 than in its own encoding was shown whole": [
        Case(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-16\r\nContent-Length: 30000\r\n\r\n"
            + b"xx" * 15_000,
            0,
        )
    ],
    "a text of which nothing can be seen became an empty block": [
        Case(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: 2\r\n\r\n\3\0", 0)
    ],
}
"""Description of a fault → the upstream's response that showed it."""
