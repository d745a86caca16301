# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Check the head of an HTTP request. Pure functions. The order of the checks is:

    Host, Origin, path, authorization, method, Content-Type, Accept, size

A hostile web page can make a browser send requests to any address, under the page's own host name (DNS rebinding). The
page cannot choose `Host` and `Origin`. So both are checked first, as the security warning in MCP's section on
Streamable HTTP asks.

A server may be reached below a prefix. Some proxies remove the prefix before they pass a request on, and others keep
it. So the server accepts both: its own paths, and the same paths below the prefix in HTTP_URL. An application that
mounts the ASGI application names its prefix in `root_path`.

`Accept` decides which types of response a client takes (RFC 9110, 12.5.1).

Some header fields repeat the body, so that proxies can route by them (MCP 2026-07-28, Streamable HTTP). The server acts
on the body. If a field differs from the body, a proxy may have routed or allowed another request than the one served.
So such a request is refused. A value that does not fit a header field is encoded: `=?base64?`, base64 of UTF-8, `?=`.
Other values are unchanged.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from binascii import Error
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, urlsplit

from ...core.effects import check_revision, named_revision
from ...core.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Fault, error
from ...core.wire_formats import STATELESS_REVISIONS
from ...text.fields import is_name
from ..listening import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...core.jsonrpc import Members, Request
    from ...identity.identity import Identity
    from ..listening import Listening

    Fields = list[tuple[str, str]]

    Repeated = Callable[[str], dict[str, str]]

JSON = "application/json"
_BLANKS = " \t"


class Head:
    """Method, path, query and header fields of a request, and the client's address.

    `was_admitted`: True once `Admission.admit` has found nothing wrong with the head. If the next request has the same
    head, only its access token is checked again, which may have expired.
    Field names are in lower case, and values have no surrounding blanks (RFC 9110, 5.5).
    """

    __slots__ = ("_fields", "_sent", "address", "method", "path", "query", "was_admitted")

    def __init__(
        self, method: str, path: str, fields: Iterable[tuple[bytes, bytes]], address: str = "", query: str = ""
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.address = address
        self.was_admitted = False
        self._sent = fields
        self._fields: dict[str, list[str]] = {}
        for name, value in fields:
            text = value.decode("latin-1").strip(_BLANKS)
            self._fields.setdefault(name.decode("latin-1").lower(), []).append(text)

    def is_of(self, path: str, query: str, fields: Iterable[tuple[bytes, bytes]]) -> bool:
        """Return True if this is also the head of a request of the same method with this path, query and fields."""
        return fields == self._sent and path == self.path and query == self.query

    def all(self, name: str) -> list[str]:
        """Return the values of all header fields named `name`, in order."""
        return self._fields.get(name, [])

    def get(self, name: str) -> str | None:
        """Return the value of the field `name`, or None. Several values are joined by commas (RFC 9110, 5.3)."""
        values = self._fields.get(name)
        return None if values is None else ", ".join(values)

    def named(self, prefix: str) -> list[str]:
        """Return the names of the fields that begin with `prefix`."""
        return [name for name in self._fields if name.startswith(prefix)]


def size_of(fields: Iterable[tuple[bytes, bytes]]) -> int:
    """Return the size in bytes of the names and values of header fields."""
    return sum(map(len, chain.from_iterable(fields)))


class Answer:
    """A whole response: status, header fields and body.

    `note`: fields of an event to log with the response, or None.
    """

    __slots__ = ("body", "fields", "note", "status")

    def __init__(
        self, status: int, body: bytes = b"", fields: Fields | None = None, note: dict[str, str] | None = None
    ) -> None:
        self.status = status
        self.body = body
        self.fields: Fields = fields or []
        self.note = note

    @property
    def closes(self) -> bool:
        """Return whether the connection closes after this response."""
        return ("Connection", "close") in self.fields


def json_answer(status: int, body: bytes, *fields: tuple[str, str]) -> Answer:
    """Return a response whose body is JSON text."""
    return Answer(status, body, [("Content-Type", JSON), ("Cache-Control", "no-store"), *fields])


def refused(status: int, code: int, sentence: str, *fields: tuple[str, str]) -> Answer:
    """Return an error response whose body is a JSON-RPC error without an id."""
    return json_answer(status, error(None, code, sentence), *fields)


STREAM = "text/event-stream"
_TYPES = {JSON: (JSON, "application/*", "*/*"), STREAM: (STREAM, "text/*", "*/*")}


def admits(head: Head, media_type: str) -> bool:
    """Return True if the `Accept` header has `media_type`, or a range such as `text/*`, with a weight above 0 (RFC
    9110, 12.5).

    A client that sends no such header accepts any type.
    """
    return not _accepted(head.get("accept") or "*/*").isdisjoint(_TYPES[media_type])


@lru_cache(maxsize=32)  # cached, since clients send the same few `Accept` headers again and again
def _accepted(accept: str) -> frozenset[str]:
    """Return the media types and ranges in the `Accept` header whose weight is above 0, in lower case."""
    found = set()
    for each in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in each.split(";"))
        weights = [part for part in parameters if part.startswith("q=")]
        if not (weights and not weights[0][2:].strip("0.")):
            found.add(kind)
    return frozenset(found)


