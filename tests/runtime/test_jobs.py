"""Follow jobs of an upstream that is hostile or broken: polls without end, status URLs elsewhere, useless answers.

The test controls the clocks: a pause takes no time, and moves both on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.effects import Dialogue, Origin, TaskRequest
from package.runtime.core.wire_formats import Failure, OtherOutcome, Task
from package.runtime.jobs import job_state, jobs, task_calls, tasks
from package.runtime.jobs.jobs import Job
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import quiet, text
from tests.runtime.upstream import Connection, Play, Upstream, serving
from tests.scheme_entries import api_key

OLDER, STATELESS = "2025-11-25", "2026-07-28"
BY_ID = {"method": "GET", "path": ["/jobs/", {"argument": "id", "name": "id", "style": "simple"}]}
RULE: dict[str, Any] = {"poll": BY_ID, "values": {"id": "/id"}}
DONE = [{"pointer": "/status", "values": ["finished"]}]
MOST_PAUSES = 2000


def tool(**rule: Any) -> dict[str, Any]:
    return {"binding": {"method": "POST", "path": ["/jobs"], "server": 0, "task": {**RULE, **rule}}}


TOOLS = {
    "build": tool(done=DONE),
    "usual": tool(),
    "brief": tool(done=DONE, ttl=600),
    "delete": tool(done=[{"values": [404]}], failed=[{"values": [410]}, {"pointer": "/error"}]),
    "answers": tool(done=[{"values": [200]}], failed=[{"pointer": "/error"}]),
    "unlike": tool(done=[{"values": [202, 404], "not": True}]),
    "url": tool(poll={"header": "operation-location"}),
    "stated": {"binding": {**tool(done=DONE)["binding"], "result": {"failed": [{"pointer": "/failed"}]}}},
    "secret": {"binding": {**tool(poll={"header": "operation-location"})["binding"], "security": [["key"]]}},
}
KEY = {"key": api_key("header", "X-Key", "PETSTORE_KEY")}


class Clocks:
    """The clock of the event loop, and the time of day. Only pauses move them on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.pauses: list[float] = []
        self.ahead = 0.0
        self._loop = asyncio.get_running_loop()
        began, of_loop = 1_800_000_000.0, self._loop.time
        patch.setattr(self._loop, "time", lambda: of_loop() + self.ahead, raising=False)
        patch.setattr(asyncio, "sleep", self._pause)
        for module in (jobs, task_calls, task_calls):
            patch.setattr(module.time, "time", lambda: began + self.ahead)

    async def _pause(self, seconds: float) -> None:
        assert len(self.pauses) < MOST_PAUSES, "it never ends"
        self.pauses.append(seconds)
        self.ahead += seconds


class Scene:
    def __init__(self, caller: ToolExecutor, upstream: Upstream, clocks: Clocks) -> None:
        self.caller, self.upstream, self.clocks = caller, upstream, clocks

    async def begun(self, name: str, seconds: float = 0.0, revision: str = OLDER) -> str:
        dialogue = Dialogue("", revision)
        dialogue.tasks, dialogue.task_seconds = True, seconds
        with pytest.raises(OtherOutcome) as ended:
            await self.caller.call(name, {}, quiet, dialogue)
        task = ended.value.outcome
        assert isinstance(task, Task)
        return task.id

    async def about(self, action: str, task: str, revision: str = STATELESS) -> Task:
        return await self.caller.task(TaskRequest(1, action, task, revision, None, Origin()))

    async def refused(self, action: str, task: str, revision: str = STATELESS) -> str:
        with pytest.raises(OtherOutcome) as ended:
            await self.about(action, task, revision)
        assert isinstance(ended.value.outcome, Failure)
        return ended.value.outcome.sentence

    @property
    def polls(self) -> int:
        return sum(each.startswith(b"GET ") for each in self.upstream.requests)


def run(scene: Callable[[Scene], Awaitable[None]], play: Play, patch: pytest.MonkeyPatch, **environ: str) -> None:
    async def main() -> None:
        async with serving(play) as upstream:
            catalog: Any = Catalog(TOOLS, security=KEY)
            catalog.looker = "get_task"
            loaded = settings.load(catalog, environ, str(upstream.address()))
            caller = ToolExecutor(catalog, loaded)
            with patch.context() as within:
                await scene(Scene(caller, upstream, Clocks(within)))
            await caller.close()

    asyncio.run(main())


def said(status: int, body: bytes, *fields: str, kind: str = "application/json") -> bytes:
    head = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *fields, "", ""]
    return "\r\n".join(head).encode() + body


def polled(answer: bytes, first: bytes = said(202, b'{"id": 7}')) -> Play:
    """Return an API that starts a job, and answers each poll in the same way."""

    async def play(connection: Connection) -> None:
        while request := await connection.request():
            await connection.send(first if request.startswith(b"POST ") else answer)

    return play


