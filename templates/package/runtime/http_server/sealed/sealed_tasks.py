# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make ids of MCP tasks over HTTP. An id is encrypted for the caller that began the task; any replica can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core import spans
from .seal import Expired, Unsealed

if TYPE_CHECKING:
    from .seal import Seal

_PURPOSE = "task"


class SealedTasks:
    """Encoder and decoder of MCP task ids. Each id contains an encrypted job."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def issue(self, job: bytes, seconds: float) -> str:
        """Return a task id that contains `job`, encrypted. The id is valid for `seconds` seconds, for the caller of the
        current request.
        """
        return self._seal.close(_PURPOSE, spans.owner(), job, seconds)

    def open(self, id: str) -> tuple[bytes, str]:  # noqa: A002
        """Return the job that a task id contains, and the reason "".

        If the id is invalid, the job is b"", and the reason is `unknown` or `expired`.
        """
        try:
            return self._seal.open(_PURPOSE, spans.owner(), id), ""
        except Unsealed:
            return b"", "unknown"
        except Expired:
            return b"", "expired"