PATH = "/mcp"
METHODS = ("POST", "GET", "DELETE")
LONGEST_HEAD, LONGEST_FIELD, MOST_FIELDS = 32 * 1024, 16 * 1024, 128
"""Limits of a head: bytes of all fields, bytes of one line, and number of fields."""

LARGEST_BODY = 4 * 1024 * 1024
"""Largest body of a POST in bytes."""

CALLBACK = f"{PATH}/callback/"
"""Beginning of the paths to which a browser is redirected after a user has logged in."""

LARGEST_FORM = 16 * 1024
"""Largest body in bytes of a form that a browser sends."""

SESSION, REVISION = "mcp-session-id", "mcp-protocol-version"
_ALLOW = ("Allow", ", ".join(METHODS))
_ASKED_WITH = (
    "Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID"
)
_PARAMETER = "mcp-param-"
_SHOWN = 128
_PREFLIGHT_SECONDS = 7200
"""Seconds for which a browser may reuse the response to a preflight. No common browser allows less than this."""

_NO_BEARER = "Authorization must be Bearer and a token."
_UNKNOWN = "The token in Authorization is none that this server accepts."


class TokenGate(Protocol):
    """Interface of the object that checks access tokens (`identity/guard.py`) and writes the challenges to clients.

    `metadata_paths` are the paths of the resource metadata (RFC 9728).
    """

    metadata_paths: frozenset[str]

    def known(self, digest: bytes) -> Identity | None:
        """Return the caller whose token has the SHA-256 `digest`, or None if the token has not been checked yet."""

    def tell(self, first: Iterable[str]) -> None:
        """Set the scopes that clients are told to request at first."""

    def metadata(self) -> bytes:
        """Return the OAuth 2.0 protected resource metadata of this server as JSON (RFC 9728)."""

    def unauthorized(self, problem: str | None) -> str:
        """Return the WWW-Authenticate challenge for status 401.

        `problem`: a sentence that says what is wrong with the token, or None if there was no token.
        """

    def insufficient(self, scopes: Iterable[str]) -> str:
        """Return the WWW-Authenticate challenge for status 403. `scopes`: all scopes that the call needs."""


class Peer:
    """Sender of an HTTP request to this server.

    `principal` is the verified name of the caller, "" without authentication. `session` is a digest of the session id,
    "" without a session. `address` is the network address. `identity` holds the claims of a checked access token.
    `given` holds the header fields that the operator lets a gateway set, by lower-case name; their values are secrets.
    `trace` is the `traceparent` of the HTTP request, unchecked.
    """

    __slots__ = ("address", "given", "identity", "principal", "session", "trace")

    def __init__(
        self, principal: str = "", session: str = "", address: str = "", identity: Identity | None = None
    ) -> None:
        self.principal = principal
        self.session = session
        self.address = address
        self.identity = identity
        self.given: dict[str, str] = {}
        self.trace = ""

    @property
    def owner(self) -> str:
        """Return the key of the owner of private data, such as stored results: the principal, else the session."""
        return self.principal or self.session

    @property
    def caller(self) -> str:
        """Return what identifies the caller for limits per caller: principal, else session, else network address."""
        return self.principal or self.session or self.address


