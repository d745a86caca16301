# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What was sent and what came back, as plain values between the HTTP client and the words about it."""

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
    from ..settings.credentials import Chosen
    from ..text.addresses import Address
    from .spool import Spool

    class Ready(Protocol):
        """A prepared call (preparation.Ready): the request, where it goes, and the credentials that it is given."""

        request: Request
        address: Address
        chosen: Chosen


_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)

# Where the tables of older Pythons have names that RFC 9110 changed.
_RENAMED = {413: "Content Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable", 422: "Unprocessable Content"}


class Sent:
    """The request as far as results speak of it: the tool, the path without its query, the variables whose credentials
    it carried, a URI for what may come back, the arguments with what is sent for those left out, its idempotency key,
    and how often it was tried. `fields` are the parts of the answer that were asked for, "" for all of it; `scopes` are
    what the description asks of a token, and `offers` the ways to give a credential where none was given. `answer` is
    the value of an answer of which not all is shown, `unfollowed` a clause that says why a redirect was not followed,
    `reader` the tool that reads on in what is kept, "" where there is none.
    """

    __slots__ = (
        "answer",
        "arguments",
        "fields",
        "key",
        "method",
        "offers",
        "path",
        "reader",
        "scopes",
        "tool",
        "tries",
        "unfollowed",
        "uri",
        "variables",
    )

    def __init__(
        self,
        tool: Tool,
        method: str,
        path: str,
        variables: list[str],
        uri: str,
        arguments: dict[str, Any] | None = None,
        key: str = "",
    ) -> None:
        self.tool = tool
        self.method = method
        self.path = path
        self.variables = variables
        self.uri = uri
        self.arguments = tool.given(arguments or {})
        name = tool.binding.get("fields")
        asked = self.arguments.get(name) if name else None
        self.fields = asked if isinstance(asked, str) else ""
        self.key = key
        self.tries = 0
        self.unfollowed = ""
        self.reader = ""
        self.answer: Any = ABSENT
        self.scopes: tuple[str, ...] = ()
        self.offers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path[:200]}"


class Response:
    """An answer. `content` is decoded. Where it is `cut`, only its beginning came; where there is a `spool`, that holds
    what came, and `content` is the beginning of it. So many bytes of what came are `kept` under `Sent.uri`. `held` is
    what the memory of a long `content` belongs to, until `close`.

    `label` is the type and subtype that it says its content has, in lower case; "" where they are not said or not
    well-formed.
    """

    __slots__ = ("_fields", "_named", "content", "cut", "held", "kept", "label", "reason", "spool", "status")

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
        self.held: Spool | None = None
        self.kept = 0

    def close(self) -> None:
        """Give back the memory and the file of a long content, of which nothing may be read any more."""
        for spool in (self.held, self.spool):
            if spool is not None:
                self.content = b""
                spool.close()

    def redact(self, redact: Callable[[str], str]) -> None:
        """Take secrets out of all but the content, before any of it is cut or comes to be in lower case."""
        told = " ".join((self.reason, *self._named.values()))
        if told.isprintable() and redact(told) == told:
            return  # as with most answers: one look at all of it
        self.reason = redact(clean(self.reason)[0])
        self.fields = [(name, redact(clean(value)[0])) for name, value in self.fields]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The header fields, as they came or as they were set; not to be changed in place."""
        return self._fields

    @fields.setter
    def fields(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields
        named = {name.lower(): value for name, value in fields}
        self._named = named = named if len(named) == len(fields) else _joined(fields)
        self.label = _media_type(named.get("content-type", ""))

    def header(self, name: str) -> str:
        """All values of a field, joined as RFC 9110 section 5.3 allows; "" where there is none."""
        return self._named.get(name, "")

    @property
    def media_type(self) -> str:
        """Type and subtype of the content: the label, but of an image or a sound what its first bytes say."""
        if not self.label.startswith(("image/", "audio/")) or self.label == "image/svg+xml":
            return self.label
        from ..text.signatures import settled  # most answers are text

        return settled(self.label, self.content)

    @property
    def retry_after(self) -> int | None:
        """Seconds (RFC 9110 section 10.2.3), below 1 where they are over; None where they are not said or cannot be
        read. A date counts from the answer's own Date, since clocks differ.
        """
        value = self.header("retry-after").strip()[:40]
        if value.isascii() and value.isdigit():
            return int(value)
        try:
            then, now = parsedate_to_datetime(value), parsedate_to_datetime(self.header("date").strip()[:40])
            return int((then - now).total_seconds())
        except (ValueError, TypeError, ArithmeticError, LookupError):  # whatever its parser makes of nonsense
            return None

    @property
    def size(self) -> int:
        """Bytes that came, decoded."""
        return self.spool.size if self.spool is not None else len(self.content)

    @property
    def partial(self) -> bool:
        """Whether `content` is only the beginning."""
        return self.cut or self.spool is not None

    @property
    def named(self) -> str:
        """Status and name, as in `HTTP 404 Not Found`; the upstream's own name where the standard has none."""
        try:
            name = _RENAMED.get(self.status) or HTTPStatus(self.status).phrase
        except ValueError:
            name = brief(self.reason, 60)
        return f"HTTP {self.status} {name}".rstrip()


def _joined(fields: list[tuple[str, str]]) -> dict[str, str]:
    """The values of each field by its name in lower case."""
    found: dict[str, str] = {}
    for name, value in fields:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


@lru_cache(maxsize=64)
def _media_type(value: str) -> str:
    essence = value.partition(";")[0].strip().lower()
    return essence if _MEDIA_TYPE.fullmatch(essence) else ""
