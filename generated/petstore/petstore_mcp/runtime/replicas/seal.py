# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encrypt what a client keeps for the server and sends back later: session ids, states of confirmations, URIs of kept
results. Such an encrypted text is called a handle here; sealing makes one, and opening decrypts it.

A handle contains what a replica needs to go on, encrypted and authenticated (AES-256-GCM, NIST SP 800-38D). So any
replica with the same key can serve a handle that another one made. Purpose, server and owner are associated data. A
handle for another purpose, server or owner fails just like a forged one, and the failures cannot be told apart.

A handle is base64url, without padding, of these parts:

- 12 bytes of nonce
- encrypted: the second of expiry (Unix time) in 4 bytes, and the value
- 16 bytes of authentication tag

The AES keys are derived from the operator's secrets by HKDF (RFC 5869), once, when the server starts. The first secret
seals, and all secrets open. So a key can be replaced without a moment at which handles are refused.
"""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

if TYPE_CHECKING:
    from collections.abc import Callable

NONCE, TAG, EXPIRY = 12, 16, 4
LONGEST = 8192
"""Longest handle in characters that is examined, unless its purpose allows more."""

_INFO = b"mcpgen handles, version 1"
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


class Unsealed(Exception):
    """The handle was not sealed by this server for this purpose and owner."""


class Expired(Exception):
    """The handle is valid but has expired."""


class Seal:
    """Authenticated encryption for the handles of one server. Thread-safe."""

    def __init__(self, secrets: list[bytes], audience: str, clock: Callable[[], float]) -> None:
        """Create a seal.

        `secrets` have at least 32 bytes each. `audience` is the server and its major version. `clock` returns Unix time
        in seconds, which replicas share.
        """
        self._keys = [AESGCM(_derived(secret)) for secret in secrets]
        self._audience = audience.encode()
        self._clock = clock

    def now(self) -> float:
        """Return the current Unix time in seconds, by the clock that replicas share."""
        return self._clock()

    def close(self, purpose: str, owner: str, value: bytes, seconds: float) -> str:
        """Return a handle for that value, valid for `seconds`."""
        nonce = os.urandom(NONCE)
        expires = int(self._clock() + seconds).to_bytes(EXPIRY, "big")
        return _text(nonce + self._keys[0].encrypt(nonce, expires + value, self._about(purpose, owner)))

    def open(self, purpose: str, owner: str, handle: str, longest: int = LONGEST) -> bytes:
        """Return the value of a handle of at most `longest` characters. Raises Unsealed or Expired."""
        return self.open_until(purpose, owner, handle, longest)[0]

    def open_until(self, purpose: str, owner: str, handle: str, longest: int = LONGEST) -> tuple[bytes, float]:
        """Return the value of a handle, and the Unix time at which the handle expires. Raises Unsealed or Expired."""
        sealed = _bytes(handle, longest)
        value = self._decrypted(sealed[:NONCE], sealed[NONCE:], self._about(purpose, owner))
        until = int.from_bytes(value[:EXPIRY], "big")
        if until <= self._clock():
            raise Expired
        return value[EXPIRY:], float(until)

    def encrypt(self, purpose: str, owner: str, value: bytes) -> bytes:
        """Return the value encrypted for a store that others can read. It does not expire."""
        nonce = os.urandom(NONCE)
        return nonce + self._keys[0].encrypt(nonce, value, self._about(purpose, owner))

    def decrypt(self, purpose: str, owner: str, stored: bytes) -> bytes:
        """Return the value given to `encrypt`. Raises Unsealed."""
        return self._decrypted(stored[:NONCE], stored[NONCE:], self._about(purpose, owner))

    def _decrypted(self, nonce: bytes, sealed: bytes, about: bytes) -> bytes:
        for key in self._keys:
            try:
                return key.decrypt(nonce, sealed, about)
            except (InvalidTag, ValueError):  # ValueError: the nonce is too short
                continue
        raise Unsealed

    def _about(self, purpose: str, owner: str) -> bytes:
        """Return the associated data. The owner comes last, since an owner may be any text."""
        return b"\0".join((purpose.encode(), self._audience, owner.encode("utf-8", "surrogatepass")))


def _derived(secret: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_INFO).derive(secret)


def _text(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _bytes(handle: str, longest: int) -> bytes:
    """Return the bytes of a handle; only its one canonical text is accepted. Raises Unsealed."""
    if not len(handle) <= longest or not _ALPHABET.issuperset(handle) or len(handle) % 4 == 1:
        raise Unsealed
    sealed = urlsafe_b64decode(handle + "=" * (-len(handle) % 4))
    if len(sealed) < NONCE + EXPIRY + TAG or _text(sealed) != handle:
        raise Unsealed
    return sealed
