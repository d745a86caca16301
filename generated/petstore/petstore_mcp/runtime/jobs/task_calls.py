# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer calls that start a job upstream, and requests about the MCP tasks that such calls became.

A client that supports tasks gets a task at once. For any other client, the call waits for the end of the job. If its
time is up, its result says how to ask again: by the tool `get_task`. A task belongs to the tool whose call began it. So
a caller who is not allowed to call that tool does not see its tasks.

A job is cancelled once, and then counts as cancelled, since many APIs report it as failed, or let it go on for a while.
Ids of tasks over stdio are signed. The key is derived from the server's name and credentials, so an id stays valid
after a restart of the process.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any

from ..calls.plain_call import sentence, unheard
from ..core import log, spans
from ..core.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from ..core.limits import displaced
from ..core.wire_formats import Failure, FollowedTask, OtherOutcome, Result, Task, has
from ..request.argument_errors import Refused
from ..settings.credentials import sensitive
from ..settings.settings import NotReady
from . import job_state
from .jobs import Job, JobFollower, Seen
from .looking import ARGUMENT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Lasting, Services
    from ..core.catalog import Catalog, Tool
    from ..core.effects import TaskRequest
    from ..core.limits import Budget
    from ..http.exchange import Response, Sent
    from ..http_server.handles import Sharing, TaskIds
    from ..settings.settings import Settings
    from .jobs import Job

    Finish = Callable[[str, Result, Budget], Awaitable[Result]]
    Tell = Callable[[Tool, Response, Sent, Budget], Awaitable[Result]]
    Step = Callable[[CallUnderWay], Awaitable[None] | None]
    Held = dict[str, tuple[str, float]]

MOST_CANCELLED = 10_000
"""Maximum number of jobs that are remembered. Of a forgotten job, only the API's own words decide."""


class CancelledJobs:
    """Memory of cancelled jobs. `held`: digest of a job -> caller, and the Unix time at which its task expires."""

    def __init__(self, held: Held, shared: Sharing | None) -> None:
        self._held = held
        self._shared = shared

    @classmethod
    def of_server(cls, lasting: Lasting) -> CancelledJobs:
        """Return the memory of one server, which stays when the tools are loaded again."""
        return cls({}, lasting.shared)

    async def has(self, job: Job) -> bool:
        """Return whether the job was cancelled."""
        name = _name(job)
        return name in self._held or (self._shared is not None and await self._shared.kept(name) is not None)

    async def claim(self, job: Job) -> bool:
        """Return True if the job may be cancelled now, False if it was cancelled or is being cancelled."""
        name = _name(job)
        if name in self._held:
            return False
        self._held[name] = spans.owner(), job.until
        if len(self._held) > MOST_CANCELLED:
            self._make_room(name)
        return self._shared is None or await self._shared.kept(name) is None

    async def keep(self, job: Job) -> None:
        """Remember for all replicas that the API has accepted to cancel the job."""
        if self._shared is not None:
            await self._shared.keep(_name(job), "", True, [], max(job.until - time.time(), 1.0))

    def release(self, job: Job) -> None:
        """Forget a job that could not be cancelled."""
        self._held.pop(_name(job), None)

    def _make_room(self, latest: str) -> None:
        now = time.time()
        for name in [name for name, (_, until) in self._held.items() if until <= now]:
            del self._held[name]
        held = ((name, owner, 1) for name, (owner, _) in self._held.items())
        for name in displaced(held, latest, MOST_CANCELLED, 2 * MOST_CANCELLED):
            del self._held[name]


_SIGNATURE, _EXPIRY = 16, 5

_STATUS = {job_state.WORKING: "working", job_state.DONE: "completed", job_state.FAILED: "failed"}
_DIGITS = 16
"""Number of hexadecimal digits of a task's digest in telemetry."""

RESERVE, MOST_RESERVE = 0.1, 2.0
"""Fraction of a call's time that is reserved for the last request and the answer, and its maximum in seconds."""

_INSTEAD = {
    "unknown": "There is no such task for this caller.",
    "expired": "The task has expired, and is no longer followed.",
}


