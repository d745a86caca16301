# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fetch values for the completion of an argument, for users who type: debounced, cached, and never an error.

A request waits for DEBOUNCE seconds. A newer one of the same client for the same argument supersedes it, and ends it
with no values, also while its answer is awaited. Values are kept for SECONDS seconds, for the caller alone.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..core import log
from ..core.features import TYPED, completion, matching
from ..core.jsontext import NotJSON, dumps, loads
from ..core.wire_formats import ABSENT, Contents, Reply
from ..result.pointers import find
from ..text.sanitize import brief

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..core.effects import Complete, Fetch
    from ..core.wire_formats import Result

    FetchResource = Callable[[Fetch], Awaitable[Contents | Result]]

DEBOUNCE = 0.1
"""Seconds in which a newer request may come before the API is asked: about the time between two keys."""

SECONDS = 60.0
"""Seconds for which values are kept."""

MOST_CACHED = 256
"""Most lists of values that are kept."""

MOST_FETCHED = 1000
"""Most values that are taken from one answer."""

LONGEST_VALUE = 200
"""Longest value in characters. Longer ones are left out, since a shortened value would be a wrong one."""


# Decision 0232: Completion values are fetched with a delay and cached.
class CompletionValues:
    """Values for completion of one process, and the requests for them that run."""

    def __init__(self, wait: float = DEBOUNCE, clock: Callable[[], float] = time.monotonic) -> None:
        self._wait = wait
        self._clock = clock
        self._cached: OrderedDict[bytes, tuple[float, list[str], bool]] = OrderedDict()
        self._latest: dict[tuple[str, str, str], asyncio.Future[None]] = {}

    async def complete(self, wanted: Complete, fetch: FetchResource) -> Reply:
        """Return the completion, with no values if they cannot be fetched or a newer request came."""
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
    """Return whose credentials and limits count, and what tells the client from others of the same caller."""
    peer = None if wanted.origin is None else wanted.origin.peer
    return ("", "") if peer is None else (peer.owner, f"{peer.session} {peer.address}")


def _is_private(wanted: Complete) -> bool:
    """Return True if the values may depend on header fields that a gateway sets for the caller."""
    return wanted.origin is not None and wanted.origin.peer is not None and bool(wanted.origin.peer.given)


def _sends_typed(wanted: Complete) -> bool:
    """Return True if the request holds what was typed, so that the API selects the values."""
    binding = wanted.source["binding"]
    parts: list[Any] = [*binding["path"], *binding.get("query", ())]
    return any(isinstance(part, dict) and part.get("argument") == TYPED for part in parts)


def _values(found: Contents | Result, wanted: Complete) -> tuple[list[str], bool] | str:
    """Return the values in an answer, and whether these are all; or the reason why there are none."""
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
    """Return a value as a text on one line without invisible characters; "" for what is no value."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    text = str(value)
    return "" if len(text) > LONGEST_VALUE else brief(text, LONGEST_VALUE)