WORKING = polled(said(200, b'{"status": "running"}'))


def test_a_call_ends_with_its_time_though_the_job_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        result = await at.caller.call("build", {}, quiet)
        assert "Call get_task with task=" in text(result)
        assert at.clocks.ahead < at.caller.services.settings["TIMEOUT"]
        assert at.polls == len(at.clocks.pauses) > 10

    run(scene, WORKING, monkeypatch)


def test_a_poll_that_never_ends_stops_with_the_life_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        task = await at.begun("brief")
        assert "expired" in await at.refused("result", task, OLDER)
        assert 590 < at.clocks.ahead <= 600
        assert at.polls == len(at.clocks.pauses) + 1
        at.clocks.ahead = 600.0
        seen = at.polls
        assert "expired" in await at.refused("get", task)
        assert at.polls == seen, "an old id asks the API for nothing"

    run(scene, WORKING, monkeypatch)


def test_a_call_goes_on_as_a_task_after_answers_of_the_user() -> None:
    asked = Dialogue("result", STATELESS)
    asked.tasks, asked.task_seconds = True, 60.0
    answered = asked.with_answers("state", {"name": {"action": "accept"}})
    assert (answered.tasks, answered.task_seconds, answered.state) == (True, 60.0, "state")
    assert answered.responses == {"name": {"action": "accept"}}


def test_a_job_that_the_api_forgets_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        task = await at.begun("build")
        found = await at.about("get", task)
        assert (found.status, found.lost) == ("failed", "The API does not know this job any more.")
        line = json.loads(tasks.written(1, found, STATELESS, {"name": "s", "title": "S", "version": "1"}))["result"]
        assert line["status"] == "failed"
        assert line["error"] == {"code": -32603, "message": "The API does not know this job any more."}
        assert "result" not in line
        older = await at.about("result", task, OLDER)
        assert text(older.result).startswith("The API does not know this job any more.")

    run(scene, polled(said(404, b"{}")), monkeypatch)


@pytest.mark.parametrize(
    ("name", "status", "body", "state", "told"),
    [
        ("delete", 404, b"{}", "completed", "The job is done: the API now answers HTTP 404 Not Found."),
        ("delete", 410, b"{}", "failed", "The job that delete started has failed.\nHTTP 410 Gone"),
        ("delete", 200, b'{"error": "locked"}', "failed", "The job that delete started has failed."),
        ("delete", 200, b"{}", "working", ""),
        ("delete", 503, b"{}", "working", ""),
        ("answers", 200, b'{"error": "no"}', "failed", "The job that answers started has failed."),
        ("answers", 200, b'{"id": 7}', "completed", '{"id": 7}'),
        ("unlike", 404, b"{}", "failed", "The API does not know this job any more."),
        ("unlike", 400, b"{}", "failed", "The job that unlike started has failed."),
        ("unlike", 200, b'{"id": 7}', "completed", '{"id": 7}'),
    ],
)
def test_an_error_status_that_the_owner_names_decides(
    monkeypatch: pytest.MonkeyPatch, name: str, status: int, body: bytes, state: str, told: str
) -> None:
    """Test that `status == 404` ends a deletion, while `status != 202, 404` turns no error into success."""

    async def scene(at: Scene) -> None:
        found = await at.about("get", await at.begun(name))
        assert found.status == state
        assert told in (text(found.result) if found.result else found.lost)

    run(scene, polled(said(status, body)), monkeypatch)


def test_a_good_answer_that_states_a_failure_starts_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        result = await at.caller.call("stated", {}, quiet, Dialogue("", OLDER))
        assert (result.is_error, '{"id": 7, "failed": 1}' in text(result), at.polls) == (True, True, 0)

    run(scene, polled(said(200, b'{"status": "finished"}'), said(200, b'{"id": 7, "failed": 1}')), monkeypatch)


def test_a_task_of_a_tool_that_is_not_offered_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        wanted = TaskRequest(1, "get", await at.begun("build"), STATELESS, None, Origin())
        offered: Any = Catalog({name: each for name, each in TOOLS.items() if name != "build"})
        wanted.offered = offered
        with pytest.raises(OtherOutcome) as ended:
            await at.caller.task(wanted)
        assert isinstance(ended.value.outcome, Failure)
        assert ended.value.outcome.sentence == "There is no such task for this caller."
        assert at.polls == 0

    run(scene, WORKING, monkeypatch)


def test_a_client_may_shorten_the_life_of_a_task_and_not_lengthen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        short, long = await at.begun("brief", 5.0), await at.begun("brief", 1e9)
        assert (await at.about("get", long)).milliseconds == 600_000
        assert (await at.about("get", short)).milliseconds == 5000
        at.clocks.ahead = 5.0
        assert "expired" in await at.refused("get", short)
        assert (await at.about("get", long)).status == "working"

    run(scene, WORKING, monkeypatch)


