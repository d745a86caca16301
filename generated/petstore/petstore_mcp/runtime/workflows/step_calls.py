# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Observe the calls that the steps of a workflow make: what expressions can say about a request and its answer.

A step sees the whole answer of the API, without secrets, before the answer is shaped or cut for a model.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ..calls.plain_call import CallUnderWay, unheard
from ..core import spans
from ..core.jsonrpc import NotJSON, loads
from ..core.wire_formats import ABSENT
from ..request.parameters import value_of
from ..request.request import uuid_of
from ..text.sanitize import clean, decode
from .expressions import Request, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..core.effects import Dialogue
    from ..core.limits import Budget
    from ..core.wire_formats import Ask, Result
    from ..http import exchange
    from ..text.redaction import Redactor

LARGEST = spans.WHOLE
"""Largest answer in bytes that a step can read."""


class StepCall(CallUnderWay):
    """Call that a step of a workflow makes. `observed`: what the API answered, None before it has answered.

    `depth`: number of workflows around the call. `run`: what identifies the call when another replica repeats it, for
    idempotency keys. `too_large`: True if the answer has more bytes than a step reads.
    `wait`: seconds that the API asks to wait before the call is repeated, or None. `failed`: if the call is a workflow
    that failed, why, and the calls that it made.
    """

    observed: Response | None = None
    request: Request | None = None
    too_large = False
    wait: int | None = None
    failed: tuple[str, list[dict[str, Any]]] | None = None

    def __init__(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        dialogue: Dialogue,
        ask: Ask | None,
        budget: Budget,
        depth: int,
        run: str,
    ) -> None:
        super().__init__(tool, {**_keys(tool, run), **arguments}, unheard, dialogue, ask, budget)
        self.given = arguments
        self.shown = LARGEST
        self.depth = depth
        self.run = run

    def answered(self, result: Result) -> Response | None:
        """Return what the API answered, or None if the call failed before that.

        The result takes the place of an answer that was not observed: that of a job, of a hook, or of a workflow.
        """
        if self.observed is not None or result.is_error:
            return self.observed
        return Response(200, (), _value(str(result)) if result.structured is ABSENT else result.structured)


def _keys(tool: Tool, run: str) -> dict[str, str]:
    """Return the idempotency keys of a call, which are the same if another replica makes the call again."""
    names = [each["argument"] for each in tool.binding.get("headers", ()) if "made" in each]
    known = tool.schema.get("properties", {})
    return {name: uuid_of(hashlib.sha256(run.encode()).digest()[:16]) for name in names if name in known}


def observe(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that shows the API's answer to the workflow that makes the call, if one makes it.

    The answer to a call that starts a job is not shown, since the result of the job is what the workflow needs.
    """
    redactor = services.lasting.redactor

    def step(call: CallUnderWay) -> None:
        if isinstance(call, StepCall) and call.answer is not None and "task" not in tool.binding:
            call.wait = call.answer.retry_after
            call.too_large = call.answer.cut or call.answer.size > LARGEST
            call.request = _request(call, redactor)
            body = ABSENT if call.too_large else _body(call.answer, redactor)
            call.observed = Response(call.answer.status, call.answer.fields, body)

    return step


def _body(answer: exchange.Response, redactor: Redactor) -> Any:
    """Return the whole body of an answer: its JSON value, or its text, or ABSENT if it has none."""
    content = answer.content if answer.spool is None else answer.spool.read(0, answer.size)
    if not content:
        return ABSENT
    return _value(redactor.text(clean(decode(content, answer.header("content-type"))[0])[0]))


def _value(text: str) -> Any:
    try:
        return loads(text)[0]
    except NotJSON:
        return text


def _request(call: StepCall, redactor: Redactor) -> Request | None:
    """Return what expressions can say about the request of a call: what its arguments became, and no credential."""
    ready, arguments, binding = call.ready, call.tool.given(call.arguments), call.tool.binding
    if ready is None:
        return None
    made = ready.request
    parts = {
        "path": [part for part in binding["path"] if not isinstance(part, str)],
        "query": binding.get("query", []),
        "headers": binding.get("headers", []),
    }
    found = {
        place: {each["name"]: value for each in bound if (value := value_of(each, arguments)) is not ABSENT}
        for place, bound in parts.items()
    }
    body = _value(redactor.text(made.body.decode(errors="replace"))) if made.body else ABSENT
    url = redactor.text(f"{ready.address}{made.target}")
    fields = [(name, str(value)) for name, value in found["headers"].items()]
    return Request(made.method, url, found["path"], found["query"], fields, body)
