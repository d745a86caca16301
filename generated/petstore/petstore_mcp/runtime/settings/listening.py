# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Settings for serving over HTTP.

They are the listening address, callers, accepted host names and origins, and the state that replicas share.

Each check raises ValueError with a reason such as "must be a port" if a value is not valid. The reason never contains
the value.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error

from . import callers, credential_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Checked = Callable[[str, Callable[[str], Any], Any], Any]

PORT = 8000
HOST = "127.0.0.1"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Host names and addresses of this machine, under which local clients reach the server."""

SHORTEST_KEY = 32
SHORTEST_NAME, LONGEST_NAME = 1, 64
_DIGEST = 64
_LONGEST_CARD_NAME = 200
_NEEDS_ISSUER = (
    *("AUTH_AUDIENCE", "AUTH_SCOPES", "AUTH_FIRST_SCOPES", "AUTH_ROLES_CLAIM"),
    *("AUTH_INTROSPECTION_CLIENT_ID", "AUTH_INSTEAD_OF_AUDIENCE"),
)
_LOGIN = "AUTH_INTROSPECTION_CLIENT_SECRET"
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-@")


class Listening:
    """HTTP settings of the server.

    - `tokens`: the callers' names by the SHA-256 of their static tokens; None means that there are no static tokens.
    - `keys`: secrets that encrypt data given to clients. The first one encrypts; all of them decrypt. Without keys, the
      process generates one.
    - `issuers`: authorization servers whose access tokens are accepted, each as the tokens name it (RFC 8414).
    - `url`: URL at which clients reach the endpoint; None means the address at which the server listens.
    - `card`: name of the server in its public server card, NAMESPACE/NAME; "" for no card.
    - `audiences`: accepted values of `aud` in tokens; if empty, the endpoint's URL is accepted.
    - `scopes`: scopes that every call needs. `first_scopes`: scopes that clients are told to request at first, or None
      for those of the tools that only read.
    - `roles_claim`: name of the claim with the caller's roles, or a JSON Pointer.
    - `introspection`: credentials for the introspection of tokens that are not JWTs (RFC 7662), or None.
    """

    __slots__ = (
        "audiences",
        "card",
        "files",
        "first_scopes",
        "host",
        "hosts",
        "introspection",
        "issuers",
        "keys",
        "open",
        "origins",
        "port",
        "roles_claim",
        "scopes",
        "store",
        "tokens",
        "url",
    )

    def __init__(self, host: str = HOST, port: int = PORT) -> None:
        self.host = host
        self.port = port
        self.hosts: frozenset[str] = frozenset()
        self.origins: frozenset[str] = frozenset()
        self.tokens: dict[bytes, str] | None = None
        self.open = False
        self.files = False
        self.keys: list[bytes] = []
        self.store: str | None = None
        self.issuers: tuple[str, ...] = ()
        self.url: str | None = None
        self.audiences: frozenset[str] = frozenset()
        self.scopes: tuple[str, ...] = ()
        self.first_scopes: tuple[str, ...] | None = None
        self.introspection: callers.Introspection | None = None
        self.roles_claim = ""
        self.card = ""

    @property
    def address(self) -> str:
        """Return host and port in the form in which a URL contains them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def guarded(self) -> bool:
        """Return True if other machines may connect: if callers must authenticate, or the operator allows it anyway."""
        return self.tokens is not None or bool(self.issuers) or self.open

    @property
    def asks(self) -> bool:
        """Return True if a caller must authenticate."""
        return self.tokens is not None or bool(self.issuers)