class TaskCalls:
    """Handler of the upstream jobs that the tools of one catalog start, and of the MCP tasks for these jobs."""

    def __init__(
        self,
        catalog: Catalog,
        follower: JobFollower,
        ids: TaskIds,
        finish: Finish,
        redact: Callable[[str], str],
        budget: Callable[[Tool], Budget],
        cancelled: CancelledJobs,
    ) -> None:
        """Create the handler. `ids` encodes and decodes MCP task ids. `finish` runs a tool's hooks on its result.

        `redact` removes secrets from texts. `budget` returns the time budget for a call of a tool. `cancelled`: the
        jobs that were cancelled.
        """
        self._catalog = catalog
        self._follower = follower
        self._ids = ids
        self._finish = finish
        self._redact = redact
        self._budget = budget
        self._cancelled = cancelled

    async def started(self, call: CallUnderWay, tell: Tell) -> Result:
        """Return the result of a call whose request was answered. `tell` makes a result of an answer.

        If the answer starts no job that can be followed, return what `tell` makes. Otherwise wait for the job, and
        return its result, or a text that says how to ask again. If the client supports tasks, do not wait, but raise
        OtherOutcome with a task.
        """
        answer, sent, ready = call.answer, call.sent, call.ready
        assert answer is not None
        assert sent is not None
        assert ready is not None
        job = self._follower.begun(call.tool, answer, ready, sent.arguments, call.dialogue.task_seconds)
        if not isinstance(job, Job):
            result = await tell(call.tool, answer, sent, call.budget)
            if job:
                result.content = [*result.content, {"type": "text", "text": f"The job is not followed, since {job}."}]
            return result
        if call.dialogue.tasks:
            span = spans.current()
            said = span.said if span is not None else ""  # `said`: the last progress message of the call's hooks
            raise OtherOutcome(self._task(self._id(job), "call", job, Seen(job_state.WORKING, said)))
        call.report("the job has started")
        return await self._waited(call, call.tool, job)

    async def looked(self, call: CallUnderWay, arguments: dict[str, Any]) -> Result:
        """Return the result of a call of `get_task`, the tool that waits for a job of an earlier call."""
        tool, job = self._opened(str(arguments[ARGUMENT]), self._catalog)
        if tool is None or job is None:
            return Result.error(_INSTEAD["expired" if tool else "unknown"])
        budget = self._budget(tool)
        seen = await self._seen(tool, job, budget)
        result = seen.result or await self._waited(call, tool, job, str(arguments[ARGUMENT]))
        if seen.result is not None:
            self._record(job, str(arguments[ARGUMENT]), self._status(job, seen))
        return await self._finish(tool.name, result, budget)

    async def answer(self, wanted: TaskRequest) -> Task:
        """Return the answer to a request about a task.

        Raise OtherOutcome with a protocol error if the task is unknown or expired, or cannot be cancelled.
        """
        offered = wanted.offered or self._catalog
        tool, job = self._opened(wanted.task, offered)
        if tool is None or job is None:
            raise OtherOutcome(Failure(_INSTEAD["expired" if tool else "unknown"], INVALID_PARAMS))
        wanted.name = tool.name
        self._record(job, wanted.task, "")  # before the request: if that fails, telemetry has the MCP task anyway
        if wanted.action == "cancel":
            return await self._cancel(wanted, tool, job)
        budget = self._budget(tool)
        if wanted.action == "update":
            return self._task(wanted.task, "update", job, Seen(job_state.WORKING))
        if wanted.action == "result":
            seen = await self._ended(tool, job)
        else:
            seen = await self._seen(tool, job, budget, result=has(wanted.dialogue.revision, "resultType"))
        if seen.result is not None:
            seen.result = await self._finish(tool.name, seen.result, budget)
        return self._task(wanted.task, wanted.action, job, await self._judged(job, seen))

    async def _cancel(self, wanted: TaskRequest, tool: Tool, job: Job) -> Task:
        """Cancel a job that is still at work. If it has ended, or was cancelled before, send nothing to cancel it."""
        acknowledges = has(wanted.dialogue.revision, "resultType")
        budget = self._budget(tool)
        try:
            seen = await self._follower.look(tool, job, budget, False)
            reason = "" if seen.known else seen.message
            if not reason and not (seen.state == job_state.WORKING and await self._cancelled.claim(job)):
                if not acknowledges:
                    raise OtherOutcome(Failure("The task has ended already.", INVALID_PARAMS))
                return self._task(wanted.task, "cancel", job, await self._judged(job, seen))
            reason = reason or await self._follower.cancel(tool, job, budget)
        except (Refused, NotReady) as problem:
            reason = sentence(tool.name, problem)
        if reason:
            self._cancelled.release(job)
            log.event("warning", "task_not_cancelled", tool=tool.name, reason=reason)
            if not acknowledges:
                raise OtherOutcome(Failure(self._redact(reason), INTERNAL_ERROR))
            return self._task(wanted.task, "cancel", job, Seen(job_state.WORKING))
        await self._cancelled.keep(job)
        return self._task(wanted.task, "cancel", job, Seen(job_state.GONE))

    async def _judged(self, job: Job, seen: Seen) -> Seen:
        """Return the state of a job, which is that of a job that is gone if the job was cancelled."""
        if "cancel" in self._catalog.tool(job.tool).binding["task"] and await self._cancelled.has(job):
            return Seen(job_state.GONE, seen.message, seen.result)
        return seen

    async def _seen(self, tool: Tool, job: Job, budget: Budget, result: bool = True) -> Seen:
        """Ask the upstream once for the state of a job.

        If the request cannot be made, return a failed job with an error result, since later requests would fail too.
        """
        try:
            return await self._follower.look(tool, job, budget, result)
        except (Refused, NotReady) as reason:
            return Seen(job_state.FAILED, "", Result.error(f"The job of {tool.name} cannot be followed. {reason}"))

    async def _ended(self, tool: Tool, job: Job) -> Seen:
        """Wait for the end of a job, at most until its lifetime is over, and return its final state.

        Raise OtherOutcome with a protocol error if there is no result by then.
        """
        seen = await self._seen(tool, job, self._budget(tool))
        if seen.state == job_state.WORKING:
            end = asyncio.get_running_loop().time() + job.until - time.time()
            seen = await self._follower.wait(tool, job, end, unheard)
        if seen.result is None:
            raise OtherOutcome(Failure(_INSTEAD["expired"], INVALID_PARAMS))
        return seen

    async def _waited(self, call: CallUnderWay, tool: Tool, job: Job, id: str = "") -> Result:  # noqa: A002
        """Wait for the end of a job while the call's time lasts. `id`: id by which the model asks for the job,
        "" if the job has none yet.

        Return the job's result, or a text that says how to ask again.
        """
        budget = call.budget
        end = asyncio.get_running_loop().time() + budget.left - min(budget.left * RESERVE, MOST_RESERVE)
        end = min(end, asyncio.get_running_loop().time() + job.until - time.time())
        try:
            seen = await self._follower.wait(tool, job, end, lambda said: call.report(self._redact(said)))
        except (Refused, NotReady) as reason:
            self._record(job, id, "failed")
            return Result.error(f"The job of {tool.name} cannot be followed. {reason}")
        if seen.result is None:
            id = id or self._id(job)  # noqa: A001
        self._record(job, id, self._status(job, seen))
        if seen.result is not None:
            return seen.result
        again = f"Call {self._catalog.looker} with {ARGUMENT}={id} to look again."
        told = f"The job that {tool.name} started is still at work. {again}"
        # A model that called the tool itself can read this text. A program that the model wrote would take the text
        # for the tool's data, so the program gets an error.
        return Result.error(told) if spans.in_program() else Result.text(told)

    def _opened(self, id: str, offered: Catalog) -> tuple[Tool | None, Job | None]:  # noqa: A002
        """Return the tool and the job of a task id.

        Both are None if the id is forged, or if this caller may not use its tool. Only the job is None if the id has
        expired.
        """
        written, void = self._ids.open(id)
        if void == "expired":
            return self._catalog.tool(self._catalog.names()[0]), None
        if void:
            return None, None
        job = Job.read(written)
        if not (self._catalog.has(job.tool) and offered.has(job.tool)):
            return None, None
        tool = self._catalog.tool(job.tool)
        return (tool, job) if "task" in tool.binding else (None, None)

    def _id(self, job: Job) -> str:
        return self._ids.issue(job.written(), max(job.until - time.time(), 1.0))

    def _task(self, id: str, answers: str, job: Job, seen: Seen) -> Task:  # noqa: A002
        """Return the state of a task for the response to a request. `answers`: kind of this request, such as `get`."""
        status = self._status(job, seen)
        result = None if status == "cancelled" else seen.result
        self._record(job, id, status)
        lost = "The API does not know this job any more." if status == "failed" and seen.state == job_state.GONE else ""
        return Task(
            id,
            answers,
            status,
            _written(job.created),
            _written(time.time()),
            round((job.until - job.created) * 1000),
            round(job.interval * 1000),
            self._redact(seen.message),
            result,
            lost,
        )

    def _status(self, job: Job, seen: Seen) -> str:
        """Return the status of the MCP task that stands for `job`. A job that the API no longer knows counts as
        cancelled if its tool can cancel jobs, else as failed.
        """
        cancels = "cancel" in self._catalog.tool(job.tool).binding["task"]
        return _STATUS.get(seen.state) or ("cancelled" if cancels else "failed")

    # A digest of the id is the same in all replicas without a store. A span link would need the first trace in the id.
    def _record(self, job: Job, id: str, status: str) -> None:  # noqa: A002
        """Record the task of the current call for telemetry.

        Only a digest of the task's id is recorded, since the id gives access to the task.
        """
        span = spans.current()
        if span is not None and span.operation is not None:
            digest = hashlib.sha256(id.encode()).hexdigest()[:_DIGITS] if id else ""
            span.task = FollowedTask(job.tool, digest, status)


