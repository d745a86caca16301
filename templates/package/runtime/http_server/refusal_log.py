# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Log each value of the header fields `Host` and `Origin` that is refused, but only once."""

from __future__ import annotations

from ..core import log

_MOST = 100  # maximum number of logged refusals, since a caller could send any number of hosts and origins


class RefusalLog:
    """Log of refused hosts and origins, which contains each only once."""

    def __init__(self) -> None:
        self._noted: set[str] = set()

    def note(self, fields: dict[str, str]) -> None:
        """Log a refused `Host` or `Origin`, and the setting that would allow it. Do nothing if it was logged before."""
        told = repr(fields)
        if told not in self._noted and len(self._noted) < _MOST:
            self._noted.add(told)
            log.event("warning", fields.pop("event"), **fields)
