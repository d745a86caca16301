# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Lock between processes, so that two servers do not use the same refresh token at the same time.

Many authorization servers return a new refresh token with each response, and refuse the former one. The lock is a file
that the system locks. The system releases the lock when the process that holds it ends.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from .errors import LoginFailed
from .token_store import folder, make_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SECONDS = 60.0
"""Maximum number of seconds to wait for the lock: twice as long as the longest usual token request."""

_PAUSE = 0.05


@asynccontextmanager
async def locked(server: str, seconds: float = SECONDS) -> AsyncIterator[None]:
    """Hold the lock on a server's logins.

    Raise LoginFailed if another process holds the lock for too long, or if the lock file cannot be created.
    """
    path = os.path.join(folder(server), "lock")
    make_folder(path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        raise LoginFailed(f"The lock file {path} cannot be opened.") from None
    try:
        for _ in range(max(int(seconds / _PAUSE), 1)):
            if _take(descriptor):
                break
            await asyncio.sleep(_PAUSE)
        else:
            raise LoginFailed("Another process renews this login and does not finish.")
        yield
    finally:
        os.close(descriptor)  # closing the file releases the lock


def _take(descriptor: int) -> bool:
    """Return True if the lock was free and this process has now taken it."""
    try:
        if os.name == "nt":
            import msvcrt  # imported here: only Windows has this module

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            import fcntl  # imported here: Windows lacks this module

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