def of_server(services: Services) -> TaskCalls:
    """Return the handler of jobs, and of the MCP tasks by which clients follow jobs, for one version of the tools."""
    lasting, catalog = services.lasting, services.catalog
    ids = lasting.handles.tasks if lasting.handles else signed_tasks(catalog, services.settings)
    return TaskCalls(
        catalog,
        JobFollower(services.preparation, services.settings, services.exchange.made, services.writer),
        ids,
        services.calls.finished,
        lasting.redactor.text,
        services.preparation.budget,
        lasting.once(CancelledJobs.of_server),
    )


def refuse(services: Services, tool: Tool) -> Step:
    """Return the step that raises OtherOutcome if a call of revision 2025-11-25 wants a task, but its tool starts no
    job.
    """

    def step(call: CallUnderWay) -> None:
        starts = "task" in tool.binding
        if not starts and call.dialogue.tasks and not has(call.dialogue.revision, "resultType"):
            raise OtherOutcome(Failure(f"{tool.name} cannot be called as a task.", METHOD_NOT_FOUND))

    return step


def start(services: Services, tool: Tool) -> Step:
    """Return the step that follows the job which the call has started."""

    async def step(call: CallUnderWay) -> None:
        call.result = await services.once(of_server).started(call, services.writer.told)

    return step


