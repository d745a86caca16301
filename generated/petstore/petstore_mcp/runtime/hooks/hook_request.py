# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Convert a request for hooks, and apply the changes that hooks make. Changed requests get the same checks as other
requests. Pure functions.

Parts that a hook does not change keep their bytes. Values that a hook adds are encoded by the rules for their place;
values that cannot be encoded are refused. So a hook cannot accidentally change the destination of a request or the
boundaries of its parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from .. import hooks
from ..request.argument_errors import Refused, Unsendable
from ..request.parameters import COOKIE, LINE_BREAK, QUERY
from ..request.request import Request, check_target, misleads
from ..request.styles import percent
from ..text import fields

Pair = tuple[str, str]


def shown(built: Request) -> hooks.Request:
    """Return the request as a hook receives it."""
    return hooks.Request(
        built.method,
        tuple(map(unquote, built.path.removeprefix("/").split("/"))),
        tuple(map(_read, built.query)),
        tuple(built.headers),
        tuple(map(_read, built.cookies)),
        built.body,
    )


# A hook may log the request that it sees, so credentials are added after all hooks (docs/decisions/calls.md).
def rewritten(built: Request, wanted: hooks.Request) -> Request:
    """Return the request with the changes of a hook. `wanted`: the request that the hook returned.

    Raise Unsendable if the changed request cannot be sent. Its message is a clause without values of the request.
    """
    before = shown(built)
    if wanted.method != built.method:
        raise Unsendable("the method of a request stays what it is")
    if not (wanted.body is None or isinstance(wanted.body, bytes)):
        raise Unsendable("a body is bytes")
    made = Request(
        built.method, _path(built.path, before.segments, _texts(wanted.segments)), built.server, built.template
    )
    made.query = _kept(built.query, before.query, _pairs(wanted.query), _query_pair)
    made.cookies = _kept(built.cookies, before.cookies, _pairs(wanted.cookies), _cookie_pair)
    made.headers = _kept(built.headers, before.headers, _pairs(wanted.headers), _header)
    made.body = wanted.body
    try:
        check_target(made)
    except Refused as refused:
        raise Unsendable(refused.problems[0].text) from None
    return made


def _read(pair: str) -> Pair:
    name, _, value = pair.partition("=")
    return unquote(name), unquote(value)


def _kept(
    written: list[Any], before: tuple[Any, ...], wanted: tuple[Any, ...], write: Callable[[Any], Any]
) -> list[Any]:
    """Return the encoded form of `wanted`: segments, pairs or header fields of the request that a hook returned.

    `before` and `written`: the same parts of the request that the hook received, and their encoded forms. A part that
    the hook did not change keeps its encoded form; `write` encodes a new part.
    """
    left: dict[Any, list[Any]] = {}
    for part, text in zip(before, written, strict=True):
        left.setdefault(part, []).append(text)
    return [left[part].pop(0) if left.get(part) else write(part) for part in wanted]


def _path(written: str, before: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    if not wanted or _blanks(wanted) > _blanks(before):
        raise Unsendable("a segment of the path is empty")
    segments = _kept(written.removeprefix("/").split("/"), before, wanted, percent)
    if any(misleads(segment) or LINE_BREAK.search(segment) for segment in segments):
        raise Unsendable("a segment of the path can be read as something else")
    return "/" + "/".join(segments)


def _blanks(segments: tuple[str, ...]) -> int:
    return sum(not segment.strip() for segment in segments)


def _query_pair(pair: Pair) -> str:
    name, value = pair
    if not name or "\0" in name + value:
        raise Unsendable("a query parameter has no name, or holds a NUL character")
    return f"{QUERY.name(name)}={QUERY.value(value)}"


def _cookie_pair(pair: Pair) -> str:
    if not pair[0]:
        raise Unsendable("a cookie has no name")
    return f"{COOKIE.name(pair[0])}={COOKIE.value(pair[1])}"


def _header(pair: Pair) -> Pair:
    name, value = pair
    if name.lower() == "cookie" or not fields.is_name(name):
        raise Unsendable("a header has a name that a hook may not set")
    if not fields.is_value(value):
        raise Unsendable("a header is more than visible ASCII characters, or has blanks at its ends")
    return pair


def _pairs(given: Any) -> tuple[Pair, ...]:
    if not isinstance(given, (tuple, list)):
        raise Unsendable("the query, the headers or the cookies are no sequence of pairs")
    return tuple(map(_pair, given))


def _pair(given: Any) -> Pair:
    texts = _texts(given)
    if len(texts) != 2:
        raise Unsendable("a name stands without its value")
    return texts[0], texts[1]


def _texts(given: Any) -> tuple[str, ...]:
    """Return `given`, a value from a hook, as a tuple of texts. Raise Unsendable if it is not a sequence of texts."""
    if not isinstance(given, (tuple, list)) or not all(isinstance(text, str) for text in given):
        raise Unsendable("a segment, a name or a value is no text")
    try:
        "".join(given).encode()
    except UnicodeEncodeError:
        raise Unsendable("a text holds lone surrogates") from None
    return tuple(given)
