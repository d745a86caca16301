# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data classes for a sent request and its response, shared by the HTTP client and the modules that write results."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT
from ..text.invisible import clean
from ..text.sanitize import brief

if TYPE_CHECKING:
    from typing import Protocol

    from ..core.catalog import Tool
    from ..request.request import Request
    from ..settings.credentials import SelectedCredentials
    from ..text.addresses import Address
    from .spool import Spool

    class PreparedCall(Protocol):
        """Interface of a prepared call (preparation.PreparedCall): request, address, and selected credentials."""

        request: Request
        address: Address
        chosen: SelectedCredentials


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
        "_key",
        "_uri",
        "answer",
        "arguments",
        "fields",
        "limit",
        "method",
        "offers",
        "pages",
        "path",
        "reader",
        "request",
        "scopes",
        "tool",
        "tries",
        "unfollowed",
        "variables",
    )

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
