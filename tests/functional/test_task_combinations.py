"""Test tools that start jobs, in combination with confirmations, hooks, roles, a tool search, programs, the audit log
and rate limits.

Each test runs a generated server as a process. Some tests start jobs through the search tool `call_writing_tool`,
because the server does not list the tools that start jobs.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcpgen.cli import main
from tests.functional.jobs_api import Api
from tests.functional.test_tasks import EXTENSION, ask, begun, ended, greeted, older, value
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META

pytestmark = pytest.mark.slow  # tests/functional/test_tasks.py has each part alone

SERVER = "mcpgen: 1\nserver: {name: worker%s}\nbase_url: http://127.0.0.1:%d/v1\ntools:\n"
TOOL = """- name: %s
  description: Build a thing.
  request: POST /jobs
  arguments: {looks: integer}
  timeout: %g
  task:
    {poll: "GET /jobs/{id}", done: /status == finished, failed: /status == failed, result: "GET /jobs/{id}/result",
     cancel: "DELETE /jobs/{id}", interval: 0.1}
%s"""
TOOLS = {
    "build": "",
    "confirmed": "  confirm: always\n",
    "restricted": "  roles: [builder]\n",
    "night": "  requires: [tasks]\n",
    "slow": "",
    "earlier": "",
    "later": "",
    "withheld": "",
    "asking": "",
    "forbidden": "",
    "replaced": "",
}
"""Names of tools -> further keys of the tool. The hooks below belong to the tools from `earlier` on."""

HOOKS = """
from .hooks_api import Refuse, context

def before_earlier(arguments):
    return {"looks": 1}

def after_later(result):
    result.content[0]["text"] = result.content[0]["text"].replace("built", "hooked")
    return result

def after_withheld(result):
    raise Refuse("It stays here.")

async def before_asking(arguments):
    return await context.ask("How many?", {"looks": {"type": "integer", "required": True}})

def before_forbidden(arguments):
    raise Refuse("Not today.")

def instead_of_replaced(arguments):
    return {"instead": True}
