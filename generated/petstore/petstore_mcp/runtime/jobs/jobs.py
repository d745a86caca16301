# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Follow the job that a call started upstream: ask for its state, fetch its result, cancel it.

The server stores nothing about a job except its status URL, or the values that further requests about it need. These
requests are like those of any call: under the rate limit, with the credentials of the tool, within a time budget. For a
status URL, the rules of redirects apply. At the API's own origin, the URL is requested with credentials; at an origin
that the operator allowed, without credentials; at any other origin, not at all.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

from ..calls.plain_call import PreparedCall
from ..core.catalog import Tool
from ..core.limits import Budget
from ..core.wire_formats import ABSENT, Result
from ..http.client import Failure
from ..http.sending import Trail
from ..pointers.conditions import has_failed
from ..pointers.pointers import find
from ..request.argument_errors import Refused
from ..request.request import Request, check_target
from ..settings.settings import NotReady
from . import job_state

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..calls.plain_call import Preparation, ResultWriter
    from ..http.exchange import Response, Sent
    from ..settings.settings import Settings
    from ..tables.table import Binding, TaskRule, TaskTarget

    Exchange = Callable[
        [Tool, PreparedCall, dict[str, Any], Callable[[str], None], Budget], Awaitable[tuple[Response | Failure, Sent]]
    ]

LIFE = 24 * 3600.0
"""Seconds for which a job is followed, unless the tool's `task` rule has another value."""

USUAL, SHORTEST, LONGEST = 2.0, 0.1, 300.0
"""Seconds between two requests for a job's state: the default, and the bounds for a value that the upstream sends."""

LONGEST_VALUE = 512
_KEPT = ("operation", "server", "security", "settings", "scopes", "callerScopes")
_LOCATION: Any = {"header": "location"}
_ACCEPT = "application/json, */*;q=0.5"


class Job:
    """A job that a call of the tool `tool` started.

    `url`: its status URL, or "" if a request with `values` asks for its state. `created` and `until` (end of its
    lifetime) are Unix times in seconds.
    """

    __slots__ = ("created", "interval", "tool", "until", "url", "values")

    def __init__(self, tool: str, url: str, values: dict[str, Any], created: float, until: float) -> None:
        self.tool = tool
        self.url = url
        self.values = values
        self.created = created
        self.until = until
        self.interval = USUAL

    def written(self) -> bytes:
        """Serialize the job to bytes, which become part of the id of an MCP task. `read` restores the job."""
        told = [self.tool, self.url, self.values, round(self.created, 3), round(self.until, 3)]
        return json.dumps(told, separators=(",", ":")).encode()

    @classmethod
    def read(cls, written: bytes) -> Job:
        """Return the job in the bytes that the method `written` returned."""
        return cls(*json.loads(written))


class Seen:
    """State of a job as seen in an answer of the upstream.

    `message`: a text of the upstream about the state, or "". `result`: the job's result if it has ended and its result
    was wanted, else None. `known`: False if the upstream did not answer, so that the job may have ended.
    """

    __slots__ = ("known", "message", "result", "state")

    def __init__(self, state: str, message: str = "", result: Result | None = None, known: bool = True) -> None:
        self.state = state
        self.message = message
        self.result = result
        self.known = known


