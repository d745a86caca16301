"""Test the reliability guarantees at a small size and without a clock: no answer is lost, and no process or file is
left behind.

`python -m benchmarks.promises` measures them at full size, with limits of time.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.bars import Bar
from benchmarks.promises import ends, load, restarts, surroundings, writes
from benchmarks.promises.session import session, within
from tests.hostile.subject import compiled
from tests.runtime.upstream import serving


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("promises"))


def missed(bars: list[Bar]) -> list[Bar]:
    """Return the guarantees that were not met. Limits of time are left out."""
    return [bar for bar in bars if not bar.held and "seconds" not in bar.what]


def test_rel_01_no_call_is_lost(project: Path) -> None:
    assert missed(asyncio.run(load.none_is_lost(project, calls=600, at_once=200))) == []


def test_rel_04_a_post_arrives_once_at_most_while_the_upstream_is_killed(project: Path) -> None:
    assert missed(asyncio.run(restarts.post_is_sent_at_most_once(project, seconds=2))) == []


def test_life_05_a_server_ends_with_its_client(project: Path) -> None:
    """Test that a server ends when its client is killed at any moment, during a call that is never answered.

    Covers REL-05, too.
    """

    async def lived_on() -> list[float]:
        async with serving(within(0.0)) as upstream:
            return [await ends.outlived(project, upstream.port, patience) for patience in (0.0, 0.05, 0.3)]

    assert max(asyncio.run(lived_on())) < ends.AGES


def test_rel_06_many_calls_take_no_more_descriptors_than_few(project: Path) -> None:
    async def held() -> list[int]:
        async with serving(within(0.0)) as upstream, session(project, upstream.port) as server:
            found = []
            for _ in range(4):
                for number in range(100):
                    await server.call("get_case", n=number)
                found.append(server.descriptors())
            return found

    first, *others = asyncio.run(held())
    assert set(others) == {first}


def test_rel_08_a_run_that_is_killed_leaves_a_whole_project(project: Path) -> None:
    assert missed(asyncio.run(writes.killed(project, runs=12))) == []


def test_rel_10_two_runs_at_once_make_the_project_of_one(project: Path) -> None:
    assert missed(asyncio.run(writes.at_once(project, rounds=4))) == []


def test_rel_12_a_server_of_many_tools_lists_them_all_and_stays_small(project: Path) -> None:
    assert missed(asyncio.run(surroundings.many_tools(project, tools=1500))) == []


def test_rel_14_calls_that_are_given_up_leave_nothing_behind(project: Path) -> None:
    assert missed(asyncio.run(load.cancelled_calls_leave_nothing(project, seconds=1.0))) == []


def test_rel_15_nothing_around_it_matters(project: Path) -> None:
    assert missed(asyncio.run(surroundings.nothing_around_it_matters(project))) == []
