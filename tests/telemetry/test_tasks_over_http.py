"""Test that all spans of an MCP task over HTTP have the same digest of the task's id, whichever replica answers.

Clients see this id only in encrypted form.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.jobs_api import Api
from tests.functional.test_tasks_over_http import ask, project, replica
from tests.telemetry import model
from tests.telemetry.collector import Collector

__all__ = ["project"]  # a fixture, imported only so that pytest finds it


def test_replicas_name_a_task_alike_and_never_by_its_id(
    project: Any, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    Api.jobs.clear()
    for name, value in collector.environment().items():
        monkeypatch.setenv(name, value)
    with replica(project) as first, replica(project) as second:
        task, other = (ask(first, "tools/call", name="build", arguments={"looks": 0})["taskId"] for _ in range(2))
        assert ask(second, "tasks/get", taskId=task)["status"] == "completed"
        for server in (first, second):
            server.terminate()
            server.ended()
    served = [span for span in collector.spans if span.kind == model.SERVER]
    begun = [span.attributes["mcpgen.task.digest"] for span in served if span.name == "tools/call build"]
    [polled] = [span for span in served if span.name == "tasks/get build"]
    assert len({*begun}) == 2
    assert polled.attributes["mcpgen.task.digest"] in begun
    assert polled.attributes["mcpgen.task.status"] == "completed"
    assert not [body for body in collector.bodies for each in (task, other) if each.encode() in body]
    if model.MODEL.exists():
        assert model.violations(collector.spans, [p for found in collector.points.values() for p in found]) == []
