"""Test tools that start jobs, in a generated server as a process: clients that support tasks get a task, and other
clients wait.

Only the API stores the jobs, so a server that starts again can continue.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.functional.jobs_api import TOOLS_FILE, Api
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META

EXTENSION = "io.modelcontextprotocol/tasks"
WITH_TASKS = {**ENVELOPE, META + "clientCapabilities": {"extensions": {EXTENSION: {}}}}
KEY = "worker-key-4711"


@pytest.fixture(scope="module")
def api() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, api: ThreadingHTTPServer) -> Path:
    """Return the folder of a generated server `worker` for a running API."""
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "tools.yaml").write_text(TOOLS_FILE % api.server_port)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


def started(project: Path, **more: str) -> Server:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    found = Server(project, package="worker_mcp", env={**kept, "WORKER_KEY": KEY, **more})
    found.checker.offered = ("tasks",)
    return found


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    for kept in (Api.jobs, Api.seen, Api.keys):
        kept.clear()
    with started(project) as running:
        yield running


def ask(server: Server, method: str, meta: dict[str, Any] = WITH_TASKS, **params: Any) -> Any:
    """Send a request of revision 2026-07-28, and return its result or its error. Skip progress notifications."""
    message = {"jsonrpc": "2.0", "id": "q", "method": method, "params": {**params, "_meta": meta}}
    server.say(json.dumps(message).encode() + b"\n")
    while "id" not in (found := server.message()):
        pass
    return found.get("result", found.get("error"))


def begun(server: Server, tool: str = "build", **arguments: Any) -> str:
    task = ask(server, "tools/call", name=tool, arguments=arguments)
    assert task["resultType"] == "task", task
    assert task["status"] == "working"
    return str(task["taskId"])


def ended(server: Server, task: str) -> Any:
    """Request the status of an MCP task until it has ended, and return the last response.

    The API ends the job of the task after as many status requests as the test chose.
    """
    while (found := ask(server, "tasks/get", taskId=task))["status"] == "working":
        assert found["pollIntervalMs"] == 100
    return found


def value(result: Any) -> Any:
    return json.loads(result["content"][0]["text"])


def test_tasks_are_offered(server: Server) -> None:
    assert ask(server, "server/discover")["capabilities"]["extensions"] == {EXTENSION: {}}
    tools = {tool["name"]: tool for tool in ask(server, "tools/list")["tools"]}
    support = {name: tool["execution"]["taskSupport"] for name, tool in tools.items() if "execution" in tool}
    assert support == {**dict.fromkeys(("build", "export", "render", "slow"), "optional"), "night": "required"}
    assert tools["night"]["description"] == "Take all night. It starts a job, which the client follows as a task."
    assert list(tools["get_task"]["inputSchema"]["properties"]) == ["task"]


def test_a_task_from_its_beginning_to_its_result(server: Server) -> None:
    task = begun(server, looks=2)
    assert Api.seen == ["POST /jobs"]
    first = ask(server, "tasks/get", taskId=task)
    assert (first["status"], first["statusMessage"]) == ("working", "2 to go")
    found = ended(server, task)
    assert (found["status"], value(found["result"])) == ("completed", {"built": "1"})
    assert Api.seen[1:] == ["GET /jobs/1"] * 3 + ["GET /jobs/1/result"]
    assert set(Api.keys) == {KEY}


def test_a_status_url_in_a_header(server: Server) -> None:
    found = ended(server, begun(server, "export", looks=2))
    assert value(found["result"]) == {"status": "Succeeded", "rows": 3}
    assert Api.seen == ["POST /exports", *["GET /exports/1"] * 3]
    assert set(Api.keys) == {KEY}


def test_a_status_url_in_the_answer_and_a_part_of_the_last_one(server: Server) -> None:
    assert value(ended(server, begun(server, "render", looks=1))["result"]) == {"page": "1"}


def test_a_job_that_fails_is_a_result_that_says_so(server: Server) -> None:
    found = ended(server, begun(server, looks=-1))
    assert found["status"] == "completed"
    assert found["result"]["isError"]
    assert "has failed" in found["result"]["content"][0]["text"]


def test_a_task_that_is_cancelled_stays_cancelled(server: Server) -> None:
    task = begun(server, looks=99)
    assert ask(server, "tasks/cancel", taskId=task)["resultType"] == "complete"
    assert Api.seen[-1] == "DELETE /jobs/1"
    for _ in range(2):
        assert ask(server, "tasks/get", taskId=task)["status"] == "cancelled"
    assert ask(server, "tasks/cancel", taskId=task)["resultType"] == "complete", "a replay changes nothing"


CANCEL, LOOK = "DELETE /jobs/1", "GET /jobs/1"


def test_a_task_that_has_ended_is_not_cancelled(server: Server) -> None:
    task = begun(server, looks=0)
    for _ in range(2):
        assert ask(server, "tasks/cancel", taskId=task)["resultType"] == "complete"
    assert value(ended(server, task)["result"]) == {"built": "1"}
    assert CANCEL not in Api.seen


@pytest.mark.parametrize("kind", ["failing", "lasting"])
def test_a_job_is_cancelled_once_and_then_counts_as_cancelled(server: Server, kind: str) -> None:
    task = begun(server, looks=99, kind=kind)
    for _ in range(3):
        assert ask(server, "tasks/cancel", taskId=task)["resultType"] == "complete"
        assert ask(server, "tasks/get", taskId=task)["status"] == "cancelled"
    assert Api.seen.count(CANCEL) == 1


def test_requests_at_the_same_time_cancel_a_job_once(server: Server) -> None:
    task = begun(server, looks=99, kind="lasting")
    for number in range(3):
        params = {"taskId": task, "_meta": WITH_TASKS}
        message = {"jsonrpc": "2.0", "id": number, "method": "tasks/cancel", "params": params}
        server.say(json.dumps(message).encode() + b"\n")
    assert sorted(server.message()["id"] for _ in range(3)) == [0, 1, 2]
    assert Api.seen.count(CANCEL) == 1


def test_a_cancellation_that_the_api_refuses_can_be_repeated(server: Server) -> None:
    task = begun(server, looks=99, kind="refusing")
    for _ in range(2):
        assert ask(server, "tasks/cancel", taskId=task)["resultType"] == "complete"
        assert ask(server, "tasks/get", taskId=task)["status"] == "working"
    assert Api.seen.count(CANCEL) == 2


def test_a_job_of_unknown_state_is_not_cancelled(server: Server) -> None:
    task = begun(server, looks=99, kind="mute")
    assert ask(server, "tasks/cancel", taskId=task)["resultType"] == "complete"
    assert LOOK in Api.seen
    assert CANCEL not in Api.seen


def test_a_restart_loses_nothing(project: Path, server: Server) -> None:
    task = begun(server, looks=1)
    with started(project) as other:
        assert value(ended(other, task)["result"]) == {"built": "1"}
    with started(project, WORKER_KEY="another") as other:
        assert ask(other, "tasks/get", taskId=task)["code"] == -32602, "the key of another server"


def test_a_client_without_tasks_waits(server: Server) -> None:
    result = ask(server, "tools/call", ENVELOPE, name="build", arguments={"looks": 3})
    assert value(result) == {"built": "1"}
    assert len(Api.seen) == 6


def test_a_client_without_tasks_is_told_how_to_look_again(server: Server) -> None:
    told = ask(server, "tools/call", ENVELOPE, name="slow", arguments={"looks": 10_000})["content"][0]["text"]
    assert "get_task with task=" in told
    task = told.partition("task=")[2].split()[0]
    Api.jobs["1"] = 1
    assert value(ask(server, "tools/call", ENVELOPE, name="get_task", arguments={"task": task})) == {"built": "1"}


def test_a_method_needs_the_capability(server: Server) -> None:
    for method in ("tasks/get", "tasks/cancel", "tasks/update"):
        refused = ask(server, method, ENVELOPE, taskId="x", inputResponses={})
        assert refused["code"] == -32021
        assert refused["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}


def test_a_tool_that_requires_tasks_waits_for_no_job(server: Server) -> None:
    refused = ask(server, "tools/call", ENVELOPE, name="night", arguments={"looks": 1})
    assert refused["code"] == -32021
    assert refused["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
    assert Api.seen == []
    assert value(ended(server, begun(server, "night", looks=1))["result"]) == {"built": "1"}


def test_an_update_is_acknowledged_and_changes_nothing(server: Server) -> None:
    task = begun(server, looks=9)
    assert ask(server, "tasks/update", taskId=task, inputResponses={})["resultType"] == "complete"
    assert Api.seen == ["POST /jobs"]


def test_an_answer_without_an_id_is_the_result(server: Server) -> None:
    result = ask(server, "tools/call", name="build", arguments={"looks": 1, "kind": "anonymous"})
    assert value(result) == {"thanks": True}
    assert result["content"][1]["text"] == "The job is not followed, since the answer has no /id."


@pytest.mark.parametrize(
    "where", ["http://localhost:9/v1/exports/1", "https://evil.example/x", "//evil.example/x", "http://[bad"]
)
def test_a_status_url_that_leaves_the_origin_is_not_asked(server: Server, where: str) -> None:
    result = ask(server, "tools/call", name="export", arguments={"looks": 1, "where": where})
    assert "is not asked" in result["content"][-1]["text"]
    assert Api.seen == ["POST /exports"]


def test_forged_ids_are_refused(server: Server) -> None:
    task = begun(server, looks=9)
    forged = [
        task[:-1] + ("A" if task[-1] != "A" else "B"),
        task[1:],
        task + "A",
        "",
        "x" * 9000,
        "\u00e9",
        task + "==",
    ]
    for each in [*forged, task.swapcase()]:
        assert ask(server, "tasks/get", taskId=each)["code"] == -32602, each
    assert Api.seen == ["POST /jobs"]


# -- Tasks of revision 2025-11-25 -------------------------------------------------------------------------------------


def greeted(server: Server, revision: str = "2025-11-25", **capabilities: Any) -> Any:
    params = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}}
    server.say(json.dumps({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params}).encode() + b"\n")
    return server.message()["result"]["capabilities"]


def older(server: Server, method: str, **params: Any) -> Any:
    server.say(json.dumps({"jsonrpc": "2.0", "id": "q", "method": method, "params": params}).encode() + b"\n")
    found = server.message()
    return found.get("result", found.get("error"))


def test_tasks_of_the_older_revision(server: Server) -> None:
    assert greeted(server)["tasks"] == {"cancel": {}, "requests": {"tools": {"call": {}}}}
    task = older(server, "tools/call", name="build", arguments={"looks": 2}, task={"ttl": 60_000})["task"]
    assert (task["status"], task["ttl"], task["pollInterval"]) == ("working", 60_000, 100)
    assert older(server, "tasks/get", taskId=task["taskId"])["status"] == "working"
    result = older(server, "tasks/result", taskId=task["taskId"])
    assert value(result) == {"built": "1"}
    assert result["_meta"] == {"io.modelcontextprotocol/related-task": {"taskId": task["taskId"]}}
    assert older(server, "tasks/get", taskId=task["taskId"])["status"] == "completed"
    assert older(server, "tasks/cancel", taskId=task["taskId"])["code"] == -32602, "it has ended"
    assert older(server, "tasks/list")["code"] == -32601


def test_an_older_task_is_cancelled(server: Server) -> None:
    greeted(server)
    task = older(server, "tools/call", name="build", arguments={"looks": 99}, task={})["task"]
    assert older(server, "tasks/cancel", taskId=task["taskId"])["status"] == "cancelled"
    assert older(server, "tasks/get", taskId=task["taskId"])["status"] == "cancelled"


@pytest.mark.parametrize("kind", ["failing", "lasting"])
def test_an_older_task_stays_cancelled(server: Server, kind: str) -> None:
    greeted(server)
    task = older(server, "tools/call", name="build", arguments={"looks": 99, "kind": kind}, task={})["task"]["taskId"]
    assert older(server, "tasks/cancel", taskId=task)["status"] == "cancelled"
    assert older(server, "tasks/cancel", taskId=task) == {"code": -32602, "message": "The task has ended already."}
    assert older(server, "tasks/get", taskId=task)["status"] == "cancelled"
    assert Api.seen.count(CANCEL) == 1


def test_an_older_job_that_fails(server: Server) -> None:
    greeted(server)
    task = older(server, "tools/call", name="build", arguments={"looks": -1}, task={})["task"]
    assert older(server, "tasks/get", taskId=task["taskId"])["status"] == "failed"
    assert older(server, "tasks/result", taskId=task["taskId"])["isError"]


def test_a_tool_without_jobs_is_no_task(server: Server) -> None:
    greeted(server)
    assert older(server, "tools/call", name="plain", arguments={}, task={})["code"] == -32601


def test_a_tool_that_requires_tasks_in_older_revisions(server: Server) -> None:
    greeted(server)
    refused = older(server, "tools/call", name="night", arguments={"looks": 1})
    said = "night was not called. It can only be called as a task, with `task` in params."
    assert refused == {"code": -32601, "message": said}
    assert older(server, "tools/call", name="night", arguments={"looks": 1}, task={})["task"]["status"] == "working"
    greeted(server, "2025-06-18")
    refused = older(server, "tools/call", name="night", arguments={"looks": 1}, task={})
    assert refused["isError"]
    assert "It needs the capability tasks, which this client does not declare." in refused["content"][0]["text"]
    assert Api.seen == ["POST /jobs"]
