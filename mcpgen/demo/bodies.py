"""Read request bodies: check the content type, and convert the bytes to checked values.

A wrong content type, an unreadable body or a body that is too large raises `WrongBody`. Wrong values are added to the
report of faults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcpgen.demo import wire
from mcpgen.demo.checks import Check, Report
from mcpgen.demo.http import Request

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


class WrongBody(Exception):
    """A body has a wrong content type, is too large, or cannot be parsed."""

    def __init__(self, status: int, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.kind = status, kind


Reader = Callable[[bytes, Mapping[str, str], Report], Any]
"""Function that converts the bytes of a body to a checked value, given the parameters of its content type."""


@dataclass(frozen=True, slots=True)
class Body:
    """The one content type that an operation accepts, and the reader for it. `limit`: maximum size of a body in
    bytes.
    """

    media: str
    reader: Reader
    limit: int | None = None

    def read(self, request: Request, report: Report) -> Any:
        """Return the checked value of the body. Raise WrongBody if its content type is not `media`, if it is larger
        than `limit`, or if it cannot be parsed.
        """
        kind, attributes = wire.media_type(request.header("Content-Type"))
        if kind != self.media:
            detail = f"This operation reads {self.media}, and not {kind or 'a body without a content type'}."
            raise WrongBody(415, "wrong-media-type", detail)
        if self.limit is not None and len(request.body) > self.limit:
            detail = f"The body has {len(request.body)} bytes; this operation accepts at most {self.limit}."
            raise WrongBody(413, "too-large", detail)
        try:
            return self.reader(request.body, attributes, report)
        except wire.Unreadable as unreadable:
            raise WrongBody(400, "unreadable-body", f"The body {unreadable}.") from None


def json_body(check: Check, media: str = "application/json") -> Body:
    return Body(media, lambda body, _, report: check(wire.json_value(body), report))


def text_body(check: Check) -> Body:
    def read(body: bytes, _: Mapping[str, str], report: Report) -> Any:
        try:
            return check(body.decode(), report)
        except UnicodeDecodeError:
            raise wire.Unreadable("is not UTF-8") from None

    return Body("text/plain", read)


def binary_body(media: str, check: Check, limit: int) -> Body:
    return Body(media, lambda body, _, report: check(body, report), limit)


def form_body(styles: Mapping[str, wire.Style], check: Check) -> Body:
    """Return the `Body` for the content type application/x-www-form-urlencoded.

    `styles`: name of a field → style by which it is read; other fields are single values. `check` checks the whole form
    as an object.
    """

    def read(body: bytes, _: Mapping[str, str], report: Report) -> Any:
        if not body.isascii():
            raise wire.Unreadable("has characters that must be percent-encoded")
        found = wire.pairs(body.decode())
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, value in found:
            member = name.partition("[")[0]
            groups.setdefault(member if styles.get(member) is wire.deep else name, []).append((name, value))
        return check({name: _member(styles, name, group) for name, group in groups.items()}, report)

    return Body(FORM, read)


def _member(styles: Mapping[str, wire.Style], name: str, group: wire.Pairs) -> Any:
    try:
        return styles.get(name, wire.single)(name, group)
    except wire.Unreadable as unreadable:
        raise wire.Unreadable(f"has {name}, which {unreadable}") from None


def multipart_body(readers: Mapping[str, Callable[[wire.Part], Any]], check: Check, limit: int) -> Body:
    """Return the `Body` for the content type multipart/form-data.

    `readers`: name of a part → function that converts it. `check` checks the whole form and refuses unknown parts.
    `limit`: maximum size of the body in bytes.
    """

    def read(body: bytes, attributes: Mapping[str, str], report: Report) -> Any:
        if "boundary" not in attributes:
            raise wire.Unreadable("is not multipart: its content type names no boundary")
        value: dict[str, Any] = {}
        for part in wire.multipart(body, attributes["boundary"]):
            if part.name in value:
                raise wire.Unreadable(f"has the part {part.name} twice")
            value[part.name] = readers.get(part.name, file_part)(part)
        return check(value, report)

    return Body(MULTIPART, read, limit)


def text_part(part: wire.Part) -> Any:
    """Return the text of a plain text part. Raises Unreadable for a file or another content type."""
    if part.filename is not None or wire.media_type(part.content_type)[0] != "text/plain":
        raise wire.Unreadable(f"has {part.name} as a file or as {part.content_type}, and it is plain text")
    try:
        return part.data.decode()
    except UnicodeDecodeError:
        raise wire.Unreadable(f"has text in {part.name} that is not UTF-8") from None


def json_part(part: wire.Part) -> Any:
    """Return the value of a part with the content type JSON. Raises Unreadable for another content type."""
    if wire.media_type(part.content_type)[0] != "application/json":
        raise wire.Unreadable(f"has {part.name} as {part.content_type}, and it must be application/json")
    try:
        return wire.json_value(part.data)
    except wire.Unreadable as unreadable:
        raise wire.Unreadable(f"has a part {part.name} that {unreadable}") from None


def file_part(part: wire.Part) -> Any:
    """Return `part` itself, since a file in a multipart body is not converted."""
    return part