class JobFollower:
    """Client that asks the upstream for the state and result of jobs that calls have started, and cancels such jobs."""

    def __init__(self, preparation: Preparation, settings: Settings, exchange: Exchange, writer: ResultWriter) -> None:
        self._preparation = preparation
        self._settings = settings
        self._exchange = exchange
        self._writer = writer
        self._tools: dict[tuple[str, str], Tool] = {}

    def begun(
        self, tool: Tool, answer: Response, ready: PreparedCall, arguments: dict[str, Any], seconds: float
    ) -> Job | str | None:
        """Return the job that the upstream's response announces, or None if the response itself is the result.

        If there is a job that cannot be followed, return a clause that says why. `seconds`: the `ttl` that the client
        wants for the MCP task of this job, 0 if the client does not say.
        """
        rule, value = tool.binding["task"], job_state.value_of(answer)
        if has_failed(tool.binding.get("result", {}), answer.status, value):
            return None
        if not 200 <= answer.status < 300 or ("header" in rule["poll"] and answer.status != 202 and "done" not in rule):
            return None
        if "done" in rule and job_state.judge(rule, answer, value) == job_state.DONE and "result" not in rule:
            return None
        url, poll = "", rule["poll"]
        values = _values(rule, {**tool.given(arguments)}, value)
        if "method" not in poll:
            found = _url(poll, answer, value)
            if not found:
                return None if "header" in poll else f"the answer has no URL at {poll['pointer']}"
            trail = Trail(ready.address, ready.request.target, self._settings.rules)
            if reason := trail.go(found):
                return f"its status URL is not asked: {reason}"
            url = trail.address.origin + trail.target
        elif missing := [name for name in _needed(poll) if name not in values]:
            return f"the answer has no {' and no '.join(rule.get('values', {}).get(name, name) for name in missing)}"
        now, most = time.time(), rule.get("ttl", LIFE)
        job = Job(tool.name, url, values, now, now + (min(seconds, most) if seconds else most))
        job.interval = _interval(rule, answer)
        return job

    async def look(self, tool: Tool, job: Job, budget: Budget, result: bool = True) -> Seen:
        """Ask the upstream once for the state of a job. If the job has ended and `result` is True, get its result.

        Raise Refused or NotReady if a request cannot be made.
        """
        rule = tool.binding["task"]
        answer, sent = await self._asked(tool, "poll", rule["poll"], job, budget)
        if isinstance(answer, Failure):
            return _unanswered(answer)
        try:
            value = job_state.value_of(answer)
            state, said = job_state.judge(rule, answer, value), job_state.message(rule, value)
            job.interval = _interval(rule, answer)
            if state == job_state.WORKING or not result:
                return Seen(state, said)
            if state == job_state.DONE:
                found = await self._result(tool, job, answer, sent, value, budget)
                # If the API sends no result, the job counts as working: the client asks again and gets the result then.
                return _unanswered(found) if isinstance(found, Failure) else Seen(state, said, found)
            told = await self._writer.told(sent.tool, answer, sent, budget)
            gone = state == job_state.GONE
            why = "The API does not know this job any more" if gone else f"The job that {tool.name} started has failed"
            return Seen(state, said, Result.error(f"{why}.\n{told}".rstrip()))
        finally:
            self._writer.closed(answer)

    async def wait(self, tool: Tool, job: Job, end: float, report: Callable[[str], None]) -> Seen:
        """Ask for the state of a job repeatedly, until the job has ended or the event loop's clock reaches `end`."""
        loop = asyncio.get_running_loop()
        while True:
            left = end - loop.time()
            if job.interval >= left:
                return Seen(job_state.WORKING)
            await asyncio.sleep(job.interval)
            seen = await self.look(tool, job, Budget(max(end - loop.time(), SHORTEST), time.monotonic))
            if seen.state != job_state.WORKING:
                return seen
            report(seen.message or "the job is at work")

    async def cancel(self, tool: Tool, job: Job, budget: Budget) -> str:
        """Cancel a job. Return "", or a sentence that says why it could not be cancelled.

        Raise Refused or NotReady if the request cannot be made.
        """
        wanted = tool.binding["task"].get("cancel")
        if wanted is None:
            return f"The API has no request that cancels a job of {tool.name}."
        answer, _ = await self._asked(tool, "cancel", wanted, job, budget)
        if isinstance(answer, Failure):
            return f"The API did not answer: {answer.reason}."
        self._writer.closed(answer)
        return "" if answer.status < 400 or answer.status in (404, 410) else f"The API answered {answer.named}."

    async def _result(
        self, tool: Tool, job: Job, answer: Response, sent: Sent, value: Any, budget: Budget
    ) -> Result | Failure:
        """Return the result of a job that has ended, or the failure if the request for the result got no answer.

        `answer`: the last answer about the job's state; `value`: its JSON.
        """
        rule = tool.binding["task"]
        target: TaskTarget | None = rule.get("result")
        if target is None and 300 <= answer.status < 400:
            target = _LOCATION
        if answer.status >= 400 and (target is None or "method" not in target):
            return Result.text(f"The job is done: the API now answers {answer.named}.")
        if target is None or "pointer" in target:
            return await self._writer.told(sent.tool, answer, sent, budget)
        if "method" in target:
            job.values = {**_values(rule, {}, value), **job.values}
            if missing := [name for name in _needed(target) if name not in job.values]:
                return Result.error(f"The job has ended, and its answer does not name {' and '.join(missing)}.")
        else:
            job.url = _url(target, answer, value)
            if not job.url:
                return await self._writer.told(sent.tool, answer, sent, budget)
        found, asked = await self._asked(tool, "result", target, job, budget)
        if isinstance(found, Failure):
            return found
        try:
            return await self._writer.told(asked.tool, found, asked, budget)
        finally:
            self._writer.closed(found)

    async def _asked(
        self, tool: Tool, what: str, target: TaskTarget, job: Job, budget: Budget
    ) -> tuple[Response | Failure, Sent]:
        asked = self._tool(tool, what, target)
        if "method" in target:
            ready = await self._preparation.unhooked(asked, job.values)
        else:
            ready = self._at(tool, asked, job.url)
        return await self._exchange(asked, ready, job.values, _unheard, budget)

    def _tool(self, tool: Tool, what: str, target: TaskTarget) -> Tool:
        """Return a tool with `tool`'s name, credentials and rules for results, and with `target`'s request.

        `what`: purpose of the request: `poll`, `result` or `cancel`.
        """
        name = (tool.name, what)
        if name not in self._tools or self._tools[name].title != str(id(tool.binding)):
            outer: Any = tool.binding
            binding: Any = {"method": "GET", "path": ["/"], **{key: outer[key] for key in _KEPT if key in outer}}
            inner: Any = target if "method" in target else {}
            binding |= {"accept": _ACCEPT, **inner}
            view = dict(outer.get("result", {}))
            last = outer["task"].get("result")
            if what == "poll" and last is not None and "pointer" in last:
                view.setdefault("select", last["pointer"])
            if view and what != "cancel":
                binding["result"] = view
            made: Binding = binding
            # The tool's title is the id() of its entry of `bindings.json`. It is no text for display: it tells whether
            # this cached tool was made from the current entry, since a reload creates new entries.
            self._tools[name] = Tool(tool.name, {"type": "object"}, made, str(id(outer)), None, tool.credentials)
        return self._tools[name]

    def _at(self, tool: Tool, asked: Tool, url: str) -> PreparedCall:
        """Return the request for a status URL. Raise NotReady if the URL has no allowed origin, or cannot be sent."""
        home = self._settings.server(tool.binding["server"])
        trail = Trail(home, "", self._settings.rules)
        if reason := trail.go(url):
            raise NotReady(f"The status URL of the job is not asked: {reason}.")
        path, _, query = trail.target.partition("?")
        made = Request("GET", path, template="")
        made.rewritten = "a status URL"
        made.query = query.split("&") if query else []
        made.headers = [("Accept", _ACCEPT)]
        try:
            check_target(made)
        except Refused:
            raise NotReady("The status URL of the job is not asked: it is no URL that can be sent.") from None
        binding = asked.binding
        if trail.left:  # an allowed origin other than the API's gets no credentials
            binding = {key: each for key, each in binding.items() if key not in ("security", "settings")}  # type: ignore[assignment]
        return self._preparation.at(binding, made, trail.address)


