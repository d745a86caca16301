# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What hooks.py of this package is written with: `from .runtime.hooks import Arguments, Refuse, Request, Result`.

Nothing else of the runtime is meant for it. Loaded only where hooks.py asks for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from .core.wire_formats import Result
from .request.argument_errors import Refuse

__all__ = ["Arguments", "Refuse", "Request", "Result"]

Arguments = dict[str, Any]
"""The arguments of a call, by name."""

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What a call is about to send, but for the server's address and for credentials: these go on after all hooks.

    It does not change; each `with_` returns another one. Names and values are as they are meant. They are written by
    the rules of their place when the hooks are done, so no value can become another segment, parameter or header, and
    what a hook leaves alone is sent as it was written before. The method stays.
    """

    method: str
    segments: tuple[str, ...]
    """The path behind that of the base URL: `/pets/7/photos` is `("pets", "7", "photos")`."""
    query: Pairs = ()
    headers: Pairs = ()
    cookies: Pairs = ()
    body: bytes | None = None

    @property
    def path(self) -> str:
        """The path as text, for people."""
        return "/" + "/".join(quote(segment, safe="") for segment in self.segments)

    def header(self, name: str) -> str | None:
        """The value of a header, whatever the case of its name; None where there is none."""
        return next((value for each, value in self.headers if each.lower() == name.lower()), None)

    def json(self) -> Any:
        """The body as a JSON value; None where there is no body. Raises ValueError where it is no JSON."""
        return None if self.body is None else json.loads(self.body)

    def with_path(self, *segments: str) -> Request:
        """The request with these segments as its path."""
        return replace(self, segments=segments)

    def with_query(self, name: str, *values: str) -> Request:
        """The request with these values of a query parameter, and no others; without the parameter where none is
        given."""
        return replace(self, query=_set(self.query, name, values))

    def with_header(self, name: str, *values: str) -> Request:
        """The same of a header. Those that delimit messages are not a hook's; for cookies there is `with_cookie`."""
        others = tuple(pair for pair in self.headers if pair[0].lower() != name.lower())
        return replace(self, headers=_set(others, name, values))

    def with_cookie(self, name: str, *values: str) -> Request:
        """The same of a cookie."""
        return replace(self, cookies=_set(self.cookies, name, values))

    def with_body(self, body: bytes | None, content_type: str = "") -> Request:
        """The request with that body, of that media type where one is given."""
        made = replace(self, body=body)
        if body is None:
            return made.with_header("Content-Type")
        return made.with_header("Content-Type", content_type) if content_type else made

    def with_json(self, value: Any) -> Request:
        """The request with a JSON value as its body. Its media type stays where that is a kind of JSON."""
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        kept = "json" in (self.header("Content-Type") or "")
        return self.with_body(written, "" if kept else "application/json")


def _set(pairs: Pairs, name: str, values: tuple[str, ...]) -> Pairs:
    return (*(pair for pair in pairs if pair[0] != name), *((name, value) for value in values))
