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
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from . import bodies, ownership, parameters
from .refusal import Gathering, Problem, Refused, Unsendable

if TYPE_CHECKING:
    from .catalog import Tool
    from .files import Files

Written = TypeVar("Written")

LONGEST_TARGET = 32 * 1024
"""In bytes. Servers commonly stop at 8 KiB, and none is known to read more than this."""

LONGEST_HEAD = 32 * 1024
"""In bytes, of all header fields of a request: the same is true of them."""

_CHARACTERS = r"[A-Za-z0-9\-._~!$&'()*+,;=:@/\[\]]|%[0-9A-Fa-f]{2}"
_TARGET = re.compile(rf"/(?:{_CHARACTERS})*(?:\?(?:{_CHARACTERS}|\?)+)?")
_HOLE = re.compile(r"\{(\w*)\}")

OTHERS: Any = object()
"""Stands among the arguments for all that a call gives beyond what the schema names, where that is allowed."""

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
        return next((value for name, value in self.headers if is_key(name)), "")

    @property
    def fields(self) -> list[tuple[str, str]]:
        """All header fields: the cookies make one."""
        return [*self.headers, ("Cookie", "; ".join(self.cookies))] if self.cookies else self.headers


def is_key(name: str) -> bool:
    """Whether a header field of that name carries the key of a request that may come twice
    (draft-ietf-httpapi-idempotency-key-header)."""
    return name.lower() == "idempotency-key"


def sender_fields(request: Request, agent: str) -> list[tuple[str, str]]:
    """What a request says of its sender, behind its own fields and where these do not say it."""
    own = {name.lower() for name, _ in request.headers}
    usual = [("User-Agent", agent), ("Accept-Encoding", "gzip, deflate")]
    return [field for field in usual if field[0].lower() not in own]


def build(tool: Tool, arguments: dict[str, Any], files: Files, entropy: bytes) -> Request:
    """The request for arguments that were checked. Raises Refused with every problem that was found.

    `entropy` is at least 16 random bytes, for the boundary of a multipart body and for what the server makes itself.
    """
    binding = tool.binding
    made = {each["argument"]: _uuid(entropy) for each in binding.get("headers", ()) if "made" in each}
    arguments = {**made, **tool.given(arguments)}
    gathering = Gathering()
    given = {name: exact for name, value in arguments.items() for exact in gathering.one(_exactly, name, value)}
    gathering.done()
    if binding.get("open"):
        known = {*tool.schema.get("properties", {}), *binding.get("also", ())}
        given[OTHERS] = {name: value for name, value in given.items() if name not in known}

    def written(write: Callable[[Any, Any], list[Written]], bound: dict[str, Any]) -> list[Written]:
        named = _first_argument(bound)
        return gathering.one(lambda parameter: write(parameter, parameters.value_of(parameter, given)), named, bound)

    pieces = [
        part if isinstance(part, str) else "".join(written(parameters.path_piece, part)) for part in binding["path"]
    ]
    request = Request(binding["method"], "".join(pieces), binding.get("server", 0), skeleton(binding["path"]))
    pairs = [(each, written(parameters.query_pairs, each)) for each in binding.get("query", [])]
    pairs += [(each, written(parameters.query_string, each)) for each in binding.get("querystring", [])]
    headers = [field for each in binding.get("headers", []) for field in written(parameters.header, each)]
    cookies = [(each, written(parameters.cookies, each)) for each in binding.get("cookies", [])]
    body = None
    if "body" in binding:
        body = gathering.one(lambda body: bodies.build(body, given, files, entropy), "", binding["body"])
    gathering.done()

    request.headers = [("Accept", binding.get("accept", "*/*"))]
    if body:
        content_type, request.body = body[0]
        request.headers.append(("Content-Type", content_type))
    request.headers += headers
    request.query = _disjoint(pairs, "query parameter", binding.get("withheld", {}).get("query", ()))
    request.cookies = _disjoint(cookies, "cookie", binding.get("withheld", {}).get("cookies", ()))
    _compare(request)
    return request


def _first_argument(bound: dict[str, Any]) -> str:
    """What a parameter is called in front of a model."""
    if "template" not in bound:
        return str(bound.get("argument", ""))
    from . import templates  # only tools written by hand have some

    return templates.argument_of(bound["template"])


def _uuid(entropy: bytes) -> str:
    """A UUID of version 4 (RFC 9562 section 5.4) of the first 16 bytes."""
    text = bytearray(entropy[:16])
    text[6], text[8] = text[6] & 0x0F | 0x40, text[8] & 0x3F | 0x80
    return "-".join(text[start:end].hex() for start, end in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 16)))


def skeleton(path: list[Any]) -> str:
    """The path of a binding with the names of arguments in place of their values."""
    return "".join(part if isinstance(part, str) else f"{{{part.get('argument', '')}}}" for part in path)


def _exactly(value: Any) -> tuple[Any]:
    """As one of many."""
    return (_exact(value),)


def _exact(value: Any) -> Any:
    """The value with floats that are integral as integers: to JSON Schema they are (1.0 is an integer), to many servers
    they are not. Raises Unsendable for a lone surrogate, which no encoding can carry."""
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


def _disjoint(written: list[tuple[dict[str, Any], list[str]]], place: str, withheld: Iterable[str]) -> list[str]:
    """The pairs of all parameters; an exploded object must not write the name of another parameter."""
    if not any(pairs for _, pairs in written):
        return []
    named = [(_first_argument(each), each, ownership.names_of(pairs)) for each, pairs in written]
    ownership.check(named, place, withheld)
    return [pair for _, pairs in written for pair in pairs]


def check_target(request: Request) -> None:
    """Raises Refused where path and query are no request target, or one that servers do not read."""
    target = request.target
    size = len(target)
    if size > LONGEST_TARGET:
        raise Refused(Problem("", f"the request target is longer than {LONGEST_TARGET >> 10} KiB ({size} bytes)"))
    head = sum(len(name) + len(value) + len(": \r\n") for name, value in request.fields)
    if head > LONGEST_HEAD:
        raise Refused(Problem("", f"the header fields are longer than {LONGEST_HEAD >> 10} KiB ({head} bytes)"))
    if not _TARGET.fullmatch(target):
        raise Refused(Problem("", "the request target holds characters that no URL has"))


def _compare(request: Request) -> None:
    """What will be sent against what the binding says. Raises Refused before a byte leaves."""
    check_target(request)
    expected, sent = _segments(request.template), request.path.split("/")
    if len(expected) != len(sent):
        raise Refused(Problem("", "the arguments would make another path"))
    for (holes, pattern), segment in zip(expected, sent, strict=True):
        if holes and misleads(segment):
            raise Refused(Problem(holes[0], "expected text that cannot be read as a step to another path"))
        if not pattern.fullmatch(segment):
            raise Refused(Problem("".join(holes[:1]), "the arguments would make another path"))


@lru_cache(maxsize=256)
def _segments(template: str) -> list[tuple[list[str], re.Pattern[str]]]:
    """Of each segment of a skeleton the arguments in it, and what it looks like when they are filled in."""
    return [
        (_HOLE.findall(segment), re.compile(".+".join(map(re.escape, _HOLE.split(segment)[::2]))))
        for segment in template.split("/")
    ]


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
