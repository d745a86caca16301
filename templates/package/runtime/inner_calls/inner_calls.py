# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make calls of other tools within a call. Calls that the caller is not allowed to make are refused.

Each inner call has an id, log lines and an audit line of its own, which names the outer call. The hooks, roles, rate
limits and errors of the inner tool apply.
"""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING

from ..core import spans
from ..core.effects import Call
from ..core.wire_formats import Failure, OtherOutcome
from ..settings.settings import NotReady

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Protocol

    from ..core.catalog import Catalog
    from ..core.effects import Dialogue
    from ..core.wire_formats import Question, Result, Task

    class Record(Protocol):
        """Interface of the audit log (audit.Audit)."""

        def begin(self, call: Call) -> Result | None:
            """Record in the audit log that a call begins, and return None. Return an error result if the log cannot be
            written.
            """

        def end(self, key: int, outcome: Result | Failure | Question | Task | str) -> None:
            """Record the outcome of a call in the audit log."""


KEYS = count(-1, -1)
"""Keys of inner calls: negative numbers, which no call of a client has."""

_CUT_SHORT = Failure("The call was cut short inside the server.")


def check_offered(name: str, catalog: Catalog) -> None:
    """Raise NotReady if the caller of the current call is not allowed to call the tool `name`."""
    outer = spans.current()
    offered = outer.offered if outer is not None and outer.offered is not None else catalog
    if not (offered.has(name) or catalog.is_inner(name)):
        why = offered.withheld.get(name) or catalog.withheld.get(name) or "this caller may not call it"
        raise NotReady(f"The tool {name} is not offered: {why}.")


async def made(
    name: str,
    arguments: dict[str, Any],
    call: Callable[[], Awaitable[Result]],
    catalog: Catalog,
    record: Record | None,
    dialogue: Dialogue,
) -> Result:
    """Call the tool `name` as an inner call, and return its result. `call()` runs the tool.

    Raise NotReady if the caller is not allowed to call the tool, and OtherOutcome if the inner call ends without a
    result.
    """
    outer = spans.current()
    check_offered(name, catalog)
    inner = Call(next(KEYS), name, arguments, None, dialogue)
    inner.span = span = spans.Span(None if outer is None else outer.origin)
    if outer is not None:
        span.within, span.offered, span.client_log = outer.call, outer.offered, outer.client_log
        span.progress = outer.progress
    if record is not None and (refusal := record.begin(inner)) is not None:
        return refusal
    before = spans.enter(span)
    outcome: Result | Failure | Question | Task | str = _CUT_SHORT
    try:
        outcome = result = await call()
        return result
    except OtherOutcome as ended:
        outcome = ended.outcome
        raise
    except asyncio.CancelledError:
        outcome = "cancelled"
        raise
    finally:
        spans.leave(before)
        if record is not None:
            record.end(inner.key, outcome)
