"""Kill the server at each step of the workflows of `twenty/`, and let another replica go on: nothing is done twice."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.functional.test_programs_over_http import TOKENS, Port, replica, write_tokens
from tests.runtime.upstream import serving
from tests.streamable.messages import encoded, mirrored, stateless
from tests.streamable.servers import Server
from tests.workflows.resources import Resources, play_resources
from tests.workflows.shop import ACCEPT
from tests.workflows.test_twenty import CASES, Described, catalogs, play

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]  # each case starts a server for each of its requests
__all__ = ["catalogs"]


class Upstream(Port):
    """The API of all servers of this module. `api`: the resources that the test at hand uses."""

    api: Resources


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    loop, running, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found = Upstream(0)

    async def whole() -> None:
        async with serving(partial(play_resources, current=lambda: found.api)) as upstream:
            found.port = upstream.port
            running.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(whole(),), daemon=True)
    thread.start()
    assert running.wait(60)
    yield found
    loop.call_soon_threadsafe(ended.set)
    thread.join(60)
    loop.close()


class Project:
    """A generated server, and the way of its environment variables."""

    def __init__(self, folder: Path, described: Described, upstream: Upstream) -> None:
        self.path = described.generated(folder, f"http://127.0.0.1:{upstream.port}", is_each=True)
        self._environ = described.table.get("environ", {})
        self._upstream = upstream
        write_tokens(folder)

    def replica(self) -> Server:
        return replica(self.path, self._upstream, **self._environ)


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory, upstream: Upstream) -> Any:
    """Return a function that returns the server of one file, which asks its user about each write."""
    known: dict[Path, Project] = {}

    def project(described: Described) -> Project:
        if described.file not in known:
            known[described.file] = Project(tmp_path_factory.mktemp("owner"), described, upstream)
        return known[described.file]

    return project


def call(server: Server, tool: str, arguments: dict[str, Any], more: dict[str, Any]) -> Any:
    """Call a tool. `more`: the answer to the question with which an earlier call has ended."""
    message = stateless("tools/call", name=tool, arguments=arguments, **more)
    fields = mirrored(message, Authorization=f"Bearer {TOKENS['ann']}")
    answer = server.ask("POST", fields=fields, body=encoded(message))
    return answer.message.get("result", answer.message)


def killed(process: subprocess.Popen[bytes], api: Resources, number: int, _request: str) -> None:
    """Kill the server when the API gets the request of this number, so that the request takes no effect."""
    if len(api.seen) == number and process.poll() is None:
        os.kill(process.pid, 9)
        process.wait()
        raise ConnectionResetError


def agreed(asked: dict[str, Any]) -> dict[str, Any]:
    return {"requestState": asked["requestState"], "inputResponses": {"confirm": ACCEPT}}


@pytest.mark.parametrize(("described", "tool"), CASES)
def test_it_goes_on_after_each_question(described: Described, tool: str, projects: Any, upstream: Upstream) -> None:
    project, run = projects(described), described.table["runs"][tool]
    upstream.api, questions, more = Resources(described.table["api"]), 0, dict[str, Any]()
    while True:
        with project.replica() as server:
            answer = call(server, tool, run["arguments"], more)
            if "requestState" not in answer:
                break
            os.kill(server.process.pid, 9)
        more, questions = agreed(answer), questions + 1
    assert answer["structuredContent"] == run["result"]
    assert (questions > 0) == (run.get("asks", 1) > 0)
    assert len(upstream.api.writes) == len(set(upstream.api.writes)), "no write is made twice"


@pytest.mark.parametrize(("described", "tool"), CASES)
def test_it_is_killed_in_each_request(
    described: Described, tool: str, projects: Any, upstream: Upstream, catalogs: Any
) -> None:
    """Kill the server before a request takes effect. The client sends the same message to another replica."""
    project, run = projects(described), described.table["runs"][tool]
    expected = play(catalogs(described, is_each=True), described, [(tool, run["arguments"])])
    with project.replica() as second:
        for number, step in enumerate(expected.steps, 1):
            if step in run.get("again", ()):
                continue
            upstream.api = api = Resources(described.table["api"])
            with project.replica() as first:
                api.heard = partial(killed, first.process, api, number)
                server, more = first, dict[str, Any]()
                while True:
                    try:
                        answer = call(server, tool, run["arguments"], more)
                    except (AssertionError, OSError):
                        assert server is first, "the other replica was not killed"
                        server = second
                        continue
                    if "requestState" not in answer:
                        break
                    more = agreed(answer)
            assert server is second
            assert answer["structuredContent"] == run["result"]
            assert api.state == expected.api.state
