"""Parse the raw text and bytes of requests: parameter styles of OpenAPI, urlencoded pairs, multipart bodies.

The parsers follow only RFC 3986, 6570, 7578 and OpenAPI 3.1, as a receiver of requests. They know no schemas: a scalar
becomes a `Wire`, a string whose JSON type is unknown. Unreadable input raises `Unreadable` with the end of a sentence,
such as "is not UTF-8".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

Pairs = Sequence[tuple[str, str]]
Style = Callable[[str, Pairs], Any]
"""Function that reads the value of a parameter. Arguments: its name, and its name=value pairs (at least one; names
decoded, values still percent-encoded).
"""

# Characters allowed by RFC 3986 and, by custom, `|`. All others (spaces, quotes, braces, non-ASCII) must be
# percent-encoded.
_WRITTEN = re.compile(r"(?:[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=|]|%[0-9A-Fa-f]{2})*")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_ATTRIBUTE = re.compile(r';\s*([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))')


class Wire(str):
    """A string from a place that carries only text: `12` may be a number, a string or the start of a date."""

    __slots__ = ()


class Unreadable(ValueError):
    """Raised if a part of a request, such as its query or body, has a wrong syntax. The message says what is wrong."""


def decode(raw: str, plus: bool = False) -> Wire:
    """Percent-decode strictly. `plus`: True to read `+` as a space, as forms and most servers' query strings do."""
    if not _WRITTEN.fullmatch(raw):
        raise Unreadable(f"has characters that must be percent-encoded: {json.dumps(raw)}")
    try:
        return Wire(unquote_to_bytes(raw.replace("+", " ") if plus else raw).decode())
    except UnicodeDecodeError:
        raise Unreadable(f"is not UTF-8: {raw}") from None


def pairs(query: str) -> list[tuple[str, str]]:
    """Return the (name, value) pairs of a query string or a urlencoded body. Names are decoded, values are not."""
    split = (part.partition("=") for part in query.split("&") if part)
    return [(decode(name, plus=True), value) for name, _, value in split]


def cookies(header: str | None) -> list[tuple[str, str]]:
    """Return the pairs of a `Cookie` header (RFC 6265, 4.2.1)."""
    split = (part.strip().partition("=") for part in (header or "").split(";") if part.strip())
    return [(name, value) for name, _, value in split]


def _only(found: Pairs) -> str:
    if len(found) > 1:
        raise Unreadable(f"is given {len(found)} times, and once is enough")
    return found[0][1]


def single(_: str, found: Pairs) -> Any:
    """Read a scalar in a query, a form or a cookie."""
    return decode(_only(found), plus=True)


def exploded(_: str, found: Pairs) -> Any:
    """Read an array in style form, explode true: `a=1&a=2`."""
    return [decode(value, plus=True) for _, value in found]


def _delimited(delimiter: str) -> Style:
    # Split before decoding, since an encoded comma is part of a value. A space is always encoded: `%20` or `+`.
    def style(_: str, found: Pairs) -> Any:
        return [decode(item, plus=True) for item in re.split(delimiter, _only(found), flags=re.IGNORECASE)]

    return style


commas = _delimited(",")
"""Read an array in style form, explode false: `a=1,2`."""
spaces = _delimited(r"%20|\+")
"""Read an array in style spaceDelimited: `a=1%202`."""
pipes = _delimited(r"%7C|\|")
"""Read an array in style pipeDelimited: `a=1%7C2`, or with an unencoded bar."""


def deep(name: str, found: Pairs) -> Any:
    """Read an object in style deepObject, nested to any depth: `a[b]=1&a[c][d]=2`."""
    value: dict[str, Any] = {}
    for key, raw in found:
        steps = _BRACKETS.findall(key[len(name) :])
        if not steps or key != name + "".join(f"[{step}]" for step in steps):
            raise Unreadable(f"is an object, written as {name}[property]=value, and not as {key}")
        inner: Any = value
        for step in steps[:-1]:
            inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner
        if not isinstance(inner, dict) or steps[-1] in inner:
            raise Unreadable(f"has {key} twice")
        inner[steps[-1]] = decode(raw, plus=True)
    return value