class UncheckedToken:
    """Access token of a request. The token must be checked before the request is admitted."""

    __slots__ = ("token",)

    def __init__(self, token: str) -> None:
        self.token = token


class Admission:
    """Checker of the heads of HTTP requests. `admit` returns the caller, or the response to a refused request."""

    def __init__(
        self, listening: Listening, prefix: str, gate: TokenGate | None = None, browsers: bool = False
    ) -> None:
        """Create the checker. `prefix`: beginning of the names of the server's environment variables. `gate` checks
        access tokens.

        `browsers`: True if browsers are redirected to this server after a login.
        """
        self._browsers = browsers
        self._listening, self._asks = listening, listening.asks
        self._prefix = prefix
        self._gate = gate

    def admit(self, head: Head) -> Peer | Answer | UncheckedToken:
        """Return the caller of a request whose body may be read, or the response to any other request.

        If an access token must be checked first, return the token. Call `welcome` or `unauthorized` after the check.
        """
        if not head.was_admitted:
            if head.path == "/healthz":
                return told(head, 200, b"ok\n")
            if (stranger := self.stranger(head)) is not None:
                return stranger
            if self.is_browser(head):
                return _page_form(head) or Peer("", "", head.address)
            if (answer := self._open_to_all(head)) is not None:
                return self._readable(head, answer)
        peer = self._peer(head)
        if isinstance(peer, Peer):
            return self._formed(head, peer)
        return self._readable(head, peer) if isinstance(peer, Answer) else peer

    def welcome(self, head: Head, caller: Identity) -> Peer | Answer:
        """Return the caller of a request whose access token was checked and is valid.

        If the method, a media type or the size of the request is wrong, return the error response instead.
        """
        return self._formed(head, Peer(caller.principal, "", head.address, caller))

    def unauthorized(self, head: Head, problem: str | None) -> Answer:
        """Return a 401 response. `problem`: a sentence on the token, or None if there was no token (RFC 6750, 3.1)."""
        return self._readable(head, self._unauthorized(problem))

    def unavailable(self, head: Head, sentence: str, seconds: int) -> Answer:
        """Return the 503 response to a request whose access token cannot be checked now. `seconds`: its Retry-After."""
        answer = refused(503, INVALID_REQUEST, sentence, ("Retry-After", str(seconds)))
        return self._readable(head, answer)

    def _open_to_all(self, head: Head) -> Answer | None:
        """Return the response to a request that is answered without authorization, or None for any other request."""
        page = head.method == "OPTIONS" and self._shared(head)
        if self._gate is not None and head.path in self._gate.metadata_paths:
            if page:
                return Answer(204, fields=_preflight(head))
            if head.method not in ("GET", "HEAD"):
                return Answer(405, fields=[("Allow", "GET, HEAD")])
            return json_answer(200, self._gate.metadata())
        if head.path != PATH:
            return refused(404, INVALID_REQUEST, f"There is nothing at this path. MCP is served at {PATH}.")
        return Answer(204, fields=_preflight(head)) if page else None

    def is_browser(self, head: Head) -> bool:
        """Return True if the request comes from a browser that was redirected after a login.

        Such a request has no access token.
        """
        return self._browsers and head.path.startswith(CALLBACK)

    def _peer(self, head: Head) -> Peer | Answer | UncheckedToken:
        """Return the caller; an error response if the request has no token that could be valid; or the token if it must
        still be checked to find the caller (`identity/guard.py`).
        """
        if not self._asks:
            return Peer("", "", head.address)
        sent = head.all("authorization")
        if len(sent) > 1:
            return refused(400, INVALID_REQUEST, "The request has two Authorization fields.")
        if not sent:
            return self._unauthorized(None)
        scheme, _, token = sent[0].partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer":
            return self._unauthorized(_NO_BEARER)
        digest = hashlib.sha256(token.encode("latin-1", "replace")).digest()
        if self._gate is not None and (caller := self._gate.known(digest)) is not None:
            return Peer(caller.principal, "", head.address, caller)
        if (name := self._named(digest)) is not None:
            return Peer(name, "", head.address)
        return self._unauthorized(_UNKNOWN) if self._gate is None else UncheckedToken(token)

    def _named(self, digest: bytes) -> str | None:
        """Return the name of the caller whose static token has the SHA-256 `digest`, or None."""
        found = None
        # Compare with all digests, so that the time taken reveals no token.
        for each, name in (self._listening["HTTP_TOKENS"] or {}).items():
            if hmac.compare_digest(each, digest):
                found = name
        return found

    def _unauthorized(self, problem: str | None) -> Answer:
        if self._gate is not None:
            challenge = self._gate.unauthorized(problem)
        else:
            challenge = "Bearer" if problem is None else 'Bearer error="invalid_token"'
        sentence = "This server wants to know who calls: send Authorization: Bearer and the token that you were given."
        return refused(401, INVALID_REQUEST, problem or sentence, ("WWW-Authenticate", challenge))

    def _formed(self, head: Head, peer: Peer) -> Peer | Answer:
        """Return `peer` if method, media types and size of the request are allowed, else the error response."""
        if head.was_admitted:
            return peer  # fast path: a former request of this connection had the same head
        if (refusal := _form(head)) is not None:
            return self._readable(head, refusal)
        head.was_admitted = True
        return peer

    def _readable(self, head: Head, answer: Answer) -> Answer:
        """Return the response with CORS header fields added, so that web pages of an allowed origin can read it."""
        answer.fields = [*answer.fields, *self.shared_with(head)]
        return answer

    def shared_with(self, head: Head) -> Fields:
        """Return the CORS header fields that let a web page of an allowed origin read the response (Fetch standard)."""
        if not self._shared(head):
            return []
        return [
            ("Access-Control-Allow-Origin", head.all("origin")[0]),
            ("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate"),
            ("Vary", "Origin"),
        ]

    def stranger(self, head: Head) -> Answer | None:
        """Return the error response if Host or Origin of the request is not allowed by the operator, else None."""
        named = head.all("host")
        host = named[0].lower() if len(named) == 1 else ""
        name = _name(host)
        if not host or (name not in LOOPBACK and not {host, name} & self._listening.hosts):
            answer = refused(421, INVALID_REQUEST, "This server is not known by the name in Host.")
            answer.note = self._advice("host_refused", "host", ", ".join(named), "HTTP_HOSTS")
            return answer
        origins = head.all("origin")
        allowed = {f"http://{host}", f"https://{host}"} | self._listening["HTTP_ORIGINS"] if origins else ()
        if origins and (len(origins) > 1 or origins[0].lower() not in allowed):
            answer = refused(403, INVALID_REQUEST, "Web pages of this Origin may not ask here.")
            answer.note = self._advice("origin_refused", "origin", ", ".join(origins), "HTTP_ORIGINS")
            return answer
        return None

    def _shared(self, head: Head) -> bool:
        """Return whether the request comes from a page of an origin that the operator listed."""
        origins = head.all("origin")
        return len(origins) == 1 and origins[0].lower() in self._listening["HTTP_ORIGINS"]

    def _advice(self, event: str, kind: str, value: str, setting: str) -> dict[str, str]:
        reason = f"{self._prefix}_{setting} lists those that are allowed."
        return {"event": event, kind: value[:_SHOWN], "reason": reason}


