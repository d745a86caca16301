"""Test requirement REL-11: a running server is not disturbed when its project is generated again.

`test_reload.py` tests servers with `--reload`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.test_reload import Client, Project, Upstream, said
from tests.runtime.revisions import R4


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    yield made
    made.close()


@pytest.fixture
def project(tmp_path: Path, upstream: Upstream) -> Project:
    made = Project(tmp_path, upstream.url)
    made.generate("first")
    return made


def test_rel_11_a_hundred_compiles_under_a_server_that_does_not_look(project: Project, upstream: Upstream) -> None:
    """Compile a project a hundred times while its server runs without `--reload`, and gets calls in the last fifty.

    The server must keep serving the project files that it opened at its start. At the first call, it imports the
    modules that calls need, so Python writes bytecode caches of these modules between the compiles.
    """
    with project.server() as server:
        client = Client(server, R4)
        assert client.names() == ["first", "wait"]
        for number in range(2, 52):
            project.generate("first", f"tool_{number}", number=number)
        held = client.waiting()
        answers: list[str] = []
        done = threading.Event()

        def keep_calling() -> None:
            while not done.is_set():
                answers.append(client.call("first"))

        calling = threading.Thread(target=keep_calling)
        calling.start()
        for number in range(52, 102):
            project.generate("first", f"tool_{number}", number=number)
        done.set()
        calling.join()
        assert set(answers) == {"/v1/first with no key"}
        assert client.call("tool_101").startswith("There is no tool 'tool_101'.")
        assert client.names() == ["first", "wait"]
        upstream.gate.set()
        last = client.answer()
        assert (last["id"], said(last)) == (held, "/v1/wait with no key")
