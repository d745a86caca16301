# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Format a request for display: text bodies as text, other bodies by their size and type. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..text.invisible import visible
from ..text.sanitize import is_text

if TYPE_CHECKING:
    from ..request.request import Request

LONGEST = 64 * 1024
"""Largest text in bytes that is shown."""

WITHOUT_LENGTH = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods whose requests have no Content-Length if they have no body (RFC 9110 section 8.6)."""


def body(request: Request) -> dict[str, Any] | None:
    """Return the body's media type and length, and its `parts` if it is multipart, else its `text`.

    The text is None if the body is no text. Return None if there is no body.
    """
    if request.body is None:
        return None
    kind = next((value for name, value in request.headers if name == "Content-Type"), "")
    drawn: dict[str, Any] = {"contentType": kind, "length": len(request.body)}
    if kind.startswith("multipart/"):
        drawn["parts"] = _parts(request.body, kind.rpartition("boundary=")[2])
    else:
        drawn["text"] = _text(request.body, kind)
    return drawn


def _parts(content: bytes, boundary: str) -> list[dict[str, Any]]:
    """Return the parts of a multipart body. No part contains the boundary, so the body can be split at the boundary."""
    found = []
    for piece in content.split(b"--" + boundary.encode())[1:-1]:
        head, _, inner = piece.removeprefix(b"\r\n").removesuffix(b"\r\n").partition(b"\r\n\r\n")
        headers = [line.partition(": ")[::2] for line in head.decode().split("\r\n")]
        kind = next((value for name, value in headers if name.lower() == "content-type"), "text/plain")
        found.append({"headers": [list(each) for each in headers], "length": len(inner), "text": _text(inner, kind)})
    return found


def _text(content: bytes, kind: str) -> str | None:
    """Return the content if it is UTF-8 text of a textual media type and short enough, else None."""
    if len(content) > LONGEST or not is_text(kind.partition(";")[0].strip().lower(), content):
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def lines(drawn: dict[str, Any]) -> list[str]:
    """Return the request as lines of HTTP/1.1, with the whole URL in the first line and without binary content."""
    shown = [f"{drawn['method']} {drawn['url']}", *_fields(drawn["headers"])]
    if (content := drawn["body"]) is not None:
        shown.append("")
        if "parts" in content:
            boundary = content["contentType"].rpartition("boundary=")[2]
            for part in content["parts"]:
                shown += [f"--{boundary}", *_fields(part["headers"]), "", _content(part)]
            shown.append(f"--{boundary}--")
        else:
            shown.append(_content(content))
    return [visible(line) for line in shown]


def _fields(headers: list[list[str]]) -> list[str]:
    return [f"{name}: {value}" for name, value in headers]


def _content(drawn: dict[str, Any]) -> str:
    text: str | None = drawn["text"]
    return f"({drawn['length']:,} bytes that are not shown)" if text is None else text
