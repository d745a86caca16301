# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""A tool and its arguments become an HTTP request. Pure: the bytes of files and the random bytes are handed in.

Invariants, whatever the arguments are:
- the path has exactly the template's segments, the literal ones unchanged; a value fills one segment, or a part of one,
  and none is a dot segment, not even after being decoded three times over;
- no parameter writes a name of another, or a withheld one, into the query, the cookies or a form;
- the target is percent-encoded ASCII of bounded length.
They are compared with what was built, not with what was meant, so that no way of writing a value is trusted with them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from . import bodies
from .argument_errors import Problem, Refused, Unsendable, problems_of
from .name_conflicts import OTHERS, Shared, fold
from .parameters import Cookies, Header, PathPiece, QueryPairs, QueryString, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.catalog import Tool
    from ..core.table import Parameter as Bound
    from .files import Files
    from .parameters import Parameter

    Entropy = Callable[[int], bytes]

LONGEST_TARGET = 32 * 1024
"""In bytes. Servers commonly stop at 8 KiB, and none is known to read more than this."""

LONGEST_HEAD = 32 * 1024
"""In bytes, of all header fields of a request: the same is true of them."""

_AROUND = len(": \r\n")
"""Bytes of a header field besides name and value."""

_PLAIN = r"A-Za-z0-9\-._~!$&'()*+,;=:@/\[\]"
_TRIPLE = "%[0-9A-Fa-f]{2}"
# Possessive, so that a long target is read in long steps, and none of them twice.
_TARGET = re.compile(rf"/(?:[{_PLAIN}]++|{_TRIPLE})*+(?:\?(?:[{_PLAIN}?]++|{_TRIPLE})++)?")
_HOLE = re.compile(r"\{(\w*)(\??)\}")
_KEY = "idempotency-key"
_SENDERS = ("user-agent", "accept-encoding")

# Below it, a float that is integral is exactly that integer.
_EXACT = 2**53


class Request:
    """What is sent, but for the server's address and its credentials. `template` is the path as a log may show it,
    without the values of arguments; `rewritten` is the hook that made it another one, if any did.
    """

    __slots__ = ("body", "cookies", "headers", "method", "path", "query", "rewritten", "server", "template")

    def __init__(self, method: str, path: str, server: int = 0, template: str | None = None) -> None:
        self.method = method
        self.path = path
        self.template = path if template is None else template
        self.rewritten = ""
        self.server = server
        self.query: list[str] = []
        self.headers: list[tuple[str, str]] = []
        self.cookies: list[str] = []
        self.body: bytes | None = None

    @property
    def target(self) -> str:
        """Path and query as they are sent behind the base path of the server."""
        return f"{self.path}?{'&'.join(self.query)}" if self.query else self.path

    @property
    def key(self) -> str:
        """By what the upstream knows the request where it comes twice; "" where it carries no such key."""
        if _KEY not in self.names:
            return ""  # as most
        return next(value for name, value in self.headers if is_key(name))

    @property
    def names(self) -> set[str]:
        """The names of its header fields but for that of the cookies, in lower case."""
        return {*map(str.lower, dict(self.headers))}

    @property
    def fields(self) -> list[tuple[str, str]]:
        """All header fields: the cookies make one."""
        return [*self.headers, ("Cookie", "; ".join(self.cookies))] if self.cookies else self.headers


def is_key(name: str) -> bool:
    """Whether a header field of that name carries the key of a request that may come twice
    (draft-ietf-httpapi-idempotency-key-header)."""
    return name.lower() == _KEY


def sender_fields(request: Request, agent: str) -> list[tuple[str, str]]:
    """What a request says of its sender, behind its own fields and where these do not say it."""
    own = request.names
    usual = [("User-Agent", agent), ("Accept-Encoding", "gzip, deflate")]
    return usual if own.isdisjoint(_SENDERS) else [field for field in usual if field[0].lower() not in own]


