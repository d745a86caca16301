# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Settings for serving over HTTP: the rules between them, and the parsers of those that concern no access tokens.

Each parser raises ValueError with a reason such as "must be a port" if a value is not valid. The reason never contains
the value.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error

from . import callers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Settings(Protocol):
        """Interface of those attributes of settings.Settings that are set before this module is called."""

        prefix: str
        values: dict[str, Any]
        given: set[str]


PORT = 8000
HOST = "127.0.0.1"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Host names and addresses of this machine, under which local clients reach the server."""

SHORTEST_KEY = 32
SHORTEST_NAME, LONGEST_NAME = 1, 64
_DIGEST = 64
_LONGEST_CARD_NAME = 200
_CLIENT_ID, _LOGIN = "AUTH_INTROSPECTION_CLIENT_ID", "AUTH_INTROSPECTION_CLIENT_SECRET"
_NEEDS_ISSUER = (
    *("AUTH_AUDIENCE", "AUTH_SCOPES", "AUTH_FIRST_SCOPES", "AUTH_ROLES_CLAIM"),
    *(_CLIENT_ID, "AUTH_INSTEAD_OF_AUDIENCE", _LOGIN),
)
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-@")


class Listening:
    """Listening address of the server, with the settings over HTTP. `listening["NAME"]` is the value of a setting.

    - `hosts`: accepted host names, with that of the server's URL.
    - `introspection`: credentials for the introspection of tokens that are not JWTs (RFC 7662), or None.
    """

    __slots__ = ("_values", "host", "hosts", "introspection", "port")

    def __init__(self, host: str, port: int, values: dict[str, Any]) -> None:
        self.host = host
        self.port = port
        self._values = values
        url, client_id = values["HTTP_URL"], values["AUTH_INTROSPECTION_CLIENT_ID"]
        secret = values["AUTH_INTROSPECTION_CLIENT_SECRET"]
        self.hosts: frozenset[str] = values["HTTP_HOSTS"] | ({callers.host(url)} if url else set())
        self.introspection: callers.Introspection | None = None
        if client_id and secret:
            self.introspection = callers.Introspection(client_id, secret, values["AUTH_INSTEAD_OF_AUDIENCE"])

    def __getitem__(self, name: str) -> Any:
        """Return the value of the setting `name`, which is without the prefix."""
        return self._values[name]

    @property
    def address(self) -> str:
        """Return host and port in the form in which a URL contains them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def guarded(self) -> bool:
        """Return True if other machines may connect: if callers must authenticate, or the operator allows it anyway."""
        return self.asks or bool(self["HTTP_OPEN"])

    @property
    def asks(self) -> bool:
        """Return True if a caller must authenticate."""
        return self["HTTP_TOKENS"] is not None or bool(self["AUTH_ISSUER"])


def load(address: tuple[str, int], settings: Settings) -> Listening:
    """Return the settings for serving at `address`. Raise ValueError with a sentence if settings contradict each other.

    A setting that is set and unusable contradicts no other: its problem is recorded already.
    """
    listening, prefix, given = Listening(*address, settings.values), settings.prefix, settings.given
    if listening["HTTP_CARD"] and listening["HTTP_URL"] is None:
        raise ValueError(f"{prefix}_HTTP_CARD needs {prefix}_HTTP_URL, the address that the server card tells.")
    _check_issuers(listening, prefix, given)
    if listening["STORE"] and "STATE_KEY" not in given:
        raise ValueError(f"{prefix}_STORE needs {prefix}_STATE_KEY, with which replicas read what others have stored.")
    if not is_loopback(listening.host) and not listening.guarded:
        raise ValueError(
            f"--http {listening.host} can be reached from other machines: set {prefix}_HTTP_TOKENS to the file of those"
            f" who may call, {prefix}_AUTH_ISSUER to the authorization server whose tokens they have, or"
            f" {prefix}_HTTP_OPEN=1 where something in front of this server asks them."
        )
    if listening["AUTH_ISSUER"] and listening["HTTP_URL"] is None and not is_loopback(listening.host):
        raise ValueError(callers.unnamed(prefix))
    return listening


def _check_issuers(listening: Listening, prefix: str, given: set[str]) -> None:
    """Check the settings for access tokens. Raise ValueError with a sentence if settings contradict each other."""
    needs_issuer = [each for each in _NEEDS_ISSUER if each in given]
    if needs_issuer and "AUTH_ISSUER" not in given:
        raise ValueError(f"{prefix}_{needs_issuer[0]} needs {prefix}_AUTH_ISSUER, the authorization server of callers.")
    if len({_CLIENT_ID, _LOGIN} & given) == 1:
        raise ValueError(f"{prefix}_{_CLIENT_ID} and {prefix}_{_LOGIN} are needed together.")
    if listening[_CLIENT_ID] and len(listening["AUTH_ISSUER"]) > 1:
        name = f"{prefix}_{_CLIENT_ID}"
        raise ValueError(f"{name} needs exactly one issuer: a token that is no JWT does not name its own.")
    if listening["AUTH_INSTEAD_OF_AUDIENCE"] and _CLIENT_ID not in given:
        raise ValueError(f"{prefix}_AUTH_INSTEAD_OF_AUDIENCE needs {prefix}_{_CLIENT_ID}: JWTs have an audience.")