"""
ASKS: dict[str, Any] = {META + "clientCapabilities": {"elicitation": {}, "extensions": {EXTENSION: {}}}}
PATH = ["POST /jobs", "GET /jobs/1", "GET /jobs/1", "GET /jobs/1/result"]
"""Requests of a job that is still at work when the server first asks for its state."""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Yield the folders of two generated servers. `direct` lists its tools. `search` offers its tools through a search,
    and to programs: Python code that a model sends to `run_program`.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        yield {
            "direct": generated(tmp_path_factory.mktemp("direct"), SERVER % ("", api.server_port)),
            "search": generated(
                tmp_path_factory.mktemp("search"), SERVER % (", tools: search, programs: all", api.server_port)
            ),
        }
        api.shutdown()


def generated(folder: Path, head: str) -> Path:
    tools = "".join(TOOL % (name, 0.5 if name == "slow" else 20, more) for name, more in TOOLS.items())
    (folder / "tools.yaml").write_text(head + tools)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    (folder / "out" / "worker_mcp" / "hooks.py").write_text(HOOKS.replace(".hooks_api", ".runtime.hooks"))
    return folder / "out"


def started(project: Path, **more: str) -> Server:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    for list_ in (Api.seen, Api.keys):
        list_.clear()
    found = Server(project, package="worker_mcp", env={**kept, "WORKER_ROLES": "builder", **more})
    found.checker.offered = ("tasks",)
    return found


@pytest.fixture(params=["direct", "search"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(projects: dict[str, Path], way: str) -> Iterator[Server]:
    Api.jobs.clear()
    with started(projects[way]) as running:
        yield running


def called(server: Server, way: str, tool: str, meta: dict[str, Any], **more: Any) -> Any:
    """Call a tool, through the search if the server has one."""
    name, given = tool, {"looks": 1}
    if way == "search":
        name, given = "call_writing_tool", {"name": tool, "arguments": given}  # type: ignore[dict-item]
    return ask(server, "tools/call", {**ENVELOPE, **meta}, name=name, arguments=given, **more)


class Case(NamedTuple):
    """A call of a client that supports MCP tasks. `answer`: what the user answers, None if nothing is asked. `text`: a
    part of the final result. `seen`: requests to the API.
    """

    tool: str
    answer: dict[str, Any] | None
    text: str
    seen: list[str]


CASES = (
    Case("build", None, '{"built": "1"}', PATH),
    Case("confirmed", {"action": "accept"}, '{"built": "1"}', PATH),
    Case("confirmed", {"action": "decline"}, "The user said no", []),
    Case("earlier", None, '{"built": "1"}', PATH),
    Case("later", None, '{"hooked": "1"}', PATH),
    Case("withheld", None, "It stays here.", PATH),
    Case("asking", {"action": "accept", "content": {"looks": 1}}, '{"built": "1"}', PATH),
    Case("asking", {"action": "cancel"}, "without an answer", []),
    Case("forbidden", None, "Not today.", []),
    Case("replaced", None, '{"instead": true}', []),
)


@pytest.mark.parametrize("case", CASES, ids=[f"{each.tool}-{(each.answer or {}).get('action')}" for each in CASES])
def test_what_comes_before_a_task_and_after_it(server: Server, way: str, case: Case) -> None:
    came = called(server, way, case.tool, ASKS)
    if case.answer is not None:
        assert came["resultType"] == "input_required"
        assert Api.seen == []
        [name] = came["inputRequests"]
        answer = {"requestState": came["requestState"], "inputResponses": {name: case.answer}}
        came = called(server, way, case.tool, ASKS, **answer)
    assert came["resultType"] == ("task" if case.seen else "complete"), came
    result = ended(server, came["taskId"])["result"] if case.seen else came
    assert case.text in result["content"][0]["text"]
    assert Api.seen == case.seen


def test_a_question_while_the_call_waits_and_a_task_of_the_older_revision(projects: dict[str, Path]) -> None:
    Api.jobs.clear()
    with started(projects["direct"]) as server:
        greeted(server, elicitation={})
        params = {"name": "confirmed", "arguments": {"looks": 1}, "task": {}}
        server.say(json.dumps({"jsonrpc": "2.0", "id": "q", "method": "tools/call", "params": params}).encode() + b"\n")
        asked = server.message()
        assert (asked["method"], Api.seen) == ("elicitation/create", [])
        server.say(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}}).encode() + b"\n")
        task = server.message()["result"]["task"]
        assert value(older(server, "tasks/result", taskId=task["taskId"])) == {"built": "1"}


def test_a_role_that_lacks_the_tool_does_not_see_its_tasks(projects: dict[str, Path], way: str) -> None:
    Api.jobs.clear()
    with started(projects[way]) as builder:
        task = called(builder, way, "restricted", ASKS)["taskId"]
    with started(projects[way], WORKER_ROLES="reader") as reader:
        for method in ("tasks/get", "tasks/cancel", "tasks/update"):
            refused = ask(reader, method, {**ENVELOPE, **ASKS}, taskId=task, inputResponses={})
            assert refused == {"code": -32602, "message": "There is no such task for this caller."}
        told = ask(reader, "tools/call", ENVELOPE, name="get_task", arguments={"task": task})
        assert told["isError"]
        assert told["content"][0]["text"] == "There is no such task for this caller."
        greeted(reader)
        for method in ("tasks/get", "tasks/cancel", "tasks/result"):
            assert older(reader, method, taskId=task)["code"] == -32602
        assert Api.seen == []


def test_a_search_lists_the_tool_that_looks_at_jobs(projects: dict[str, Path]) -> None:
    Api.jobs.clear()
    with started(projects["search"]) as server:
        assert "get_task" in [tool["name"] for tool in ask(server, "tools/list")["tools"]]
        arguments = {"name": "slow", "arguments": {"looks": 10_000}}
        told = ask(server, "tools/call", ENVELOPE, name="call_writing_tool", arguments=arguments)["content"][0]["text"]
        task = told.partition("get_task with task=")[2].split()[0]
        Api.jobs["1"] = 1
        assert value(ask(server, "tools/call", ENVELOPE, name="get_task", arguments={"task": task})) == {"built": "1"}
        greeted(server)
        arguments = {"name": "build", "arguments": {"looks": 1}}
        begun = older(server, "tools/call", name="call_writing_tool", arguments=arguments, task={})
        assert begun["task"]["status"] == "working"
        refused = older(server, "tools/call", name="search_tools", arguments={"queries": ["build"]}, task={})
        assert refused == {"code": -32601, "message": "search_tools cannot be called as a task."}


class Program(NamedTuple):
    """A program for the tool `run_program`, a text in its result, and the requests that the API then receives."""

    code: str
    text: str
    seen: list[str]


PROGRAMS = (
    Program("build(looks=1)['built']", "1", PATH),
    Program(
        "len(build(looks=1)) + len(build(looks=0))", "2", [*PATH, "POST /jobs", "GET /jobs/2", "GET /jobs/2/result"]
    ),
    Program("build(looks=-1)", "has failed", ["POST /jobs", "GET /jobs/1"]),
    Program("night(looks=1)", "Its calls become tasks, which a program cannot follow.", []),
)


@pytest.mark.parametrize("meta", [{}, ASKS], ids=["without tasks", "with tasks"])
@pytest.mark.parametrize("program", PROGRAMS, ids=[each.code for each in PROGRAMS])
def test_a_program_waits_for_its_jobs(projects: dict[str, Path], program: Program, meta: dict[str, Any]) -> None:
    Api.jobs.clear()
    with started(projects["search"]) as server:
        came = ask(server, "tools/call", {**ENVELOPE, **meta}, name="run_program", arguments={"code": program.code})
        assert came["resultType"] == "complete"
        assert program.text in came["content"][0]["text"]
        assert Api.seen == program.seen


def test_a_program_is_no_task_and_does_not_take_a_job_at_work_for_its_result(projects: dict[str, Path]) -> None:
    Api.jobs.clear()
    with started(projects["search"]) as server:
        code = {"code": "slow(looks=10_000)['built']"}
        came = ask(server, "tools/call", ENVELOPE, name="run_program", arguments=code)
        assert came["isError"]
        told = came["content"][0]["text"]
        assert "The job that slow started is still at work. Call get_task with task=" in told
        assert "1 write was made: slow" in told
        task = told.partition("get_task with task=")[2].split()[0]
        Api.jobs["1"] = 1
        assert value(ask(server, "tools/call", ENVELOPE, name="get_task", arguments={"task": task})) == {"built": "1"}
        greeted(server)
        refused = older(server, "tools/call", name="run_program", arguments=code, task={})
        assert refused == {"code": -32601, "message": "run_program cannot be called as a task."}


def test_the_audit_has_a_line_for_each_request_about_a_task(
    projects: dict[str, Path], way: str, tmp_path: Path
) -> None:
    Api.jobs.clear()
    audit = tmp_path / "audit.jsonl"
    with started(projects[way], WORKER_AUDIT=str(audit)) as server:
        task = called(server, way, "build", ASKS)["taskId"]
        other = called(server, way, "build", ASKS)["taskId"]
        ended(server, task)
        ask(server, "tasks/update", taskId=other, inputResponses={})
        ask(server, "tasks/cancel", taskId=other)
        ask(server, "tasks/get", taskId=other)
        ask(server, "tasks/get", taskId=other + "A")
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [(line["tool"], line.get("task"), line["outcome"], line["requests"]) for line in lines] == [
        ("build", None, "task", 1),
        ("build", None, "task", 1),
        ("build", "get", "working", 1),
        ("build", "get", "completed", 2),
        ("build", "update", "working", 0),
        ("build", "cancel", "cancelled", 2),
        ("build", "get", "cancelled", 1),
        (None, "get", "failed", 0),
    ]
    assert task not in audit.read_text()


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
@pytest.mark.parametrize(
    ("rate", "looks", "seen"),
    [("2/h", 9, ["POST /jobs", "GET /jobs/1"]), ("2/h", 0, ["POST /jobs", "GET /jobs/1"]), ("1/h", 0, ["POST /jobs"])],
    ids=["a poll too many", "the result one too many", "the first poll too many"],
)
def test_a_poll_beyond_the_rate_changes_no_task(
    projects: dict[str, Path], revision: str, rate: str, looks: int, seen: list[str]
) -> None:
    """Poll a job more often than the rate limit allows. The job must be neither lost nor failed, since the next poll
    may be within the limit.
    """
    Api.jobs.clear()
    with started(projects["direct"], WORKER_RATE_LIMIT=rate) as server:
        if revision == "2025-11-25":
            greeted(server)
            task = older(server, "tools/call", name="build", arguments={"looks": looks}, task={})["task"]["taskId"]
            polls = [older(server, "tasks/get", taskId=task) for _ in range(3)]
        else:
            task = begun(server, looks=looks)
            polls = [ask(server, "tasks/get", taskId=task) for _ in range(3)]
        assert Api.seen == seen
        if revision == "2026-07-28":  # in this revision, a poll fetches the result as well
            assert {each["status"] for each in polls} == {"working"}
        assert polls[-1]["status"] == "working"
        assert "this server sends no more than" in polls[-1]["statusMessage"]
