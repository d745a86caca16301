# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fetch values for the completion of an argument while a user types: debounced, cached, and never an error.

A request waits for DEBOUNCE seconds. If the same client sends a newer request for the same argument, the older request
ends without values, even while it waits for the API. Values are cached for SECONDS seconds, and only for the same
caller.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..core import log
from ..core.features import TYPED, completion, matching
from ..core.jsonrpc import NotJSON, dumps, loads
from ..core.wire_formats import ABSENT, Contents, Reply
from ..pointers.pointers import find
from ..text.sanitize import brief

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..core.effects import Complete, Fetch
    from ..core.wire_formats import Result

    FetchResource = Callable[[Fetch], Awaitable[Contents | Result]]

DEBOUNCE = 0.1
"""Seconds to wait for a newer request before sending one to the API: about the time between two keystrokes."""

SECONDS = 60.0
"""Seconds for which values are cached."""

MOST_CACHED = 256
"""Largest number of cached lists of values."""

MOST_FETCHED = 1000
"""Largest number of values that are read from one answer."""

LONGEST_VALUE = 200
"""Longest value in characters. Longer values are left out, since a shortened value would be wrong."""


# Hosts ask for values after each key, and show a failure as an error of the server. So a failed request gives no
# values.
class CompletionValues:
    """Cached completion values of this process, and its running requests for such values."""

    def __init__(self, wait: float = DEBOUNCE, clock: Callable[[], float] = time.monotonic) -> None:
        self._wait = wait
        self._clock = clock
        self._cached: OrderedDict[bytes, tuple[float, list[str], bool]] = OrderedDict()
        self._latest: dict[tuple[str, str, str], asyncio.Future[None]] = {}

    async def complete(self, wanted: Complete, fetch: FetchResource) -> Reply:
        """Return the completion. The completion has no values if they cannot be fetched, or if a newer request
        arrives.
        """
        key, superseded = (*_client(wanted), wanted.name), asyncio.get_running_loop().create_future()
        if (older := self._latest.pop(key, None)) is not None and not older.done():
            older.set_result(None)
        self._latest[key] = superseded
        work = asyncio.ensure_future(self._found(wanted, fetch))
        try:
            await asyncio.wait((work, superseded), return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else completion([])
        finally:
            work.cancel()
            if self._latest.get(key) is superseded:
                del self._latest[key]

    async def _found(self, wanted: Complete, fetch: FetchResource) -> Reply:
        private, typed = _is_private(wanted), _sends_typed(wanted)
        sent = {name: value for name, value in wanted.arguments.items() if typed or name != TYPED}
        key = dumps([_client(wanted)[0], wanted.name, wanted.source["binding"]["path"], sent])
        if private or (kept := self._kept(key)) is None:
            await asyncio.sleep(self._wait)
            found = _values(await fetch(wanted.fetch()), wanted)
            if isinstance(found, str):
                log.event("warning", "no_completion", of=wanted.name, reason=found)
                return completion([])
            kept = found
            if not private:
                self._keep(key, *found)
        values, complete = kept
        return completion(values if typed else matching(values, wanted.begun), complete)

    def _kept(self, key: bytes) -> tuple[list[str], bool] | None:
        until, values, complete = self._cached.get(key, (0.0, [], False))
        return (values, complete) if until > self._clock() else None

    def _keep(self, key: bytes, values: list[str], complete: bool) -> None:
        self._cached[key] = (self._clock() + SECONDS, values, complete)
        self._cached.move_to_end(key)
        if len(self._cached) > MOST_CACHED:
            self._cached.popitem(last=False)


def _client(wanted: Complete) -> tuple[str, str]:
    """Return two identifiers: the caller's, which is part of the cache key, and the client program's.

    One caller may use several client programs, which differ in session and address. A newer request ends an older one
    only if both come from the same program.
    """
    peer = None if wanted.origin is None else wanted.origin.peer
    return ("", "") if peer is None else (peer.owner, f"{peer.session} {peer.address}")


def _is_private(wanted: Complete) -> bool:
    """Return True if the values may depend on header fields that a gateway sets for the caller."""
    return wanted.origin is not None and wanted.origin.peer is not None and bool(wanted.origin.peer.given)


def _sends_typed(wanted: Complete) -> bool:
    """Return True if the request sends the typed text to the API, which then selects the values itself."""
    binding = wanted.source["binding"]
    parts: list[Any] = [*binding["path"], *binding.get("query", ())]
    return any(isinstance(part, dict) and part.get("argument") == TYPED for part in parts)


def _values(found: Contents | Result, wanted: Complete) -> tuple[list[str], bool] | str:
    """Return the completion values in an answer, and True if these are all of its values. If the answer has no list of
    values, return a sentence that says why.
    """
    if not isinstance(found, Contents):
        return str(found)
    if found.contents is None:
        return found.reason or "There is nothing."
    try:
        answer, _ = loads(str(found.contents[0].get("text", "")))
    except NotJSON:
        return "The answer is no JSON."
    pointer = wanted.source.get("values")
    listed = answer if pointer is None else find(answer, pointer)
    if listed is ABSENT or not isinstance(listed, list):
        return f"At {pointer or 'the top'} of the answer there is no list."
    values = dict.fromkeys(value for each in listed[:MOST_FETCHED] if (value := _text(each)))
    return list(values), len(listed) <= MOST_FETCHED


def _text(value: object) -> str:
    """Return a value as a text on one line without invisible characters, or "" if it is not a text or number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    text = str(value)
    return "" if len(text) > LONGEST_VALUE else brief(text, LONGEST_VALUE)
