# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data classes for a sent request and its response, shared by the HTTP client and the modules that write results.

A response of any size is kept in a `Spool`: a few bytes in memory, more in a temporary file without a name. The system
removes such a file when the process ends. A spool is not thread-safe.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, Any

from ..core import spans
from ..core.limits import Shares
from ..core.wire_formats import ABSENT
from ..text.sanitize import brief, clean

if TYPE_CHECKING:
    from typing import Protocol

    from ..core.catalog import Tool
    from ..request.request import Request
    from ..settings.credentials import SelectedCredentials
    from ..text.addresses import Address

    class PreparedCall(Protocol):
        """Interface of a prepared call (plain_call.PreparedCall): request, address, and selected credentials."""

        request: Request
        address: Address
        chosen: SelectedCredentials


_MOST_PIECES = 1000
"""Beyond this number, pieces are joined, since each takes some tens of bytes in addition to its content."""

_FOLDERS = ("TMPDIR", "TEMP", "TMP")


class Spool:
    """Byte buffer that is appended to, and read at any position."""

    __slots__ = ("_caller", "_file", "_in_memory", "_joined", "_own", "_pieces", "_shares", "_taken", "size")

    def __init__(self, in_memory: int, shares: Shares | None = None, own: int = 0) -> None:
        """Create an empty buffer that holds at most `in_memory` bytes before it uses a file.

        `shares`: limits on what all responses of the server may use together. The file, and memory beyond the first
        `own` bytes, count towards them.
        """
        self._pieces: list[bytes] = []
        self._joined = 0
        self._file: IO[bytes] | None = None
        self._in_memory = in_memory
        self._own = own
        self._shares = shares
        self._caller = "" if shares is None else spans.caller()
        self._taken = 0
        self.size = 0

    def write(self, data: bytes) -> None:
        """Append bytes. Raise OSError if the disk is full, or if a file is needed and too many files are open."""
        size = self.size + len(data)
        if self._file is None and size <= self._in_memory and self._has_room(size):
            self._pieces.append(data)
            if len(self._pieces) - self._joined > _MOST_PIECES:
                self._pieces[self._joined :] = [b"".join(self._pieces[self._joined :])]
                self._joined += 1
        else:
            file = self._file = self._file or self._moved()
            file.seek(self.size)
            file.write(data)
        self.size = size

    def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from position `start`, fewer at the end of the buffer.

        Raise OSError if the bytes are stored in a file that cannot be read.
        """
        if self._file is not None:
            self._file.seek(start)
            return self._file.read(length)
        if len(self._pieces) != 1:
            self._pieces, self._joined = [b"".join(self._pieces)], 1
        held = self._pieces[0]
        return held if start == 0 and length >= len(held) else held[start : start + length]

    @property
    def in_file(self) -> bool:
        """Return whether the bytes are stored in a file."""
        return self._file is not None

    def close(self) -> None:
        """Free the memory and the file."""
        self._pieces = []
        self._give_memory()
        if self._file is not None and not self._file.closed:
            self._file.close()
            if self._shares is not None:
                self._shares.give_file(self._caller)

    __del__ = close

    def _has_room(self, size: int) -> bool:
        """Reserve memory for a buffer of `size` bytes, within the limit that all responses share. Return False if too
        little is left.
        """
        more = size - self._own - self._taken
        if self._shares is None or more <= 0:
            return True
        if not self._shares.take_memory(self._caller, more):
            return False
        self._taken += more
        return True

    def _give_memory(self) -> None:
        if self._shares is not None and self._taken:
            self._shares.give_memory(self._caller, self._taken)
            self._taken = 0

    def _moved(self) -> IO[bytes]:
        """Move the bytes held in memory to a new file and return the file. Raise OSError if no file can be created."""
        if self._shares is not None and not self._shares.take_file(self._caller):
            raise OSError(errno.EMFILE, "no file is left for answers")
        try:
            file = _nameless()
        except OSError:
            if self._shares is not None:
                self._shares.give_file(self._caller)
            raise
        file.writelines(self._pieces)
        self._pieces = []
        self._give_memory()
        return file


def _nameless() -> IO[bytes]:
    """Return a new file without a name, in the folder for temporary files. Raise OSError if it cannot be created."""
    flag = getattr(os, "O_TMPFILE", 0)
    folder = next((os.environ[name] for name in _FOLDERS if os.environ.get(name)), "/tmp")  # noqa: S108
    if flag:
        try:
            return open(os.open(folder, os.O_RDWR | os.O_CLOEXEC | os.O_EXCL | flag, 0o600), "w+b")
        except OSError as problem:
            if problem.errno in (errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT):
                raise
    # Imported here: `tempfile` loads all archive formats, and only systems and folders without O_TMPFILE need it.
    from tempfile import TemporaryFile

    file: IO[bytes] = TemporaryFile()  # noqa: SIM115
    return file


_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)

# Phrases that RFC 9110 has changed. Older versions of Python still return the former phrases.
_RENAMED = {413: "Content Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable", 422: "Unprocessable Content"}


class Sent:
    """Facts about the request of one call, for the texts of the call's result.

    - `path`: path without query. `variables`: environment variables of the credentials that were sent.
    - `arguments`: the tool's arguments, and the values sent for omitted ones.
    - `fields`: fields of the response that the call selected, "" for all.
    - `request`: the request itself, None in tests. `tries`: how often the request was sent.
    - `limit`: what sets the time limit of the call, "" if unknown.
    - `scopes`: scopes that the API description requires. `offers`: ways to configure a credential, if none is
      configured.
    - `answer`: the full JSON value of a response that is shown in part.
    - `unfollowed`: clause that says why a redirect was not followed.
    - `pages`: how many pages of a list the call read, as text; "" if it requested one page.
    - `reader`: name of the tool that reads kept results, "" if there is none.
    """

    __slots__ = (
        "_key", "_uri", "answer", "arguments", "fields", "limit", "method", "offers", "pages", "path", "reader",
        "request", "scopes", "tool", "tries", "unfollowed", "variables",
    )  # fmt: skip

    def __init__(
        self,
        tool: Tool,
        method: str,
        path: str,
        variables: list[str],
        uri: str | Callable[[], str],
        arguments: dict[str, Any] | None = None,
        key: str = "",
    ) -> None:
        self.tool = tool
        self.method = method
        self.path = path
        self.variables = variables
        self._uri = uri
        self.arguments = tool.given(arguments or {})
        name = tool.binding.get("fields")
        asked = self.arguments.get(name) if name else None
        self.fields = asked if isinstance(asked, str) else ""
        self.request: Request | None = None
        self._key = key
        self.tries = 0
        self.unfollowed = ""
        self.limit = ""
        self.reader = ""
        self.pages = ""
        self.answer: Any = ABSENT
        self.scopes: tuple[str, ...] = ()
        self.offers: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return the idempotency key of the request, or "". Few results name it."""
        return self._key if self.request is None else self.request.key

    @property
    def uri(self) -> str:
        """Return the URI under which the response can be kept.

        It is created at first use, since few responses are kept.
        """
        if not isinstance(self._uri, str):
            self._uri = self._uri()
        return self._uri

    @property
    def longer(self) -> str:
        """Return a sentence on how to raise the time limit of the call; "" if that is unknown."""
        return f"The operator of this server can raise the time limit by {self.limit}." if self.limit else ""

    def __str__(self) -> str:
        return f"{self.method} {self.path[:200]}"