# Decision 0151: What depends on a tool alone is found out once.
class Plan:
    """What of the requests of a tool no call changes. Its `path` has a `%s` for each of the `pieces`."""

    __slots__ = (
        "accept",
        "body",
        "cookies",
        "credentials",
        "defaults",
        "headers",
        "made",
        "method",
        "named",
        "path",
        "pieces",
        "query",
        "server",
        "template",
    )

    def __init__(self, tool: Tool) -> None:
        binding = tool.binding
        path, headers, withheld = binding["path"], binding.get("headers", ()), binding.get("withheld", {})
        query = [*map(QueryPairs, binding.get("query", ())), *map(QueryString, binding.get("querystring", ()))]
        cookies = [*map(Cookies, binding.get("cookies", ()))]
        self.method = binding["method"]
        self.server = binding.get("server", 0)
        self.template = skeleton(path)
        self.path = "".join(part.replace("%", "%%") if isinstance(part, str) else "%s" for part in path)
        self.pieces = [PathPiece(part) for part in path if not isinstance(part, str)]
        #: Servers that look for a parameter in the query find it in a form too, so names of the query count for both.
        self.credentials = frozenset(map(fold, tool.credentials.get("query", ())))
        kept = frozenset(map(fold, tool.credentials.get("cookie", ())))
        self.query = Shared(query, "query parameter", withheld.get("query", ()), self.credentials) if query else None
        self.cookies = Shared(cookies, "cookie", withheld.get("cookies", ()), kept) if cookies else None
        self.headers = [*map(Header, headers)]
        self.accept = "Accept", str(binding.get("accept", "*/*"))
        self.body = binding.get("body")
        self.defaults: dict[str, Any] = binding.get("defaults", {})
        #: The arguments that the server makes itself, where a call does not give them.
        self.made = [each["argument"] for each in headers if "made" in each]
        #: Where others are allowed, the arguments that have names.
        self.named = {*tool.schema.get("properties", {}), *binding.get("also", ())} if binding.get("open") else None


def build(tool: Tool, arguments: dict[str, Any], files: Files, entropy: Entropy) -> Request:
    """The request for arguments that were checked. Raises Refused with every problem that was found.

    `entropy` makes so many random bytes, for the boundary of a multipart body and for what the server makes itself.
    """
    plan: Plan = tool.plan or Plan(tool)
    tool.plan = plan
    given = _given(plan, arguments, entropy)
    problems: list[Problem] = []
    pieces = _written(plan.pieces, given, problems)
    query = _written(plan.query.parameters, given, problems) if plan.query else []
    headers = _written(plan.headers, given, problems) if plan.headers else []
    cookies = _written(plan.cookies.parameters, given, problems) if plan.cookies else []
    body = _body(plan, given, files, entropy, problems)
    if problems:
        raise Refused(*problems)
    request = Request(plan.method, plan.path % tuple(pieces), plan.server, plan.template)
    request.headers = [plan.accept]
    if body:
        content_type, request.body = body[0]
        request.headers.append(("Content-Type", content_type))
    for found in headers:
        request.headers += found
    if plan.query:
        request.query = plan.query.joined(query)
    if plan.cookies:
        request.cookies = plan.cookies.joined(cookies)
    _compare(request)
    return request


def _given(plan: Plan, arguments: dict[str, Any], entropy: Entropy) -> dict[str, Any]:
    """All values of a call: its own, and what is sent for those that it leaves out. Raises Refused."""
    given = plan.defaults | arguments
    if plan.made:
        given = dict.fromkeys(plan.made, _uuid(entropy(16))) | given
    problems: list[Problem] = []
    for name, value in given.items():
        try:
            given[name] = _exact(value)
        except Unsendable as reason:
            problems += problems_of(reason, name)
    if problems:
        raise Refused(*problems)
    if plan.named is not None:
        given[OTHERS] = {name: value for name, value in given.items() if name not in plan.named}
    return given


def _written(parameters: Sequence[Parameter[Written]], given: dict[str, Any], problems: list[Problem]) -> list[Written]:
    """What each writes, in order; what is refused instead is added to the problems."""
    found = []
    for parameter in parameters:
        try:
            found.append(parameter.write(parameter.value(given)))
        except (Unsendable, Refused) as reason:
            problems += problems_of(reason, parameter.argument)
    return found


