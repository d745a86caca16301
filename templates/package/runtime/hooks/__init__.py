# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: functions of the user that run before and after calls. This module is the public API for `hooks.py`.

The user's file imports names from here: `from .runtime.hooks import Arguments, Refuse, Request, Result, context`. All
other modules of the runtime are private.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from ..core.wire_formats import Result
from ..request.argument_errors import CannotAsk, CannotReport, Refuse, Unanswered
from . import hook_context

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Arguments", "Refuse", "Request", "Result", "Unanswered", "context"]

Arguments = dict[str, Any]
"""Arguments of a call, by name."""

Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""Levels of log messages, as MCP names them."""

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """Request that a call is about to send, without the server's address and the credentials. Both are added later.

    A request is immutable: each `with_` method returns a changed copy. Names and values are unencoded; they are encoded
    after the hooks, so a value cannot become another path segment, parameter or header. Parts that a hook does not
    change are sent unchanged. The method cannot be changed.
    """

    method: str
    segments: tuple[str, ...]
    """Path segments after the path of the base URL: `/pets/7/photos` is `("pets", "7", "photos")`."""
    query: Pairs = ()
    headers: Pairs = ()
    cookies: Pairs = ()
    body: bytes | None = None

    @property
    def path(self) -> str:
        """Return the URL path after the base URL as percent-encoded text, for display."""
        return "/" + "/".join(quote(segment, safe="") for segment in self.segments)

    def header(self, name: str) -> str | None:
        """Return the value of the request's header `name`, or None if there is none. The name's case is ignored."""
        return next((value for each, value in self.headers if each.lower() == name.lower()), None)

    def json(self) -> Any:
        """Return the body as a JSON value, or None if there is no body. Raise ValueError if the body is not JSON."""
        return None if self.body is None else json.loads(self.body)

    def with_path(self, *segments: str) -> Request:
        """Return a request with these path segments."""
        return replace(self, segments=segments)

    def with_query(self, name: str, *values: str) -> Request:
        """Return a request in which the query parameter `name` has exactly these values.

        Without values, the parameter is removed.
        """
        return replace(self, query=_set(self.query, name, values))

    def with_header(self, name: str, *values: str) -> Request:
        """Return a request in which the header `name` has exactly these values.

        Headers that delimit messages, such as Content-Length, cannot be set. For cookies, use `with_cookie`.
        """
        others = tuple(pair for pair in self.headers if pair[0].lower() != name.lower())
        return replace(self, headers=_set(others, name, values))

    def with_cookie(self, name: str, *values: str) -> Request:
        """Return a request in which the cookie `name` has exactly these values."""
        return replace(self, cookies=_set(self.cookies, name, values))

    def with_body(self, body: bytes | None, content_type: str = "") -> Request:
        """Return a request with `body` as its body, and with the media type `content_type` if it is given."""
        made = replace(self, body=body)
        if body is None:
            return made.with_header("Content-Type")
        return made.with_header("Content-Type", content_type) if content_type else made

    def with_json(self, value: Any) -> Request:
        """Return a request with `value` as its JSON body.

        Its media type becomes application/json, unless it is a JSON media type already.
        """
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        kept = "json" in (self.header("Content-Type") or "")
        return self.with_body(written, "" if kept else "application/json")


class Context:
    """Access of a hook to the call in which it runs. Use the instance `context`."""

    __slots__ = ()

    async def ask(
        self,
        message: str,
        form: Mapping[str, str | Mapping[str, Any]],
        default: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Ask the user by a form, and return the checked values of its fields.

        `form` is written as in the tools file: `{"street": "string required", "size": {"enum": ["S", "L"]}}`.
        `default`: the values to go on with if the client cannot ask; without it, such a call is refused. A user who
        does not answer ends the call: Unanswered, whose `said` is `decline`, `cancel` or another reason.

        Only an `async def` that runs before the request can ask: `before_`, `request_` and `instead_of_`. The hooks of
        the call may run again from the beginning once the answer is there, so ask before you change anything.
        """
        asker = hook_context.current()
        if asker is None:
            raise CannotAsk
        return await asker.ask(message, form, default)

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report how far this hook is, such as `context.progress(3, 10, "reading stores")`.

        The client gets reports if it asked for progress, at most five times a second, and never right before the
        answer. A report with a lower `done` than before in the same run of the hook is ignored. If the tool call turns
        into an MCP task, the latest message is the task's first status message.

        Any hook can report, `async def` or `def`, while it runs. Raise CannotReport elsewhere, and for wrong values.
        """
        _reporter().progress(done, total, message)

    def log(self, level: Level, message: str, data: Any = None) -> None:
        """Log a message, with data that JSON can hold, such as `context.log("notice", "Stale", {"age": 7})`.

        It goes to the log of this server, and to a client that wants such messages (`server: {logging: true}` in the
        tools file). Both name the tool and show no secret of this server.

        Any hook can log, `async def` or `def`, while it runs. Raise CannotReport elsewhere, and for wrong values.
        """
        _reporter().log(level, message, data)


context = Context()


def _reporter() -> hook_context.Reporter:
    found = hook_context.reporter()
    if found is None:
        raise CannotReport("context.progress and context.log work only while a hook of a call runs")
    return found


def _set(pairs: Pairs, name: str, values: tuple[str, ...]) -> Pairs:
    return (*(pair for pair in pairs if pair[0] != name), *((name, value) for value in values))