class Response:
    """An HTTP response with decoded content.

    - `cut`: the response is incomplete.
    - `spool`: file with the content received, if `content` is only its beginning; else None.
    - `kept`: how many bytes of the content are stored as the resource `Sent.uri`.
    - `held`: buffer that has reserved the memory of a long `content`; `close` frees it. None for a short `content`.
    - `late`: how long the response was received, as text, if the time limit cut it; else "".
    - `label`: type and subtype of Content-Type in lower case; "" if absent or malformed.
    """

    __slots__ = ("_fields", "_named", "content", "cut", "held", "kept", "label", "late", "reason", "spool", "status")

    def __init__(
        self,
        status: int,
        reason: str,
        fields: list[tuple[str, str]],
        content: bytes = b"",
        cut: bool = False,
        spool: Spool | None = None,
    ) -> None:
        self.status = status
        self.reason = reason
        self.fields = fields
        self.content = content
        self.cut = cut
        self.spool = spool
        self.late = ""
        self.held: Spool | None = None
        self.kept = 0

    def close(self) -> None:
        """Release the memory and the file of a long content. `content` must not be read afterwards."""
        for spool in (self.held, self.spool):
            if spool is not None:
                self.content = b""
                spool.close()

    def redact(self, redact: Callable[[str], str]) -> None:
        """Remove secrets from the reason phrase and the header fields.

        Call this before any text is shortened or put in lower case, because secrets are no longer found in such text.
        """
        told = " ".join((self.reason, *self._named.values()))
        if told.isprintable() and redact(told) == told:
            return  # fast path: most responses have nothing to remove from the reason phrase and header fields
        self.reason = redact(clean(self.reason)[0])
        self.fields = [(name, redact(clean(value)[0])) for name, value in self.fields]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Header fields in the order received.

        To change them, assign a new list, because lookups by name use a copy.
        """
        return self._fields

    @fields.setter
    def fields(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields
        named = {name.lower(): value for name, value in fields}
        self._named = named = named if len(named) == len(fields) else _joined(fields)
        self.label = _media_type(named.get("content-type", ""))

    def header(self, name: str) -> str:
        """Return all values of a header field, joined as RFC 9110 section 5.3 allows; "" if the field is absent."""
        return self._named.get(name, "")

    @property
    def media_type(self) -> str:
        """Return type and subtype of the content: for images and audio from the first bytes, else from Content-Type."""
        if not self.label.startswith(("image/", "audio/")) or self.label == "image/svg+xml":
            return self.label
        from ..text.signatures import settled  # imported late: most responses are text

        return settled(self.label, self.content)

    @property
    def retry_after(self) -> int | None:
        """Return the seconds of Retry-After (RFC 9110 section 10.2.3), or None if it is absent or unreadable.

        A result below 1 means that the time has passed. A date is compared with the response's own Date, since clocks
        differ.
        """
        value = self.header("retry-after").strip()[:40]
        if value.isascii() and value.isdigit():
            return int(value)
        try:
            then, now = parsedate_to_datetime(value), parsedate_to_datetime(self.header("date").strip()[:40])
            return int((then - now).total_seconds())
        # The exceptions of parsedate_to_datetime for malformed dates.
        except (ValueError, TypeError, ArithmeticError, LookupError):
            return None

    @property
    def size(self) -> int:
        """Return the number of bytes received, after decoding."""
        return self.spool.size if self.spool is not None else len(self.content)

    @property
    def partial(self) -> bool:
        """Return whether `content` holds only the beginning of the response's content."""
        return self.cut or self.spool is not None

    @property
    def named(self) -> str:
        """Return status code and phrase, such as `HTTP 404 Not Found`.

        For a non-standard status, the upstream's phrase is used.
        """
        try:
            name = _RENAMED.get(self.status) or HTTPStatus(self.status).phrase
        except ValueError:
            name = brief(self.reason, 60)
        return f"HTTP {self.status} {name}".rstrip()


def _joined(fields: list[tuple[str, str]]) -> dict[str, str]:
    """Return the joined values of each header field, by its name in lower case."""
    found: dict[str, str] = {}
    for name, value in fields:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


@lru_cache(maxsize=64)
def _media_type(value: str) -> str:
    essence = value.partition(";")[0].strip().lower()
    return essence if _MEDIA_TYPE.fullmatch(essence) else ""
