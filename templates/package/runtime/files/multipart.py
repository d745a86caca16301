# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode multipart/form-data (RFC 7578) as browsers do (WHATWG, "multipart/form-data encoding algorithm"), and other
multipart bodies (RFC 2046), whose parts have no names.

Names and file names are UTF-8. Only quotation marks and line breaks are percent-encoded, so a name cannot end its
header. The boundary comes from random bytes and does not occur in the content.
"""

from __future__ import annotations

_BREAKS = {ord('"'): "%22", ord("\r"): "%0D", ord("\n"): "%0A"}


class Part:
    """One part of a multipart body.

    `name` is None for a part that has a position instead. `media_type` is "" if it is not sent; `file_name` is None if
    the part is not a file, or a file without a name. `headers` holds further header fields, which are already
    validated.
    """

    __slots__ = ("content", "file_name", "headers", "media_type", "name")

    def __init__(
        self,
        name: str | None,
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
        kind = "attachment" if self.name is None else f'form-data; name="{self.name.translate(_BREAKS)}"'
        if self.file_name is not None:
            kind += f'; filename="{self.file_name.translate(_BREAKS)}"'
        lines = [] if self.name is None and self.file_name is None else [f"Content-Disposition: {kind}"]
        if self.media_type:
            lines.append(f"Content-Type: {self.media_type}")
        lines += (f"{name}: {value}" for name, value in self.headers)
        return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


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
