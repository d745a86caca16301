# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Create random ids of spans and traces.

One system call returns random bytes for many ids, since system calls take time.
"""

from __future__ import annotations

import os

_AT_ONCE = 256


class Ids:
    """Source of random ids of a given number of bytes, in hexadecimal. Thread-safe."""

    __slots__ = ("_bytes", "_ready")

    def __init__(self, size: int) -> None:
        self._bytes = size
        self._ready: list[str] = []
        if hasattr(os, "register_at_fork"):  # a forked process must not use the same ids; Windows has no fork
            os.register_at_fork(after_in_child=self._ready.clear)

    def take(self) -> str:
        """Return an id that was not returned before. It is never 0, which W3C Trace Context forbids."""
        try:
            return self._ready.pop()
        except IndexError:
            zero = text = "0" * 2 * self._bytes
            while zero in text:
                text = os.urandom(self._bytes * _AT_ONCE).hex(" ", self._bytes)
            first, *others = text.split()
            self._ready.extend(others)
            return first


SPANS, TRACES = Ids(8), Ids(16)
