# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Follow redirects (RFC 9110 section 15.4) of GET requests, for tools whose owner allows it.

Each step is a normal request: paced, within the call's time, counted and logged. At the API's own origin, a step
carries the fields and credentials of the first request. At another origin, which the operator must have allowed, a step
carries no fields or credentials. Later steps carry none either, because the other origin decides where they lead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin

from ..request.argument_errors import Refused
from ..request.request import Request, check_target
from ..text.addresses import Address, parse_endpoint
from .pacing import NoPlaceFree

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..settings.origins import Rules
    from .exchange import PreparedCall, Response, Sent

    Ask = Callable[[Request, Address], Awaitable[Response]]

STATUSES = frozenset((301, 302, 303, 307, 308))
MOST = 3
"""Most redirects followed in one call."""

LONGEST = 8192
"""Longest Location in characters."""


class Trail:
    """Redirects followed in one call.

    `address`: scheme, host and port of the latest request. `target`: its path and query. `left` becomes True once a
    request goes to another origin than the first, and stays True.
    """

    __slots__ = ("_home", "_rules", "_seen", "address", "left", "target")

    def __init__(self, address: Address, target: str, rules: Rules | None) -> None:
        """Begin with the call's request: `target` (path and query) at the server `address`.

        `rules`: the other origins to which a redirect may lead, or None to allow none.
        """
        self._home = address.origin
        self._rules = rules
        self.address, self.target = _bare(address), address.path + target
        self.left = False
        self._seen = {(address.origin, self.target)}

    def go(self, location: str) -> str:
        """Follow a Location and return "".

        If the redirect must not be followed, change nothing and return the reason as a clause.
        """
        try:
            address, target = self._read(location)
        except ValueError:
            return "its Location cannot be read"
        if self.address.scheme == "https" and address.scheme == "http":
            return "it leads from https to http"
        if address.origin != self._home and (reason := self._foreign(address)):
            return reason
        if (address.origin, target) in self._seen:
            return "it leads in a circle"
        if len(self._seen) > MOST:
            return f"it is one more than {MOST} in a row"
        self._seen.add((address.origin, target))
        self.left = self.left or address.origin != self._home
        self.address, self.target = address, target
        return ""

    def _read(self, location: str) -> tuple[Address, str]:
        location = location.strip(" \t")
        if not location or len(location) > LONGEST or not (location.isascii() and location.isprintable()):
            raise ValueError
        return parse_endpoint(urldefrag(urljoin(self.address.origin + self.target, location)).url)

    def _foreign(self, address: Address) -> str:
        return "it leads to another origin" if self._rules is None else self._rules.foreign(address)


# Only for GET: a client that follows 307 and 308 may repeat a request that changes data. After a request to another
# origin, no later redirect carries credentials, because the other host chose the path.
async def follow(answer: Response, ready: PreparedCall, sent: Sent, rules: Rules | None, ask: Ask) -> Response:
    """Follow redirects and return the final response, or the first redirect that must not be followed.

    For such a redirect, set `sent.unfollowed` to the reason. Raise Failure if a step got no response.
    """
    trail = Trail(ready.address, ready.request.target, rules)
    while answer.status in STATUSES:
        if reason := trail.go(answer.header("location")):
            sent.unfollowed = reason
            return answer
        try:
            step = _step(trail, ready)
            check_target(step)
            found = await ask(step, trail.address)
        except (NoPlaceFree, Refused):
            sent.unfollowed = "there was no time for it" if len(trail.target) <= LONGEST else "it is too long"
            return answer
        except BaseException:
            answer.close()
            raise
        answer.close()
        answer = found
    return answer


def _step(trail: Trail, ready: PreparedCall) -> Request:
    """Return the request for one redirect. The log names only its host, since its path may contain a signature."""
    path, _, query = trail.target.partition("?")
    step = Request("GET", path, template="")
    step.rewritten = "a redirect"
    step.query = query.split("&") if query else []
    if trail.left:
        step.headers = [("Accept", "*/*")]
        return step
    step.traced = ready.request.traced
    step.headers, step.cookies = [*ready.request.headers], [*ready.request.cookies]
    # The query is that of Location: add the credentials that go into a query. The others were copied above.
    ready.chosen.put(step)
    return step


def _bare(address: Address) -> Address:
    return Address(address.scheme, address.host, address.port, "")
