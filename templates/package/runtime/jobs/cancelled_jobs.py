# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remember which jobs were cancelled, so that a job is cancelled once, and then counts as cancelled.

Many APIs report a cancelled job as failed, or let the job go on for a while. With a store, all replicas remember.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from ..core import spans
from ..core.limits import displaced

if TYPE_CHECKING:
    from ..calls.services import Lasting
    from ..http_server.handles import Sharing
    from .jobs import Job

    Held = dict[str, tuple[str, float]]

MOST = 10_000
"""Maximum number of jobs that are remembered. Of a forgotten job, only the API's own words decide."""


class CancelledJobs:
    """Memory of cancelled jobs. `held`: digest of a job -> caller, and the Unix time at which its task expires."""

    def __init__(self, held: Held, shared: Sharing | None) -> None:
        self._held = held
        self._shared = shared

    @classmethod
    def of_server(cls, lasting: Lasting) -> CancelledJobs:
        """Return the memory of one server, which stays when the tools are loaded again."""
        return cls({}, lasting.shared)

    async def has(self, job: Job) -> bool:
        """Return whether the job was cancelled."""
        name = _name(job)
        return name in self._held or (self._shared is not None and await self._shared.kept(name) is not None)

    async def claim(self, job: Job) -> bool:
        """Return True if the job may be cancelled now, False if it was cancelled or is being cancelled."""
        name = _name(job)
        if name in self._held:
            return False
        self._held[name] = spans.owner(), job.until
        if len(self._held) > MOST:
            self._make_room(name)
        return self._shared is None or await self._shared.kept(name) is None

    async def keep(self, job: Job) -> None:
        """Remember for all replicas that the API has accepted to cancel the job."""
        if self._shared is not None:
            await self._shared.keep(_name(job), "", True, [], max(job.until - time.time(), 1.0))

    def release(self, job: Job) -> None:
        """Forget a job that could not be cancelled."""
        self._held.pop(_name(job), None)

    def _make_room(self, latest: str) -> None:
        now = time.time()
        for name in [name for name, (_, until) in self._held.items() if until <= now]:
            del self._held[name]
        held = ((name, owner, 1) for name, (owner, _) in self._held.items())
        for name in displaced(held, latest, MOST, 2 * MOST):
            del self._held[name]


def _name(job: Job) -> str:
    return f"cancelled:{hashlib.sha256(job.written()).hexdigest()}"