def load(address: tuple[str, int], prefix: str, environ: Mapping[str, str], checked: Checked) -> Listening:
    """Load the HTTP settings.

    `checked` is a function that reads one variable, named without the prefix, and records problems of its value. Raise
    ValueError with a sentence if settings contradict each other.
    """
    listening = Listening(*address)
    listening.hosts = checked("HTTP_HOSTS", hosts, listening.hosts)
    listening.origins = checked("HTTP_ORIGINS", origins, listening.origins)
    listening.tokens = checked("HTTP_TOKENS", tokens, None)
    listening.open = checked("HTTP_OPEN", _yes, False)
    listening.files = checked("HTTP_FILES", _yes, False)
    listening.url = checked("HTTP_URL", callers.url, None)
    if listening.url is not None:
        listening.hosts |= {callers.host(listening.url)}
    listening.card = checked("HTTP_CARD", card_name, "")
    if listening.card and listening.url is None:
        raise ValueError(f"{prefix}_HTTP_CARD needs {prefix}_HTTP_URL, the address that the server card tells.")
    _load_issuers(listening, prefix, environ, checked)
    found, source = credential_env.value_of(f"{prefix}_STATE_KEY", environ)
    try:
        listening.keys = keys(found) if found else []
    except ValueError as reason:
        raise ValueError(f"{source} {reason}.") from None
    found, source = credential_env.value_of(f"{prefix}_STORE", environ)
    try:
        listening.store = store(found.strip()) if found else None
    except ValueError as reason:
        raise ValueError(f"{source} {reason}.") from None
    if listening.store and not listening.keys:
        raise ValueError(f"{prefix}_STORE needs {prefix}_STATE_KEY, with which replicas read what others have stored.")
    if not is_loopback(listening.host) and not listening.guarded:
        raise ValueError(
            f"--http {listening.host} can be reached from other machines: set {prefix}_HTTP_TOKENS to the file of those"
            f" who may call, {prefix}_AUTH_ISSUER to the authorization server whose tokens they have, or"
            f" {prefix}_HTTP_OPEN=1 where something in front of this server asks them."
        )
    if listening.issuers and listening.url is None and not is_loopback(listening.host):
        raise ValueError(callers.unnamed(prefix))
    return listening


def _load_issuers(listening: Listening, prefix: str, environ: Mapping[str, str], checked: Checked) -> None:
    """Load the settings for access tokens. Raise ValueError with a sentence if settings contradict each other."""
    listening.issuers = checked("AUTH_ISSUER", callers.issuers, ())
    listening.audiences = checked("AUTH_AUDIENCE", callers.audiences, frozenset())
    listening.scopes = checked("AUTH_SCOPES", callers.scopes, ())
    listening.first_scopes = checked("AUTH_FIRST_SCOPES", callers.scopes, None)
    listening.roles_claim = checked("AUTH_ROLES_CLAIM", callers.claim, "")
    client_id = checked("AUTH_INTROSPECTION_CLIENT_ID", callers.text, "")
    instead = checked("AUTH_INSTEAD_OF_AUDIENCE", callers.instead_of_audience, ())
    secret, source = credential_env.value_of(f"{prefix}_{_LOGIN}", environ)
    secret = (secret or "").strip()
    if not environ.get(f"{prefix}_AUTH_ISSUER", "").strip():
        named = [each for each in _NEEDS_ISSUER if environ.get(f"{prefix}_{each}", "").strip()] + [_LOGIN] * bool(
            secret
        )
        if named:
            raise ValueError(f"{prefix}_{named[0]} needs {prefix}_AUTH_ISSUER, the authorization server of callers.")
    if bool(client_id) != bool(secret):
        raise ValueError(f"{prefix}_AUTH_INTROSPECTION_CLIENT_ID and {prefix}_{_LOGIN} are needed together.")
    if secret and not (secret.isascii() and secret.isprintable()):
        raise ValueError(f"{source} must be printable ASCII characters.")
    if client_id and len(listening.issuers) > 1:
        name = f"{prefix}_AUTH_INTROSPECTION_CLIENT_ID"
        raise ValueError(f"{name} needs exactly one issuer: a token that is no JWT does not name its own.")
    if instead and not client_id:
        raise ValueError(
            f"{prefix}_AUTH_INSTEAD_OF_AUDIENCE needs {prefix}_AUTH_INTROSPECTION_CLIENT_ID: JWTs have an audience."
        )
    listening.introspection = callers.Introspection(client_id, secret, instead) if client_id else None


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


def _yes(value: str) -> bool:
    # Imported here, since only this function uses the module. Costs no time: `settings` has already loaded it.
    from .setting_parsers import switch

    return switch(value)


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