def look(services: Services, tool: Tool) -> Step:
    """Return the step of `get_task`, which waits for the job of an earlier call."""

    async def step(call: CallUnderWay) -> None:
        call.result = await services.once(of_server).looked(call, call.arguments)

    return step


def _written(moment: float) -> str:
    """Return a Unix time in seconds as ISO 8601, in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


# -- cancelled jobs ----------------------------------------------------------------------------------------------------


def _name(job: Job) -> str:
    return f"cancelled:{hashlib.sha256(job.written()).hexdigest()}"


# -- signed ids --------------------------------------------------------------------------------------------------------


def signing_key(server: str, secrets: Iterable[str]) -> bytes:
    """Return the signing key for a server with the name `server` and the credentials `secrets`."""
    found = hashlib.sha256(b"mcpgen tasks, version 1\0" + server.encode())
    for secret in sorted(filter(None, secrets)):
        found.update(b"\0" + secret.encode("utf-8", "surrogatepass"))
    return found.digest()


def signed_tasks(catalog: Catalog, settings: Settings) -> SignedTasks:
    """Return the encoder and decoder of one server's MCP task ids."""
    return SignedTasks(signing_key(catalog.name, sensitive(catalog.security, settings)), time.time)


# The key comes from the credentials: a random key would end all tasks at a restart, and a key file would be one more
# secret. A forged id is useful only for sending requests with these credentials.
class SignedTasks:
    """Encoder and decoder of MCP task ids. Each id contains a job and a signature. `clock()` returns Unix time in
    seconds.
    """

    def __init__(self, key: bytes, clock: Callable[[], float]) -> None:
        self._key = key
        self._clock = clock

    def issue(self, job: bytes, seconds: float) -> str:
        """Return an MCP task id that contains `job`, encoded and signed, and is valid for `seconds` seconds."""
        body = int(self._clock() + seconds).to_bytes(_EXPIRY, "big") + job
        return urlsafe_b64encode(self._signature(body) + body).rstrip(b"=").decode()

    def open(self, id: str) -> tuple[bytes, str]:  # noqa: A002
        """Return the job in an MCP task id, and the reason "".

        If the id is invalid, the job is b"", and the reason is `unknown` or `expired`.
        """
        try:
            whole = urlsafe_b64decode(id.encode("ascii") + b"=" * (-len(id) % 4))
        except ValueError:  # ValueError includes UnicodeEncodeError and binascii.Error
            return b"", "unknown"
        signature, body = whole[:_SIGNATURE], whole[_SIGNATURE:]
        canonical = urlsafe_b64encode(whole).rstrip(b"=").decode() == id
        if not canonical or not hmac.compare_digest(signature, self._signature(body)):
            return b"", "unknown"
        if int.from_bytes(body[:_EXPIRY], "big") <= self._clock():
            return b"", "expired"
        return body[_EXPIRY:], ""

    def _signature(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256")[:_SIGNATURE]
