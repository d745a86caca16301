# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Prove a password by HTTP Digest (RFC 7616), so that the password itself is never sent.

The API answers 401 with a challenge, and the request is sent once more with the proof. Such a 401 means that the API
has done nothing, so this also holds for requests that change data. Later requests use the challenge again with a higher
count. If the API refuses one, its newer challenge is used, once for each request.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..settings.settings import NotReady

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator
    from typing import Protocol

    from ..request.request import Request
    from ..text.addresses import Address

    class Response(Protocol):
        """Interface of an HTTP response (http.exchange.Response)."""

        status: int

        @property
        def fields(self) -> list[tuple[str, str]]:
            """Header fields in the order received."""

        def close(self) -> None:
            """Release the memory and the file of a long content."""

    Ask = Callable[[Request, Address], Awaitable[Response]]

_REFUSED = 401

_UNKNOWN = (
    "The API refused the request (401), and asks for no HTTP digest that this server knows (MD5, SHA-256, SHA-512-256,"
    " each with a qop). No password was used."
)

_HASHES = {"": "md5", "MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}
"""Algorithm of a challenge, without `-sess`, in capitals -> name in `hashlib`."""

_LONGEST = 4096
"""Longest field with challenges, in characters. Their texts come back in each request."""

_ITEM = re.compile(r'([!#$%&\'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^\s,]*))?')
_ESCAPED = re.compile(r"\\(.)")


class Challenge:
    """Challenge that can be answered. `told`: its parameters, unquoted. `count`: how often it was answered."""

    __slots__ = ("_hash", "_is_of_session", "count", "qop", "told")

    def __init__(self, told: dict[str, str]) -> None:
        """Read the parameters of a challenge. Raise KeyError if it cannot be answered."""
        algorithm = told.get("algorithm", "").upper()
        self._is_of_session = algorithm.endswith("-SESS")
        self._hash = _HASHES[algorithm.removesuffix("-SESS")]
        if self._hash not in hashlib.algorithms_available or not told.keys() >= {"realm", "nonce"}:
            raise KeyError
        offered = told["qop"].lower().replace(",", " ").split()
        self.qop = next((each for each in ("auth", "auth-int") if each in offered), "")
        if not self.qop:
            raise KeyError
        self.told = told
        self.count = 0

    def answer(self, user: tuple[str, str], method: str, uri: str, body: bytes, cnonce: str) -> str:
        """Return the value of Authorization for a request (RFC 7616 section 3.4). `user`: name and password."""
        (name, password), told = user, self.told
        realm, nonce, count = told["realm"], told["nonce"], f"{self.count:08x}"
        secret = self._hashed(f"{name}:{realm}:{password}")
        if self._is_of_session:
            secret = self._hashed(f"{secret}:{nonce}:{cnonce}")
        subject = f"{method}:{uri}" + (f":{self._hashed(body)}" if self.qop == "auth-int" else "")
        response = self._hashed(":".join((secret, nonce, count, cnonce, self.qop, self._hashed(subject))))
        who = f"username={_quoted(name)}" if name.isascii() else f"username*=UTF-8''{quote(name, safe='')}"
        if told.get("userhash", "").lower() == "true":
            who = f'username="{self._hashed(f"{name}:{realm}")}", userhash=true'
        parts = [who, f"realm={_quoted(realm)}", f"uri={_quoted(uri)}", f"nonce={_quoted(nonce)}"]
        parts += [f"nc={count}", f'cnonce="{cnonce}"', f"qop={self.qop}", f'response="{response}"']
        if "algorithm" in told:
            parts.append(f"algorithm={told['algorithm']}")
        if "opaque" in told:
            parts.append(f"opaque={_quoted(told['opaque'])}")
        return f"Digest {', '.join(parts)}"

    def _hashed(self, text: str | bytes) -> str:
        data = text.encode() if isinstance(text, str) else text
        return hashlib.new(self._hash, data, usedforsecurity=False).hexdigest()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def find_challenge(fields: Iterable[tuple[str, str]]) -> Challenge | None:
    """Return the first challenge in the fields of a response that can be answered, or None."""
    for name, value in fields:
        # Without control characters and lone surrogates, each text of a challenge can be sent back.
        if name.lower() != "www-authenticate" or len(value) > _LONGEST or not value.isprintable():
            continue
        for told in _challenges(value):
            try:
                return Challenge(told)
            except KeyError:
                continue
    return None


def _challenges(text: str) -> Iterator[dict[str, str]]:
    """Yield the parameters of each Digest challenge in a field, which may have challenges of other schemes too."""
    told: dict[str, str] | None = None
    for name, value in _ITEM.findall(text):
        if not value:  # a word without a value begins a challenge
            if told:
                yield told
            told = {} if name.lower() == "digest" else None
        elif told is not None:
            told[name.lower()] = _ESCAPED.sub(r"\1", value[1:-1]) if value[0] == '"' else value
    if told:
        yield told


# Own code, since libraries would bypass the limits and the log of requests (docs/decisions/requests.md).
class Digest:
    """Signer with one user and password, for one origin."""

    __slots__ = ("_challenge", "_user")

    def __init__(self, values: dict[str, str], host: str) -> None:
        """Create a signer. `values`: role -> value of the credential. `host` is not used."""
        self._user = values["username"], values["password"]
        self._challenge: Challenge | None = None

    async def send(self, ask: Ask, request: Request, address: Address) -> Response:
        """Send a request by `ask`, and once more with a proof if the API answers with a challenge.

        Raise NotReady if the API refuses the request without a challenge that can be answered.
        """
        if known := self._challenge:
            self._prove(known, request, address)
        answer = await ask(request, address)
        if answer.status != _REFUSED:
            return answer
        if (challenge := find_challenge(answer.fields)) is None:
            if known:
                return answer
            answer.close()
            raise NotReady(_UNKNOWN)
        self._challenge = challenge
        self._prove(challenge, request, address)
        answer.close()
        second = await ask(request, address)
        if second.status == _REFUSED:
            # Without a challenge, the next request proves nothing at first. So each call shows a wrong password once.
            self._challenge = None
        return second

    def _prove(self, challenge: Challenge, request: Request, address: Address) -> None:
        """Set the field Authorization of a request."""
        challenge.count += 1
        uri, cnonce = address.path + request.target, os.urandom(16).hex()
        proof = challenge.answer(self._user, request.method, uri, request.body or b"", cnonce)
        request.set_field("Authorization", proof)