def _body(
    plan: Plan, given: dict[str, Any], files: Files, entropy: Entropy, problems: list[Problem]
) -> list[bodies.Content]:
    """The same of the body."""
    try:
        return bodies.build(plan.body, given, files, entropy(16), plan.credentials) if plan.body else []
    except (Unsendable, Refused) as reason:
        problems += problems_of(reason, "")
    return []


def _uuid(entropy: bytes) -> str:
    """A UUID of version 4 (RFC 9562 section 5.4) of 16 bytes."""
    text = bytearray(entropy)
    text[6], text[8] = text[6] & 0x0F | 0x40, text[8] & 0x3F | 0x80
    return "-".join(text[start:end].hex() for start, end in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 16)))


def skeleton(path: list[str | Bound]) -> str:
    """The path of a binding with the names of arguments in place of their values, `?` behind that of one that may be
    empty.
    """
    return "".join(part if isinstance(part, str) else _hole(part) for part in path)


def _hole(bound: Bound) -> str:
    return f"{{{bound.get('argument', '')}{'?' if bound.get('mayBeEmpty') else ''}}}"


def _exact(value: Any) -> Any:
    """The value with floats that are integral as integers: to JSON Schema they are (1.0 is an integer), to many servers
    they are not. Raises Unsendable for a lone surrogate, which no encoding can carry."""
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Unsendable("expected text without lone surrogates") from None
    elif isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    elif isinstance(value, list):
        return [_exact(item) for item in value]
    elif isinstance(value, dict):
        return {_exact(name): _exact(member) for name, member in value.items()}
    return value


def check_target(request: Request) -> None:
    """Raises Refused where path and query are no request target, or one that servers do not read."""
    target = request.target
    size = len(target)
    if size > LONGEST_TARGET:
        raise Refused(Problem("", f"the request target is longer than {LONGEST_TARGET >> 10} KiB ({size} bytes)"))
    fields = request.fields
    head = sum(map(len, chain(*fields))) + _AROUND * len(fields)
    if head > LONGEST_HEAD:
        raise Refused(Problem("", f"the header fields are longer than {LONGEST_HEAD >> 10} KiB ({head} bytes)"))
    if not _TARGET.fullmatch(target):
        raise Refused(Problem("", "the request target holds characters that no URL has"))


def _compare(request: Request) -> None:
    """What will be sent against what the binding says. Raises Refused before a byte leaves."""
    check_target(request)
    whole, filled = _form(request.template)
    found = whole.fullmatch(request.path)
    if found is None:
        raise Refused(Problem("", "the arguments would make another path"))
    for (argument, pattern), segment in zip(filled, found.groups(), strict=True):
        if misleads(segment):
            raise Refused(Problem(argument, "expected text that cannot be read as a step to another path"))
        if not pattern.fullmatch(segment):
            raise Refused(Problem(argument, "the arguments would make another path"))


@lru_cache(maxsize=256)
def _form(template: str) -> tuple[re.Pattern[str], list[tuple[str, re.Pattern[str]]]]:
    """What the path of a skeleton looks like, each segment with arguments in it a group; and of each of these its first
    argument, and what it looks like when it is filled in."""
    segments = template.split("/")
    whole = "/".join("([^/]*)" if _HOLE.search(segment) else re.escape(segment) for segment in segments)
    return re.compile(whole), [_filled(segment) for segment in segments if _HOLE.search(segment)]


def _filled(segment: str) -> tuple[str, re.Pattern[str]]:
    """The first argument in a segment of a skeleton, and what the segment looks like when it is filled in."""
    first, *rest = _HOLE.split(segment)  # a literal, then a name, whether it may be empty, and a literal, in turns
    pieces = (f"{'.*' if rest[at + 1] else '.+'}{re.escape(rest[at + 2])}" for at in range(0, len(rest), 3))
    return rest[0], re.compile(re.escape(first) + "".join(pieces))


def misleads(segment: str) -> bool:
    """Whether any server might take it for a dot segment: as sent, after up to three decodings, with `\\` for `/`, or
    with parameters behind a semicolon taken off."""
    if "." not in segment and "%" not in segment:
        return False  # whatever is decoded, no dot comes of it
    for _ in range(4):
        if any(piece.partition(";")[0] in (".", "..") for piece in re.split(r"[/\\]", segment)):
            return True
        segment = unquote(segment)
    return False