def _unanswered(failure: Failure) -> Seen:
    """Return the state of a job about which a request got no answer, or was not sent because of a rate limit."""
    return Seen(job_state.WORKING, f"Nothing new is known about the job: {failure.reason}.", known=False)


def _values(rule: TaskRule, arguments: dict[str, Any], value: Any) -> dict[str, Any]:
    """Return the values of the variables in later requests about a job (poll, result, cancel), by name.

    A value is taken from `value`, the JSON of the API's response; else from the arguments of the call.
    """
    places = rule.get("values", {})
    found = {name: find(value, place) for name, place in places.items()} if value is not ABSENT else {}
    wanted = {name for key in ("poll", "result", "cancel") for name in _needed(rule.get(key, {}))}  # type: ignore[arg-type]
    found = {**{name: arguments[name] for name in wanted - found.keys() if name in arguments}, **found}
    return {name: each for name, each in found.items() if _is_scalar(each)}


def _is_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _needed(target: TaskTarget | dict[str, Any]) -> list[str]:
    """Return the names of the values that the request description `target` inserts into the path and the query."""
    found: list[str] = []
    request: Any = target
    for part in [*request.get("path", ()), *request.get("query", ())]:
        if isinstance(part, dict):
            found += [part["argument"]] if "argument" in part else _named(part.get("template", {}))
    return list(dict.fromkeys(found))


def _named(template: Any) -> list[str]:
    """Return the names of the variables that `template` inserts into the value of a query parameter."""
    parts = template.get("text", [template]) if isinstance(template, dict) else []
    return [part["argument"] for part in parts if isinstance(part, dict) and "argument" in part]


def _url(target: Any, answer: Response, value: Any) -> str:
    """Return the URL that a response contains, or "" if there is none.

    `target` names the URL's header field in `answer`, or the URL's JSON Pointer in `value`, the JSON value of the body.
    """
    if "header" in target:
        return answer.header(target["header"]).strip()
    found = find(value, target["pointer"]) if value is not ABSENT else ABSENT
    return found if isinstance(found, str) else ""


# The limits prevent a hostile response from stopping the polls forever, or from causing polls without a pause.
def _interval(rule: TaskRule, answer: Response) -> float:
    """Return the seconds until the next request for the job's state."""
    told = answer.retry_after
    return min(max(rule.get("interval", USUAL) if told is None else float(told), SHORTEST), LONGEST)


def _unheard(phase: str) -> None:
    """Ignore a phase of a request about a job: used as `report`, since these requests have no progress."""