@lru_cache(maxsize=32)
def _name(host: str) -> str:
    """Return a Host value without its port."""
    if host.startswith("["):
        return host[: host.find("]") + 1] if _is_port(host.partition("]")[2]) else host
    name, colon, port = host.partition(":")
    return name if not colon or _is_port(colon + port) else host


def _is_port(text: str) -> bool:
    return not text or (text[0] == ":" and text[1:].isascii() and text[1:].isdigit() and len(text) <= 6)


def told(head: Head, status: int, body: bytes) -> Answer:
    """Return the response to a health check.

    Every caller may read the response, which contains only `body` (security requirement E7).
    """
    if head.method not in ("GET", "HEAD"):
        return Answer(405, fields=[("Allow", "GET, HEAD")])
    return Answer(status, body, [("Content-Type", "text/plain"), ("Cache-Control", "no-store")])


def _preflight(head: Head) -> Fields:
    """Return the header fields for a CORS preflight. Names are listed one by one, since browsers may not accept `*`."""
    asked = (head.get("access-control-request-headers") or "").split(",")
    named = [each.strip() for each in asked if each.strip().lower().startswith(_PARAMETER)]
    allowed = ", ".join([_ASKED_WITH, *(each for each in named if is_name(each))])
    return [
        ("Access-Control-Allow-Methods", ", ".join(METHODS)),
        ("Access-Control-Allow-Headers", allowed),
        ("Access-Control-Max-Age", str(_PREFLIGHT_SECONDS)),
    ]


