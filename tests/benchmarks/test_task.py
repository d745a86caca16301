"""Test that the example task of `benchmarks.task` stays within its limits, with a server process generated from
GitHub's document.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.task import __main__ as task


@pytest.mark.slow
@pytest.mark.skipif(not task.DOCUMENT.is_file(), reason="the corpus is not beside this repository")
def test_five_steps_in_six_trips(tmp_path: Path) -> None:
    project = task.generated(task.DOCUMENT, tmp_path, "search")
    names = task.names_of(project)
    row = task.measured("search", "batched", task.ours(project), names, 300)
    assert row is not None
    assert (row.trips, row.found) == (task.MOST_TRIPS, 5)
    assert row.context <= task.MOST_TOKENS


@pytest.mark.slow
@pytest.mark.skipif(not task.DOCUMENT.is_file(), reason="the corpus is not beside this repository")
def test_a_workflow_needs_one_trip(tmp_path: Path) -> None:
    project = task.generated(task.workflow_of(task.DOCUMENT, tmp_path), tmp_path, "all")
    row = task.measured("workflow", "workflow", task.ours(project), {}, 300)
    assert row is not None
    assert row.trips == task.MOST_TRIPS_OF_WORKFLOW
    assert row.context <= task.MOST_TOKENS_OF_WORKFLOW


def test_another_request_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="something else"):
        task.check(["GET /repos/octo/orders/actions/runs"])
