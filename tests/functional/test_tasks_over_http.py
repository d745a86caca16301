"""Test MCP tasks over HTTP: every replica can answer requests about a task, whichever replica began it.

For callers other than the one who began it, a task does not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcpgen.cli import main
from tests.functional.jobs_api import TOOLS_FILE, Api
from tests.functional.test_tasks import WITH_TASKS, value
from tests.streamable.conftest import store
from tests.streamable.messages import encoded, mirrored
from tests.streamable.servers import Server

__all__ = ["store"]
pytestmark = pytest.mark.slow
ANN, BOB = "ann", "bob"


class _Upstream(NamedTuple):
    port: int


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, _Upstream]]:
    """Yield the folder of a generated server, and its API."""
    folder = tmp_path_factory.mktemp("tasks")
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        (folder / "tools.yaml").write_text(TOOLS_FILE.replace("name: worker", "name: caller") % api.server_port)
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
        assert ended.value.code == 0
        (folder / "tokens").write_text("\n".join(f"{name} {sha256(name.encode()).hexdigest()}" for name in (ANN, BOB)))
        (folder / "tokens").chmod(0o600)
        yield folder / "out", _Upstream(api.server_port)
        api.shutdown()


def replica(project: tuple[Path, _Upstream], key: str = "k" * 32, **more: str) -> Server:
    folder, api = project
    settings = {"BASE_URL": f"http://127.0.0.1:{api.port}/v1", "HTTP_TOKENS": str(folder.parent / "tokens")}
    return Server(folder, api, "aiohttp", STATE_KEY=key, KEY="worker-key", **settings, **more)  # type: ignore[arg-type]


def ask(server: Server, method: str, token: str = ANN, told: str | None = None, **params: Any) -> Any:
    """Send a request as the caller with `token`.

    `told`: a value of the header `Mcp-Name` other than the name in the body.
    """
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": WITH_TASKS}}
    named = params.get("taskId", params.get("name", ""))
    fields = mirrored(message, Authorization=f"Bearer {token}")
    found = server.ask("POST", fields={**fields, "Mcp-Name": named if told is None else told}, body=encoded(message))
    return found.message.get("result", found.message.get("error"))


def test_any_replica_answers_for_its_caller_alone(project: tuple[Path, _Upstream]) -> None:
    Api.jobs.clear()
    with ExitStack() as running:
        first, second = (running.enter_context(replica(project)) for _ in range(2))
        task = ask(first, "tools/call", name="build", arguments={"looks": 2})["taskId"]
        assert ask(second, "tasks/get", taskId=task)["status"] == "working"
        seen = len(Api.seen)
        for method in ("tasks/get", "tasks/cancel", "tasks/update"):
            assert ask(second, method, BOB, taskId=task, inputResponses={})["code"] == -32602, "a foreign principal"
            assert ask(second, method, taskId=task, told="another", inputResponses={})["code"] == -32020
        assert ask(first, "tasks/get", taskId=task[:-2] + "AA")["code"] == -32602
        assert len(Api.seen) == seen, "nothing was asked of the API"
    with replica(project) as third:  # a new process can answer: the id of an MCP task holds the request for its state
        assert ask(third, "tasks/get", taskId=task)["status"] == "working"
        assert value(ask(third, "tasks/get", taskId=task)["result"]) == {"built": "1"}
        other = ask(third, "tools/call", name="build", arguments={"looks": 9})["taskId"]
    with replica(project) as fourth:
        assert ask(fourth, "tasks/cancel", taskId=other)["resultType"] == "complete"
        assert ask(fourth, "tasks/get", taskId=other)["status"] == "cancelled"
    with replica(project, "x" * 32) as stranger:
        assert ask(stranger, "tasks/get", taskId=task)["code"] == -32602, "sealed with another key"


def test_replicas_with_a_store_cancel_a_job_once(project: tuple[Path, _Upstream], store: str) -> None:
    Api.jobs.clear()
    Api.seen.clear()
    with replica(project, STORE=store) as first, replica(project, STORE=store) as second:
        task = ask(first, "tools/call", name="build", arguments={"looks": 99, "kind": "lasting"})["taskId"]
        assert ask(first, "tasks/cancel", taskId=task)["resultType"] == "complete"
        assert ask(second, "tasks/get", taskId=task)["status"] == "cancelled"
        assert ask(second, "tasks/cancel", taskId=task)["resultType"] == "complete"
    assert Api.seen.count("DELETE /jobs/1") == 1