@pytest.mark.parametrize(("told", "pause"), [("0", 0.1), ("999999999", 300.0), ("-5", 2.0), ("soon", 2.0)])
def test_what_an_api_says_about_the_next_poll_has_bounds(
    monkeypatch: pytest.MonkeyPatch, told: str, pause: float
) -> None:
    async def scene(at: Scene) -> None:
        task = await at.begun("brief")
        assert (await at.about("get", task)).interval == pause * 1000

    run(scene, polled(said(200, b'{"status": "running"}', f"Retry-After: {told}")), monkeypatch)


USELESS = {
    "no JSON": said(200, b"<html>please wait</html>", kind="text/html"),
    "broken JSON": said(200, b'{"status": "finished"'),
    "deep": said(200, b"[" * 100_000 + b"]" * 100_000),
    "empty": said(200, b""),
    "a list": said(200, b'["finished"]'),
    "a number": said(200, b"12"),
    "no word": said(200, b'{"status": {"finished": true}}'),
    "a long word": said(200, json.dumps({"status": "finished" * 10_000}).encode()),
    "too large to keep in memory": said(200, b'{"status": "finished", "pad": "' + b"x" * (9 << 20) + b'"}'),
    "not found at a proxy": said(502, b"<h1>Bad gateway</h1>", kind="text/html"),
    "too many requests": said(429, b"", "Retry-After: 60"),
}


@pytest.mark.parametrize("answer", USELESS.values(), ids=USELESS.keys())
def test_a_useless_answer_says_nothing_about_the_job(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    async def scene(at: Scene) -> None:
        found = await at.about("get", await at.begun("build"))
        assert (found.status, found.message, found.result) == ("working", "", None)

    run(scene, polled(answer), monkeypatch)


def test_words_of_the_api_are_short_and_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "first\u202e\x1b[31m line\n" + "x" * 10_000

    async def scene(at: Scene) -> None:
        message = (await at.about("get", await at.begun("build"))).message
        assert len(message) <= job_state.LONGEST_MESSAGE + 1
        assert message.isprintable()

    run(scene, polled(said(200, json.dumps({"status": "running", "message": words}).encode())), monkeypatch)


@pytest.mark.parametrize("id_", ["../../admin", "..", "", "a" * 600, "7?x=1", "7/cancel", {"a": 1}, [7], True, None])
def test_an_id_of_the_api_changes_only_its_own_place(monkeypatch: pytest.MonkeyPatch, id_: Any) -> None:
    async def scene(at: Scene) -> None:
        result = await at.caller.call("build", {}, quiet)
        assert result.content
        targets = {each.split(b" ")[1] for each in at.upstream.requests if each.startswith(b"GET ")}
        assert targets <= {b"/v1/jobs/7%3Fx%3D1", b"/v1/jobs/7%2Fcancel"}

    first = said(202, json.dumps({"id": id_}).encode())
    run(scene, polled(said(200, b'{"status": "finished"}'), first), monkeypatch)


ELSEWHERE = "http://localhost:{port}/other"


def test_a_status_url_elsewhere_gets_no_credential(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(connection: Connection) -> None:
        url = ELSEWHERE.format(port=connection._upstream.port)
        await polled(said(200, b'{"status": "done"}'), said(202, b"{}", f"Operation-Location: {url}"))(connection)

    async def scene(at: Scene) -> None:
        await at.caller.call("secret", {}, quiet)
        posted, looked = at.upstream.requests
        assert b"X-Key: key-4711" in posted
        assert looked.startswith(b"GET /other ")
        assert b"key-4711" not in looked

    run(scene, play, monkeypatch, PETSTORE_KEY="key-4711", PETSTORE_ALLOW_HOSTS="localhost")


def test_a_status_url_is_judged_again_at_each_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        ids = at.caller.services.once(task_calls.of_server)._ids
        now = 1_800_000_000.0
        for url in (ELSEWHERE.format(port=at.upstream.port), "http://169.254.169.254/latest", "file:///etc/passwd"):
            task = ids.issue(Job("url", url, {}, now, now + 60).written(), 60.0)
            found = await at.about("get", task)
            assert found.status == "completed" or found.status == "failed"
            assert "is not asked" in text(found.result)
        assert at.upstream.requests == []

    run(scene, WORKING, monkeypatch)


def test_a_finished_job_leads_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        found = await at.about("get", await at.begun("usual"))
        assert "is not asked" in text(found.result)
        assert at.polls == 1

    run(scene, polled(said(302, b"", "Location: http://evil.example/result")), monkeypatch)
