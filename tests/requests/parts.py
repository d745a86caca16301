"""Split a multipart body into parts by the standard library's mail parser (RFC 2046, RFC 7578)."""

from __future__ import annotations

from email.message import Message
from email.parser import Parser
from typing import NamedTuple

from tests.requests.pairs import Unreadable

# Browsers encode these three characters in a name (WHATWG, "multipart/form-data encoding algorithm").
_WRITTEN = {"%22": '"', "%0D": "\r", "%0A": "\n"}


class Part(NamedTuple):
    """One part of a multipart body. `media_type` and `file_name` are None if the part does not give them."""

    name: str
    content: bytes
    media_type: str | None
    file_name: str | None


def parts(content_type: str, body: bytes) -> list[Part]:
    """Return the parts of a multipart body in order. The parser takes text, so the body is decoded as Latin-1, which
    makes one character of each byte.
    """
    if body.endswith(b"--\r\n") and body.count(b"\r\n") == 1:
        return []  # no parts: the body is only the closing line, which the parser would treat as an error
    whole = Parser().parsestr(f"Content-Type: {content_type}\r\n\r\n" + body.decode("latin-1"))
    if whole.defects or not whole.is_multipart():
        raise Unreadable(f"no multipart body: {whole.defects}")
    return [_part(part) for part in whole.get_payload() if isinstance(part, Message)]


def _part(part: Message) -> Part:
    header = Message()
    header["Content-Disposition"] = str(part.get("Content-Disposition", "")).encode("latin-1").decode()
    name = header.get_param("name", header="content-disposition")
    file_name = header.get_param("filename", header="content-disposition")
    if header.get_content_disposition() != "form-data" or not isinstance(name, str) or part.defects:
        raise Unreadable(f"{part.items()} is no part of a form")
    payload = part.get_payload()
    content = str(payload).encode("latin-1")
    return Part(
        _meant(name), content, part.get("Content-Type"), _meant(file_name) if isinstance(file_name, str) else None
    )


def _meant(name: str) -> str:
    for written, character in _WRITTEN.items():
        name = name.replace(written, character)
    return name


def as_written(name: str) -> str:
    """Decode a name that a browser encoded for a form: `%22`, for example, becomes a quotation mark."""
    return _meant(name)
