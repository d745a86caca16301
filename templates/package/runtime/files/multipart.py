# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode multipart/form-data (RFC 7578) as browsers do (WHATWG, "multipart/form-data encoding algorithm").

Names and file names are UTF-8. Only quotation marks and line breaks are percent-encoded, so a name cannot end its
header. The boundary comes from random bytes and does not occur in the content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from ..core.wire_formats import ABSENT
from ..request.argument_errors import Problem, Refused
from ..request.parameters import Header, value_of
from ..request.styles import STYLES, Expansion, Place, check_extent, json_bytes, scalar
from .files import media_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..tables.table import Field
    from ..tables.table import Parameter as Bound
    from ..tables.words import PartKind
    from .files import Files

_UNENCODED = Place(str)
_BREAKS = {ord('"'): "%22", ord("\r"): "%0D", ord("\n"): "%0A"}


class Part:
    """One part of a multipart body.

    `media_type` is "" if it is not sent; `file_name` is None if the part is not a file. `headers` holds further header
    fields, which are already validated.
    """

    __slots__ = ("content", "file_name", "headers", "media_type", "name")

    def __init__(
        self,
        name: str,
        content: bytes,
        media_type: str = "",
        file_name: str | None = None,
        headers: list[tuple[str, str]] | None = None,
    ) -> None:
        self.name = name
        self.content = content
        self.media_type = media_type
        self.file_name = file_name
        self.headers = headers or []

    def head(self) -> bytes:
        """Return the headers of the part, including the blank line before its content."""
        lines = f'Content-Disposition: form-data; name="{self.name.translate(_BREAKS)}"'
        if self.file_name is not None:
            lines += f'; filename="{self.file_name.translate(_BREAKS)}"'
        if self.media_type:
            lines += f"\r\nContent-Type: {self.media_type}"
        lines += "".join(f"\r\n{name}: {value}" for name, value in self.headers)
        return f"{lines}\r\n\r\n".encode()


def join(content_type: str, parts: list[Part], entropy: bytes) -> tuple[str, bytes]:
    """Return the Content-Type with its boundary, and the body.

    `entropy` holds at least 16 random bytes for the boundary.
    """
    boundary = _boundary(parts, entropy)
    line = b"--" + boundary
    pieces = [piece for part in parts for piece in (line, b"\r\n", part.head(), part.content, b"\r\n")]
    return f"{content_type}; boundary={boundary.decode()}", b"".join([*pieces, line, b"--\r\n"])


def _boundary(parts: list[Part], entropy: bytes) -> bytes:
    while True:
        boundary = b"mcpgen-" + entropy.hex().encode()
        if not any(boundary in part.content for part in parts):
            return boundary
        from hashlib import sha256  # a new boundary is needed only if this one occurs in the content

        entropy = sha256(entropy).digest()[:16]


def parts(field: Field, value: Any, arguments: dict[str, Any], files: Files | None) -> Iterator[Part]:
    """Yield the parts of one member of a multipart body. `field`: its entry in `bindings.json`."""
    if "style" in field:
        yield from _styled(field, value)
        return
    headers = [line for each in field.get("headers", ()) for line in _part_header(each, arguments)]
    many = (field.get("repeat", "part" not in field) or field.get("part") == "file") and isinstance(value, list)
    if many:
        check_extent(field["name"], value)
    for index, item in enumerate(value if many else [value]):
        kind: PartKind = field.get("part") or ("json" if isinstance(item, (dict, list)) else "text")
        media = field.get("contentType", "")
        if kind == "json":
            yield Part(field["name"], json_bytes(item), media or "application/json", headers=headers)
        elif item is None:
            continue
        elif kind == "xml":
            from ..templates import xmltext  # imported late: few APIs use XML

            yield Part(field["name"], xmltext.document(field["xml"], item).encode(), media, headers=headers)
        elif kind == "text":
            yield Part(field["name"], scalar(item).encode(), media, headers=headers)
        elif kind == "file":
            assert files is not None
            content, known, own = files.content(item)
            name = _file_name(field.get("filename", ""), arguments, index) or known
            content_type = media_type(media, content, name, own)
            yield Part(field["name"], content, content_type, name or field["name"], headers)
        else:
            assert_never(kind)


def _part_header(bound: Bound, arguments: dict[str, Any]) -> list[tuple[str, str]]:
    value = value_of(bound, arguments)
    if bound.get("required") and value is ABSENT:
        raise Refused(Problem(bound["argument"], "is required with this part"))
    return Header(bound).write(None if value is ABSENT else value)


def _styled(field: Field, value: Any) -> Iterator[Part]:
    """Yield multipart parts for a field: one for each name-value pair of the field's style (OpenAPI 3.1,
    4.8.15.1.1).
    """
    for pair in Expansion(STYLES[field["style"]], field["name"], field["explode"], _UNENCODED).parts(value):
        name, _, text = pair.partition("=")
        yield Part(name, text.encode(), "")


def _file_name(argument: str, arguments: dict[str, Any], index: int) -> str:
    given = arguments.get(argument) or ""
    name = (given[index] if index < len(given) else "") if isinstance(given, list) else str(given)
    if "/" in name or "\\" in name or "\0" in name:
        raise Refused(Problem(argument, "expected a file name without a directory"))
    return name
