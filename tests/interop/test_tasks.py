"""Test clients that know tasks: a task is begun, looked at, cancelled, and finished after every process was restarted.

The Python SDK 1.x and the TypeScript SDK 1.x have tasks of 2025-11-25. The Python SDK 2.x takes extensions from its
application, so its driver adds the one for tasks. The TypeScript SDK 2.x has none: with it, calls wait, and the tool
`get_task` looks at the job again.

Over HTTP the clients have no access token, so only tasks of 2026-07-28 can be asked for after a restart.
`tests/functional/test_tasks_over_http.py` has callers with tokens.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.functional.jobs_api import TOOLS_FILE, Api
from tests.interop import environments
from tests.interop.clients import CLIENTS, Client, Step, carry_out, carry_out_over_http
from tests.interop.conftest import _generated, _installed
from tests.interop.messages import R4, R5
from tests.interop.test_over_http import serving
from tests.leaks import SECRET

pytestmark = pytest.mark.slow

FOLLOWING = [
    *(client for client in CLIENTS if client.name in ("python-1", "typescript-1")),
    *(client for client in CLIENTS if client.name == "python-2" and client.revision == R5),
    *(client for client in CLIENTS if client.name == "raw" and client.revision in (R4, R5)),
]
WAITING = [client for client in CLIENTS if client.name == "typescript-2"]
Do = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    """Yield the URL of an API that starts jobs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "tasks.tools.yaml").write_text(TOOLS_FILE % 1)
    return _generated(folder / "tasks.tools.yaml", folder / "worker")


@pytest.fixture(scope="module")
def server(project: Path) -> Path:
    return _installed(project, "worker", "worker")


@pytest.fixture(params=["stdio", "http"])
def do(request: pytest.FixtureRequest, api: str, project: Path, server: Path, tmp_path: Path) -> Do:
    """Return a function that starts a client and a server, runs steps (such as a tool call), and returns the outcomes.

    Each call of the function starts new processes.
    """
    Api.jobs.clear()
    variables = {"WORKER_BASE_URL": api, "WORKER_KEY": SECRET}

    def done(client: Client, *steps: Step) -> list[Any]:
        if request.param == "http" and (client.name == "raw" or client.revision != R5):
            pytest.skip("without an access token, a task of 2025-11-25 belongs to its session, which ends here")
        try:
            if request.param == "stdio":
                record = tmp_path / str(len([*tmp_path.iterdir()]))
                work = carry_out(client, server, variables, [*steps], record)
            else:
                with serving(project, "worker", {**variables, "WORKER_STATE_KEY": "k" * 32}) as url:
                    work = carry_out_over_http(client, url, [*steps])
        except environments.Missing as missing:
            pytest.skip(str(missing))
        assert work.complaints == []
        return work.outcomes

    return done


def value(result: Any) -> Any:
    return json.loads(result["content"][0]["text"])


@pytest.mark.parametrize("client", FOLLOWING, ids=str)
def test_a_task_is_finished_after_every_process_has_started_anew(do: Do, client: Client) -> None:
    begun, first = do(client, {"do": "begin", "tool": "build", "arguments": {"looks": 3}}, {"do": "look"})
    task = begun["task"]["taskId"]
    assert (begun["task"]["status"], first["task"]["status"]) == ("working", "working")
    (ended,) = do(client, {"do": "finish", "task": task})
    assert ended["task"]["status"] == "completed"
    assert value(ended["task"]["result"]) == {"built": "1"}
    (again,) = do(client, {"do": "look", "task": task})
    assert value(again["task"]["result"]) == {"built": "1"}


@pytest.mark.parametrize("client", FOLLOWING, ids=str)
def test_a_task_is_cancelled_after_every_process_has_started_anew(do: Do, client: Client) -> None:
    (begun,) = do(client, {"do": "begin", "tool": "build", "arguments": {"looks": 99}})
    task = begun["task"]["taskId"]
    cancelled, looked = do(client, {"do": "cancel", "task": task}, {"do": "look", "task": task})
    assert cancelled == {"task": {}}
    assert looked["task"]["status"] == "cancelled"
    assert Api.jobs == {}


@pytest.mark.parametrize("client", FOLLOWING, ids=str)
def test_a_job_that_fails_and_an_id_that_nobody_issued(do: Do, client: Client) -> None:
    steps: list[Step] = [
        {"do": "begin", "tool": "build", "arguments": {"looks": -1}},
        {"do": "finish"},
        {"do": "look", "task": "bm9ib2R5"},
    ]
    _, failed, unknown = do(client, *steps)
    assert failed["task"]["result"]["isError"] is True
    assert unknown["error"]["code"] == -32602
    assert unknown["error"]["message"].endswith("There is no such task for this caller.")


@pytest.mark.parametrize("client", WAITING, ids=str)
def test_a_client_without_tasks_looks_again_after_every_process_has_started_anew(do: Do, client: Client) -> None:
    (waited,) = do(client, {"do": "call", "tool": "build", "arguments": {"looks": 2}})
    assert value(waited["result"]) == {"built": "1"}
    (slow,) = do(client, {"do": "call", "tool": "slow", "arguments": {"looks": 12}})
    text = slow["result"]["content"][0]["text"]
    assert "still at work" in text
    task = text.partition("task=")[2].split()[0]
    (looked,) = do(client, {"do": "call", "tool": "get_task", "arguments": {"task": task}})
    for _ in range(12):  # each call waits half a second for the job, which ends after a number of status requests
        if "still at work" not in looked["result"]["content"][0]["text"]:
            break
        (looked,) = do(client, {"do": "call", "tool": "get_task", "arguments": {"task": task}})
    assert value(looked["result"]) == {"built": "2"}