def content(_: str, found: Pairs) -> Any:
    """Read a parameter that is written as JSON (`content: application/json`)."""
    return json_value(decode(_only(found), plus=True))


def segment(_: str, found: Pairs) -> Any:
    """Read a scalar of the path, in style simple: `1`."""
    return decode(_only(found))


def segments(_: str, found: Pairs) -> Any:
    """Read an array of the path, in style simple: `1,2`."""
    return [decode(item) for item in _only(found).split(",")]


def label(_: str, found: Pairs) -> Any:
    """Read a scalar in style label: `.csv` is the value `csv`."""
    raw = _only(found)
    if not raw.startswith("."):
        raise Unreadable("must be written in label style, with a dot in front")
    return decode(raw[1:])


def matrix(_: str, found: Pairs) -> Any:
    """Read an object in style matrix, explode true: `;from=1;to=2`."""
    raw = _only(found)
    members = [part.partition("=") for part in raw.split(";")[1:]]
    if not raw.startswith(";") or len({name for name, _, _ in members}) < len(members):
        raise Unreadable("must be written in matrix style, each property once: ;property=value;property=value")
    return {decode(name): decode(value) for name, _, value in members}


def line(_: str, found: Pairs) -> Any:
    """Read a scalar header. Headers are not percent-encoded."""
    return Wire(_only(found))


def listed(_: str, found: Pairs) -> Any:
    """Read an array of a header, in style simple. Several lines of the same name are one list (RFC 9110, 5.3)."""
    return [Wire(item.strip()) for _, value in found for item in value.split(",")]


def _refuse_constant(name: str) -> Any:
    raise Unreadable(f"is not JSON: {name} is not a number there")


def json_value(text: str | bytes) -> Any:
    """Parse strict JSON: UTF-8, no NaN, no infinities, no lone surrogates."""
    try:
        value = json.loads(text.decode() if isinstance(text, bytes) else text, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None
    except UnicodeEncodeError:
        raise Unreadable("is not Unicode: an escape gives half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a multipart body. `filename`: None if the part is no file."""

    name: str
    filename: str | None
    content_type: str
    data: bytes


def media_type(header: str | None) -> tuple[str, dict[str, str]]:
    """Return the media type of a `Content-Type` in lower case, and its parameters; both empty if there is none."""
    kind, _, _ = (header or "").partition(";")
    return kind.strip().lower(), _attributes(header or "")


def multipart(body: bytes, boundary: str) -> list[Part]:
    """Return the parts of a multipart/form-data body (RFC 7578), in order."""
    delimiter = b"\r\n--" + boundary.encode()
    first, *rest = (b"\r\n" + body).split(delimiter)
    if first or not rest or rest[-1].strip() != b"--":
        raise Unreadable(f"is not multipart: it must begin with --{boundary} and end with --{boundary}--")
    return [_part(piece) for piece in rest[:-1]]


def _part(piece: bytes) -> Part:
    head, gap, data = piece.partition(b"\r\n\r\n")
    if not gap or not head.startswith(b"\r\n"):
        raise Unreadable("is not multipart: a part has no empty line after its headers")
    try:
        lines = [text.partition(":") for text in head.decode().split("\r\n")[1:]]
    except UnicodeDecodeError:
        raise Unreadable("is not multipart: the headers of a part are not UTF-8") from None
    headers = {name.strip().lower(): value.strip() for name, _, value in lines}
    disposition = headers.get("content-disposition", "")
    attributes = _attributes(disposition)
    if not disposition.startswith("form-data") or "name" not in attributes:
        raise Unreadable('is not multipart: a part has no Content-Disposition: form-data; name="..."')
    return Part(attributes["name"], attributes.get("filename"), headers.get("content-type", "text/plain"), data)


def _attributes(header: str) -> dict[str, str]:
    found = _ATTRIBUTE.findall(header)
    return {name.lower(): re.sub(r"\\(.)", r"\1", quoted) or plain for name, quoted, plain in found}