def address(text: str) -> tuple[str, int]:
    """Return host and port from the text `[HOST:]PORT`. Raise ValueError with a reason such as "must be a port"."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        raise ValueError("must be a port, or a host and a port such as 127.0.0.1:8000")
    bare = host.removeprefix("[").removesuffix("]") if host else HOST
    if not bare or any(character in bare for character in "/@ []"):
        raise ValueError("must be a port, or a host and a port such as 127.0.0.1:8000")
    return bare, int(port)


def is_loopback(host: str) -> bool:
    """Return True if only this machine can connect to `host`."""
    return host.lower() in ("localhost", "::1") or host.startswith("127.")


def hosts(value: str) -> frozenset[str]:
    """Return the values that HTTP_HOSTS allows in the `Host` header. A name without a port allows every port."""
    found = frozenset(each.strip().lower() for each in value.split(",") if each.strip())
    if any("/" in each or "@" in each or "*" in each for each in found):
        raise ValueError("must be names such as mcp.example.com or mcp.example.com:8443, joined by commas")
    return found


def card_name(value: str) -> str:
    """Return the server's name for its server card: a namespace in reverse DNS order, a slash, and a name."""
    namespace, slash, name = value.partition("/")
    if not slash or len(value) > _LONGEST_CARD_NAME or not (_is_part(namespace, "") and _is_part(name, "_")):
        raise ValueError("must be the name in the MCP registry, such as io.github.ann/petstore")
    return value


def _is_part(text: str, more: str) -> bool:
    """Return True if `text` consists of ASCII letters, digits, dots, hyphens and the characters in `more`.

    The first and the last character must be a letter or digit.
    """
    inner = text.translate({ord(each): None for each in f".-{more}"})
    return text.isascii() and inner.isalnum() and text[0].isalnum() and text[-1].isalnum()


def origins(value: str) -> frozenset[str]:
    """Return the origins of web pages that may call the server, as browsers send them. `value`: joined by commas."""
    found = frozenset(each.strip().lower() for each in value.split(",") if each.strip())
    for each in found:
        scheme, separator, rest = each.partition("://")
        if scheme not in ("http", "https") or not separator or not rest or any(mark in rest for mark in "/*@"):
            raise ValueError("must be origins such as https://app.example.com, joined by commas")
    return found


def tokens(value: str) -> dict[bytes, str]:
    """Read a file of callers, and return their names by the SHA-256 of their tokens.

    In the file, `#` begins a comment.
    """
    try:
        with open(value, encoding="utf-8") as file:
            lines = file.read(1024 * 1024).splitlines()
    except (OSError, UnicodeDecodeError):
        raise ValueError("must name a file of text that can be read") from None
    found: dict[bytes, str] = {}
    for number, line in enumerate(lines, 1):
        parts = line.partition("#")[0].split()
        if not parts:
            continue
        if len(parts) != 2 or not _is_name(parts[0]) or (digest := _digest(parts[1])) is None:
            raise ValueError(f"names a file whose line {number} is not a name and a SHA-256 in hexadecimal")
        found[digest] = parts[0]
    if not found:
        raise ValueError("names a file without callers; --new-token NAME prints a line for one")
    return found


def keys(value: str) -> list[bytes]:
    """Return the comma-separated encryption keys. Each is base64 of at least 32 bytes, or any text of that length."""
    found = [_key(each.strip()) for each in value.split(",") if each.strip()]
    if not found or any(len(each) < SHORTEST_KEY for each in found):
        raise ValueError(f"must hold {SHORTEST_KEY} bytes or more, such as `openssl rand -base64 32` prints")
    return found


def store(value: str) -> str:
    """Return the URL of the store that replicas share. Raise ValueError if the scheme of the URL is not supported."""
    if value.partition("://")[0] not in ("redis", "rediss", "unix"):
        raise ValueError("must be a URL such as redis://cache:6379/0 or rediss://:PASSWORD@cache:6380/0")
    return value


def _is_name(name: str) -> bool:
    return SHORTEST_NAME <= len(name) <= LONGEST_NAME and _NAME.issuperset(name)


def _digest(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text.lower().removeprefix("sha256:")) if len(text) >= _DIGEST else None
    except ValueError:
        return None


def _key(text: str) -> bytes:
    """Return the bytes of a key: the decoded base64 if it has SHORTEST_KEY bytes or more, else the text's own bytes."""
    try:
        decoded = b64decode(text, validate=True)
    except Error:
        decoded = b""
    return decoded if len(decoded) >= SHORTEST_KEY else text.encode(errors="surrogateescape")
