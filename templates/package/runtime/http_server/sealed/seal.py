# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encrypt data that a client stores for the server and sends back later, such as session ids and states of questions.

Such an encrypted text is called a handle. Sealing means encrypting a value to a handle; opening means decrypting it. A
handle is encrypted and authenticated (AES-256-GCM, NIST SP 800-38D), and contains the data that a replica needs. So any
replica with the same key can open the handles of other replicas. Purpose, server and owner are associated data. A
handle of another purpose, server or owner fails with the same error as a forged handle.

A handle is base64url, without padding, of these parts:

- 12 bytes of nonce
- encrypted: the second of expiry (Unix time) in 4 bytes, and the value
- 16 bytes of authentication tag

The AES keys are derived from the operator's secrets by HKDF (RFC 5869) when the server starts. New handles use the key
of the first secret; existing handles may use any of the keys. So the operator can replace a key without a moment at
which valid handles are refused.
"""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from copy import copy
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

if TYPE_CHECKING:
    from collections.abc import Callable

NONCE, TAG, EXPIRY = 12, 16, 4
LONGEST = 8192
"""Longest encrypted handle in characters that is decrypted, unless a purpose allows longer handles."""

_INFO = b"mcpgen handles, version 1"
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


class Unsealed(Exception):
    """Raised if a text is not an encrypted handle of this server for this purpose and owner."""


class Expired(Exception):
    """Raised if an encrypted handle is valid but has expired."""


class Seal:
    """Authenticated encryption for the handles of one server: ids and states that clients send back. Thread-safe."""

    def __init__(self, secrets: list[bytes], audience: str, clock: Callable[[], float]) -> None:
        """Create the keys. `secrets` have at least 32 bytes each. `audience`: name and major version of the server.

        `clock()` returns Unix time in seconds, which is the same for all replicas.
        """
        self._keys = [AESGCM(_derived(secret)) for secret in secrets]
        self._audience = audience.encode()
        self._clock = clock

    def apart(self, account: str) -> Seal:
        """Return a seal with the same keys for one account of the server. No other seal opens its handles."""
        found = copy(self)
        found._audience += b"/" + account.encode()
        return found

    def now(self) -> float:
        """Return the current Unix time in seconds. Replicas compare such times, so their clocks must agree."""
        return self._clock()

    def close(self, purpose: str, owner: str, value: bytes, seconds: float) -> str:
        """Encrypt `value`, and return the encrypted text, called a handle. It is valid for `seconds` seconds.

        `purpose`: kind of the handle, such as `session`. `owner`: the caller that may use the handle.
        """
        nonce = os.urandom(NONCE)
        expires = int(self._clock() + seconds).to_bytes(EXPIRY, "big")
        return _text(nonce + self._keys[0].encrypt(nonce, expires + value, self._about(purpose, owner)))

    def open(self, purpose: str, owner: str, handle: str, longest: int = LONGEST) -> bytes:
        """Decrypt a handle, an encrypted text of at most `longest` characters, and return its value.

        Raise Unsealed if the handle is invalid for this purpose and owner, and Expired if it has expired.
        """
        return self.open_until(purpose, owner, handle, longest)[0]

    def open_until(self, purpose: str, owner: str, handle: str, longest: int = LONGEST) -> tuple[bytes, float]:
        """Decrypt a handle like `open`. Return its value, and the Unix time at which the handle expires."""
        sealed = _bytes(handle, longest)
        value = self._decrypted(sealed[:NONCE], sealed[NONCE:], self._about(purpose, owner))
        until = int.from_bytes(value[:EXPIRY], "big")
        if until <= self._clock():
            raise Expired
        return value[EXPIRY:], float(until)

    def encrypt(self, purpose: str, owner: str, value: bytes) -> bytes:
        """Return `value` encrypted, for a store that other programs can read. The encrypted value does not expire."""
        nonce = os.urandom(NONCE)
        return nonce + self._keys[0].encrypt(nonce, value, self._about(purpose, owner))

    def decrypt(self, purpose: str, owner: str, stored: bytes) -> bytes:
        """Return the value that was given to `encrypt`. Raise Unsealed if `stored` was not encrypted by this server."""
        return self._decrypted(stored[:NONCE], stored[NONCE:], self._about(purpose, owner))

    def _decrypted(self, nonce: bytes, sealed: bytes, about: bytes) -> bytes:
        for key in self._keys:
            try:
                return key.decrypt(nonce, sealed, about)
            except (InvalidTag, ValueError):  # ValueError: the nonce is too short
                continue
        raise Unsealed

    def _about(self, purpose: str, owner: str) -> bytes:
        """Return the associated data of the encryption. The owner comes last, since it may contain the separator."""
        return b"\0".join((purpose.encode(), self._audience, owner.encode("utf-8", "surrogatepass")))


def _derived(secret: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_INFO).derive(secret)


def _text(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _bytes(handle: str, longest: int) -> bytes:
    """Return the decoded bytes of an encrypted handle. Raise Unsealed if it is too long or not canonical base64url."""
    if not len(handle) <= longest or not _ALPHABET.issuperset(handle) or len(handle) % 4 == 1:
        raise Unsealed
    sealed = urlsafe_b64decode(handle + "=" * (-len(handle) % 4))
    if len(sealed) < NONCE + EXPIRY + TAG or _text(sealed) != handle:
        raise Unsealed
    return sealed
