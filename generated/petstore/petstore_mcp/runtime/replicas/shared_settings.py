# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Keep the notification settings of sessions in the store, so that replicas that start later learn them.

The store has one hash for each session. Each field holds the request by which the client made one setting, encrypted.
So replicas that change different settings of a session at the same time do not overwrite each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import log
from ..core.jsonrpc import dumps, loads
from ..http_server.sealed.away import StoreAway
from ..http_server.sealed.seal import Unsealed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ..http_server.sealed.seal import Seal
    from .store import Store

_LISTED = "settings"
_LACK = "A replica that starts later does not know which notifications a session wants"
MOST = 10_000
"""Largest number of sessions whose settings are in the store. Beyond it, those that changed longest ago are dropped."""

LONGEST = 1024
"""Longest request in bytes that is stored. A longer one names a resource by a very long URI."""


# MCP cannot give a session a new id, so settings that its client makes later are shared through the store
# (docs/decisions/http.md).
class SharedSettings:
    """Access of one replica to the notification settings of all sessions. `seal` encrypts them."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self._store = store
        self._seal = seal

    async def put(self, session: str, digest: str, name: str, line: bytes | None, seconds: float) -> None:
        """Store `line`, the request that made the setting `name` of a session. If `line` is None, remove the setting.

        `digest`: name of the session in the store. `seconds`: lifetime of the session.
        """
        about, now = _about(digest), self._seal.now()
        try:
            if line is None:
                await self._store.drop_field(about, name)
            elif len(line) > LONGEST:
                log.seldom("warning", "not_shared", reason=f"{_LACK}: the request has more than {LONGEST:,} bytes.")
            else:
                sealed = self._seal.encrypt(about, "", dumps([session, line.decode()]))
                await self._store.put_field(about, name, sealed, seconds)
                await self._store.enlist(_LISTED, digest, now, now + seconds)
                for each in await self._store.first(_LISTED, MOST):
                    await self.drop(each)
        except StoreAway:
            log.seldom("warning", "not_shared", reason=f"{_LACK}: the store did not answer.")

    async def drop(self, digest: str) -> None:
        """Remove all settings of a session. Raise StoreAway if the store does not answer."""
        await self._store.drop(_about(digest), listed=(_LISTED, digest))

    async def read(self) -> AsyncIterator[tuple[str, bytes]]:
        """Yield a pair for each notification setting: the session's id, and the request by which the client made it.

        Raise StoreAway if the store does not answer.
        """
        for digest in await self._store.members(_LISTED, self._seal.now()):
            about = _about(digest)
            for sealed in await self._store.fields(about):
                try:
                    told: Any = loads(self._seal.decrypt(about, "", sealed).decode())[0]
                except Unsealed:  # skip the setting: no key of this replica decrypts it
                    continue
                yield told[0], told[1].encode()


def _about(digest: str) -> str:
    """Return the key under which the store holds the settings of a session."""
    return f"settings:{digest}"