def _form(head: Head) -> Answer | None:
    """Return the error response if method, media type or size of the request is wrong, else None."""
    if head.method not in METHODS:
        return refused(405, INVALID_REQUEST, f"The method must be one of {', '.join(METHODS)}.", _ALLOW)
    revision = head.get(REVISION)
    if head.method != "POST":
        if revision in STATELESS_REVISIONS:
            return refused(405, INVALID_REQUEST, f"In {revision} there is POST alone.", ("Allow", "POST"))
        if head.method == "GET" and not admits(head, STREAM):
            return no_stream()
        return None
    kind = (head.get("content-type") or "").partition(";")[0].strip().lower()
    if kind != JSON or len(head.all("content-type")) > 1:
        return refused(415, INVALID_REQUEST, "Content-Type must be application/json.")
    if (head.get("content-encoding") or "identity").lower() != "identity":
        return refused(415, INVALID_REQUEST, "Bodies are not read compressed.")
    if not admits(head, JSON):
        return refused(406, INVALID_REQUEST, "Accept must admit application/json, and should admit text/event-stream.")
    length = head.get("content-length") or "0"
    return too_large() if length.isdigit() and int(length[:20]) > LARGEST_BODY else None


def _page_form(head: Head) -> Answer | None:
    """Return the error response if a browser's request during a login must be refused, else None.

    GET is allowed. POST submits a form, which must come from a page of this server (`Sec-Fetch-Site`). `Origin` was
    checked before.
    """
    if head.method == "GET":
        return None
    if head.method != "POST":
        return refused(405, INVALID_REQUEST, "The method must be GET or POST.", ("Allow", "GET, POST"))
    if head.get("sec-fetch-site") not in (None, "same-origin"):
        return refused(403, INVALID_REQUEST, "This form is of another page.")
    kind = (head.get("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        return refused(415, INVALID_REQUEST, "Content-Type must be application/x-www-form-urlencoded.")
    return too_large(LARGEST_FORM) if most_to_read(head) > LARGEST_FORM else None


UNGUARDED = refused(403, INVALID_REQUEST, "This server serves its own machine alone; its settings can allow others.")
"""Response to a client on another machine, if the operator has not allowed other machines."""


def no_stream() -> Answer:
    """Return the error response to a client that accepts no event stream, although the response would be one."""
    return refused(406, INVALID_REQUEST, "Accept must admit text/event-stream.")


def too_large(most: int = LARGEST_BODY) -> Answer:
    """Return the error response to a body of more than `most` bytes."""
    return refused(413, INVALID_REQUEST, f"A body has at most {most:,} bytes.", ("Connection", "close"))


def too_long() -> Answer:
    """Return the error response to a request head that is too long (RFC 6585 section 5)."""
    sentence = (
        f"A head has at most {LONGEST_HEAD:,} bytes in {MOST_FIELDS} fields, and each field at most {LONGEST_FIELD:,}."
    )
    return refused(431, INVALID_REQUEST, sentence, ("Connection", "close"))


def unreadable(status: int) -> Answer:
    """Return the error response to bytes that are not a valid HTTP request."""
    return refused(
        status, INVALID_REQUEST, "This is no request of HTTP/1.1 that is read here.", ("Connection", "close")
    )


def broke() -> Answer:
    """Return the error response after an internal error."""
    return refused(500, INTERNAL_ERROR, "The server failed. Its log says more.", ("Connection", "close"))


def too_slow() -> Answer:
    """Return the error response to a body that did not arrive in time."""
    return refused(408, INVALID_REQUEST, "The body did not come in time.", ("Connection", "close"))


def broken() -> Answer:
    """Return the error response to a body with invalid framing."""
    return refused(400, INVALID_REQUEST, "The body is not framed as HTTP says.", ("Connection", "close"))


def most_to_read(head: Head) -> int:
    """Return the largest size in bytes that the body can have: its Content-Length, else LARGEST_BODY."""
    if head.method != "POST":
        return 0
    length = head.get("content-length") or ""
    return int(length) if length.isascii() and length.isdigit() and len(length) < 10 else LARGEST_BODY


def busy(sentence: str = "Too much is going on here. Come again in a moment.") -> Answer:
    """Return the error response for a server that has reached a limit, such as that of connections."""
    return refused(503, INVALID_REQUEST, sentence, ("Retry-After", "1"))


def accepted() -> Answer:
    """Return the 202 response to a message that has no JSON-RPC response, such as a notification."""
    return Answer(202)


class OwnPaths:
    """Finder of the server's own paths, such as `/mcp` and `/healthz`.

    With the URL `https://mcp.example.com/tools/mcp`, the path `/tools/mcp` is `/mcp`, and `/tools/healthz` is
    `/healthz`.
    """

    __slots__ = ("_endpoint", "_prefix")

    def __init__(self, url: str | None) -> None:
        """Create the finder. `url`: the URL of the MCP endpoint for clients, or None for the server's own address."""
        self._endpoint = urlsplit(url).path if url is not None else PATH
        self._prefix = self._endpoint.rpartition("/")[0]

    def find(self, path: str, root: str = "") -> str:
        """Return the server's own path for the path of a request. A path that is none of the server's stays as it is.

        `root`: prefix below which an ASGI server or an application serves this one (`root_path`), or "".
        """
        if path == PATH:
            return path
        for prefix in {root.rstrip("/"), quote(root.rstrip("/"))}:
            path = _below(path, prefix) or path
        if path.removesuffix("/") in (PATH, self._endpoint):
            return PATH
        # The endpoint may have another name than `/mcp` for clients, so its prefix alone is not enough.
        if (rest := _below(path, self._endpoint)) is not None:
            return PATH + rest
        return _below(path, self._prefix) or path


def _below(path: str, prefix: str) -> str | None:
    """Return the rest of a path after a prefix that ends at a slash of the path, or None for another path."""
    rest = path.removeprefix(prefix)
    return rest if prefix and path.startswith(f"{prefix}/") else None


HEADER_MISMATCH = -32020
METHOD, NAME, PARAMETER = "mcp-method", "mcp-name", "mcp-param-"
ANNOTATION = "x-mcp-header"

_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"} | dict.fromkeys(
    ("tasks/get", "tasks/update", "tasks/cancel"), "taskId"
)
"""Method -> member of `params` that the header field `Mcp-Name` repeats."""

_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?")
"""Pattern for a number as in JSON; leading zeros are allowed."""

_BEGIN, _END = "=?base64?", "?="
_SPELLED = {"Mcp-Method": METHOD, "Mcp-Name": NAME, "MCP-Protocol-Version": REVISION}


def check(head: Head, request: Request, repeated: Repeated) -> None:
    """Check that the HTTP header fields of a stateless request match its body.

    Raise Fault if `params._meta` is invalid, or if a header field that must repeat the body is missing, duplicate or
    different. `repeated(tool)` returns the arguments that header fields must repeat (`headers_of`).
    """
    meta = request.meta
    if not isinstance(meta, dict):
        raise Fault(INVALID_PARAMS, "params._meta must be an object.")
    version = named_revision(meta)
    _agree(head, "MCP-Protocol-Version", version)
    _agree(head, "Mcp-Method", request.method)
    named = request.params.get(_NAMED_BY.get(request.method, ""))
    if isinstance(named, str):
        _agree(head, "Mcp-Name", named)
    check_revision(version, meta)
    if request.method == "tools/call" and isinstance(named, str):
        _parameters(head, request.params, repeated(named))


def headers_of(schema: Members) -> dict[str, str]:
    """Return the arguments of a tool that header fields must repeat, from its input schema.

    Keys are paths of property names, joined by NUL. Values are names of header fields without `Mcp-Param-`.
    """
    found: dict[str, str] = {}
    _gather(schema, (), found)
    return found


def decoded(value: str) -> str:
    """Return the decoded value of a header field. Raise ValueError if its base64 is malformed."""
    if not (value.startswith(_BEGIN) and value.endswith(_END) and len(value) >= len(_BEGIN) + len(_END)):
        return value
    inner = value[len(_BEGIN) : -len(_END)]
    try:
        data = b64decode(inner, validate=True)
    except (Error, ValueError):
        raise ValueError("no base64") from None
    if b64encode(data).decode() != inner:
        raise ValueError("not the one way to write it")
    return data.decode()  # ValueError includes UnicodeDecodeError


def _agree(head: Head, spelled: str, meant: str) -> None:
    """Raise Fault unless the header field `spelled` occurs once and has the value `meant`."""
    found = head.all(_SPELLED[spelled])
    if found == [meant] and not meant.startswith(_BEGIN):
        return  # fast path: nothing to decode
    if len(found) != 1:
        says = "is missing" if not found else "is there more than once"
        raise Fault(HEADER_MISMATCH, f"The header {spelled} {says}. It must repeat what the body says.")
    try:
        said = decoded(found[0]) if spelled == "Mcp-Name" else found[0]
    except ValueError:
        raise Fault(HEADER_MISMATCH, f"The header {spelled} holds base64 that cannot be read.") from None
    if said != meant:
        raise Fault(HEADER_MISMATCH, f"The header {spelled} says something else than the body.")


def _parameters(head: Head, params: Members, repeated: dict[str, str]) -> None:
    """Raise Fault unless each header field that repeats an argument has the argument's value."""
    arguments = params.get("arguments", {})
    for path, name in repeated.items():
        value = _at(arguments, path.split("\0"))
        found = head.all(PARAMETER + name.lower())
        field = f"The header Mcp-Param-{name}"
        if value is None and found:
            raise Fault(HEADER_MISMATCH, f"{field} is there, and its argument is not.")
        if value is None:
            continue
        if len(found) != 1:
            raise Fault(HEADER_MISMATCH, f"{field} must be there once, and repeat its argument.")
        try:
            agrees = _equal(decoded(found[0]), value)
        except ValueError:
            raise Fault(HEADER_MISMATCH, f"{field} holds base64 that cannot be read.") from None
        if not agrees:
            raise Fault(HEADER_MISMATCH, f"{field} says something else than its argument.")


def _equal(said: str, value: object) -> bool:
    """Return True if the text of a header field equals `value`, which is a string, a number or a boolean."""
    if isinstance(value, bool):
        return said == ("true" if value else "false")
    if isinstance(value, (int, float)):
        exact = Decimal(value) if isinstance(value, int) or value.is_integer() else Decimal(repr(value))
        return _NUMBER.fullmatch(said) is not None and Decimal(said) == exact
    return said == value


def _at(arguments: object, steps: list[str]) -> object:
    for step in steps:
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(step)
    return arguments


def _gather(schema: object, path: tuple[str, ...], found: dict[str, str]) -> None:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return
    for name, inner in properties.items():
        if isinstance(inner, dict) and isinstance(inner.get(ANNOTATION), str):
            found["\0".join((*path, name))] = inner[ANNOTATION]
        _gather(inner, (*path, name), found)
