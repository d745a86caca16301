# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Data classes for the head of an HTTP request and for a whole response. No I/O."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ...core.jsonrpc import error

if TYPE_CHECKING:
    from collections.abc import Iterable

    Fields = list[tuple[str, str]]

JSON = "application/json"
_BLANKS = " \t"


class Head:
    """Method, path, query and header fields of a request, and the client's address.

    `was_admitted`: True once `Admission.admit` has found nothing wrong with the head. If the next request has the same
    head, only its access token is checked again, which may have expired.
    Field names are in lower case, and values have no surrounding blanks (RFC 9110, 5.5).
    """

    __slots__ = ("_fields", "_sent", "address", "method", "path", "query", "was_admitted")

    def __init__(
        self, method: str, path: str, fields: Iterable[tuple[bytes, bytes]], address: str = "", query: str = ""
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.address = address
        self.was_admitted = False
        self._sent = fields
        self._fields: dict[str, list[str]] = {}
        for name, value in fields:
            text = value.decode("latin-1").strip(_BLANKS)
            self._fields.setdefault(name.decode("latin-1").lower(), []).append(text)

    def is_of(self, path: str, query: str, fields: Iterable[tuple[bytes, bytes]]) -> bool:
        """Return True if this is also the head of a request of the same method with this path, query and fields."""
        return fields == self._sent and path == self.path and query == self.query

    def all(self, name: str) -> list[str]:
        """Return the values of all header fields named `name`, in order."""
        return self._fields.get(name, [])

    def get(self, name: str) -> str | None:
        """Return the value of the field `name`, or None. Several values are joined by commas (RFC 9110, 5.3)."""
        values = self._fields.get(name)
        return None if values is None else ", ".join(values)

    def named(self, prefix: str) -> list[str]:
        """Return the names of the fields that begin with `prefix`."""
        return [name for name in self._fields if name.startswith(prefix)]


def size_of(fields: Iterable[tuple[bytes, bytes]]) -> int:
    """Return the size in bytes of the names and values of header fields."""
    return sum(map(len, chain.from_iterable(fields)))


class Answer:
    """A whole response: status, header fields and body.

    `note`: fields of an event to log with the response, or None.
    """

    __slots__ = ("body", "fields", "note", "status")

    def __init__(
        self, status: int, body: bytes = b"", fields: Fields | None = None, note: dict[str, str] | None = None
    ) -> None:
        self.status = status
        self.body = body
        self.fields: Fields = fields or []
        self.note = note

    @property
    def closes(self) -> bool:
        """Return whether the connection closes after this response."""
        return ("Connection", "close") in self.fields


def json_answer(status: int, body: bytes, *fields: tuple[str, str]) -> Answer:
    """Return a response whose body is JSON text."""
    return Answer(status, body, [("Content-Type", JSON), ("Cache-Control", "no-store"), *fields])


def refused(status: int, code: int, sentence: str, *fields: tuple[str, str]) -> Answer:
    """Return an error response whose body is a JSON-RPC error without an id."""
    return json_answer(status, error(None, code, sentence), *fields)
