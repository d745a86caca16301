"""Carry out sixty tasks of several steps with real servers and APIs, in several ways. Each way must leave the API
in the same state.

`*.jsonl` has the tasks, `ways` the ways to carry them out, `upstreams` the APIs. Quick tests use a small sample.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.process import Server
from tests.tasks.gold import SERVERS, Task, tasks
from tests.tasks.projects import generated
from tests.tasks.upstreams import OWN, UPSTREAMS
from tests.tasks.ways import WAYS, Answer, text

TASKS = [(server, task) for server in SERVERS for task in tasks(server)]
SAMPLE = {"Copy Rex's pedigree to his brother", "Both endpoints of a trial", "Report what is told of Oslo"}
FIRST = "direct"

Project = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a function that generates the project of a server, and returns its folder.

    Its second argument is the value of `--tools`: `all` or `search`.
    """

    @cache
    def made(server: str, surface: str) -> Path:
        return generated(server, surface, tmp_path_factory.mktemp("tasks") / server)

    return made


def carried_out(project: Project, server: str, way: str, task: Task) -> tuple[list[Answer], dict[str, Any]]:
    """Carry out a test task with a new API. Return the results of the calls, and the API's state after them."""
    with UPSTREAMS[server]() as upstream:
        folder = project(server, WAYS[way].surface)
        variables = {"PATH": os.environ["PATH"], **upstream.variables}
        with Server(folder, package=f"{server}_mcp", env=variables) as running:
            answers = WAYS[way].carry_out(running, task)
            running.end()
            assert running.ended() == 0
        return answers, upstream.state()


@pytest.mark.parametrize(
    ("server", "task"),
    [
        pytest.param(server, task, id=task.name, marks=[] if task.name in SAMPLE else [pytest.mark.slow])
        for server, task in TASKS
    ],
)
def test_every_way_leaves_the_same_state(project: Project, server: str, task: Task) -> None:
    answers, state = carried_out(project, server, FIRST, task)
    assert state["requests"]
    for way in WAYS.keys() - {FIRST}:
        others, after = carried_out(project, server, way, task)
        assert after == state, way
        assert [shortened(each, like) for each, like in zip(others, answers, strict=True)] == answers, way


def shortened(answer: Answer, like: Answer) -> Answer:
    """Return an error without the text that `call_tool` and `call_writing_tool` append to it: the tool's signature.

    `like`: the result of the same call made directly. An answer that is no error, or does not begin with the text of
    `like`, is returned unchanged.
    """
    said = text(like)
    if not answer["isError"] or not text(answer).startswith(said):
        return answer
    return {**answer, "content": [{**answer["content"][0], "text": said}, *answer["content"][1:]]}


def test_the_tasks() -> None:
    """Check that there are sixty test tasks in all, each with several calls, for petstore, station and others."""
    assert len(TASKS) == 60
    assert all(len(task.calls) > 1 for _, task in TASKS)
    assert {*OWN} < {server for server, _ in TASKS}
