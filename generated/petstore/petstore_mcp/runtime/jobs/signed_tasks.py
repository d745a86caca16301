# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sign the ids of MCP tasks over stdio, so that the client can store an id, but cannot make or change one.

The signing key is derived from the server's name and credentials. So an id stays valid after a restart of the process.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING

from ..settings.credentials import sensitive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..core.catalog import Catalog
    from ..settings.settings import Settings

_SIGNATURE, _EXPIRY = 16, 5


def key(server: str, secrets: Iterable[str]) -> bytes:
    """Return the signing key for a server with the name `server` and the credentials `secrets`."""
    found = hashlib.sha256(b"mcpgen tasks, version 1\0" + server.encode())
    for secret in sorted(filter(None, secrets)):
        found.update(b"\0" + secret.encode("utf-8", "surrogatepass"))
    return found.digest()


def of_server(catalog: Catalog, settings: Settings) -> SignedTasks:
    """Return the encoder and decoder of one server's MCP task ids."""
    return SignedTasks(key(catalog.name, sensitive(catalog.security, settings)), time.time)


# The key comes from the credentials: a random key would end all tasks at a restart, and a key file would be one more
# secret. A forged id is useful only for sending requests with these credentials.
class SignedTasks:
    """Encoder and decoder of MCP task ids. Each id contains a job and a signature. `clock()` returns Unix time in
    seconds.
    """

    def __init__(self, key: bytes, clock: Callable[[], float]) -> None:
        self._key = key
        self._clock = clock

    def issue(self, job: bytes, seconds: float) -> str:
        """Return an MCP task id that contains `job`, encoded and signed, and is valid for `seconds` seconds."""
        body = int(self._clock() + seconds).to_bytes(_EXPIRY, "big") + job
        return urlsafe_b64encode(self._signature(body) + body).rstrip(b"=").decode()

    def open(self, id: str) -> tuple[bytes, str]:  # noqa: A002
        """Return the job in an MCP task id, and the reason "".

        If the id is invalid, the job is b"", and the reason is `unknown` or `expired`.
        """
        try:
            whole = urlsafe_b64decode(id.encode("ascii") + b"=" * (-len(id) % 4))
        except ValueError:  # ValueError includes UnicodeEncodeError and binascii.Error
            return b"", "unknown"
        signature, body = whole[:_SIGNATURE], whole[_SIGNATURE:]
        canonical = urlsafe_b64encode(whole).rstrip(b"=").decode() == id
        if not canonical or not hmac.compare_digest(signature, self._signature(body)):
            return b"", "unknown"
        if int.from_bytes(body[:_EXPIRY], "big") <= self._clock():
            return b"", "expired"
        return body[_EXPIRY:], ""

    def _signature(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256")[:_SIGNATURE]
