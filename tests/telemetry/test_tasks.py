"""Test spans and metrics of MCP tasks: spans about one task have the same digest of its id, and give its status."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from mcpgen.cli import main
from tests.functional.jobs_api import TOOLS_FILE, Api
from tests.functional.test_tasks import ask, begun, ended, greeted, older, started
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE
from tests.telemetry import model
from tests.telemetry.collector import Collector, Span


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of a generated server for a running API."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        folder = tmp_path_factory.mktemp("tasks")
        (folder / "tools.yaml").write_text(TOOLS_FILE % api.server_port)
        with pytest.raises(SystemExit) as done:
            main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
        assert done.value.code == 0
        yield folder / "out"
        api.shutdown()


class Measured:
    """A server that is measured, and what the collector has received once the server has ended."""

    def __init__(self, server: Server, collector: Collector, metrics: Path) -> None:
        self.server, self._collector, self._metrics = server, collector, metrics

    def end(self, *tasks: str) -> list[Span]:
        """End the server, and return the spans of requests. Check that the collector got no id of the MCP tasks."""
        self.server.end()
        assert self.server.ended() == 0
        points = [point for found in self._collector.points.values() for point in found]
        if model.MODEL.exists():
            assert model.violations(self._collector.spans, points) == []
        for task in tasks:
            assert not [body for body in self._collector.bodies if task.encode() in body]
        return [span for span in self._collector.spans if span.kind == model.SERVER]

    def sent(self, span: Span) -> list[str]:
        """Return the names of the requests to the API that a request of the client has caused."""
        return [each.name for each in self._collector.spans if each.parent == span.id and each.kind == model.CLIENT]

    def counted(self) -> dict[tuple[str, str, str], float]:
        families = text_string_to_metric_families(self._metrics.read_text())
        [found] = [family for family in families if family.name == "mcpgen_task_answers"]
        names = "mcp_method_name", "gen_ai_tool_name", "status"
        return {tuple(each.labels[name] for name in names): each.value for each in found.samples}  # type: ignore[misc]


@pytest.fixture
def measured(project: Path, collector: Collector, tmp_path: Path) -> Iterator[Measured]:
    Api.jobs.clear()
    path = tmp_path / "metrics"
    with started(project, WORKER_METRICS=str(path), WORKER_TIMEOUT="5", **collector.environment()) as server:
        yield Measured(server, collector, path)


def told(span: Span) -> tuple[Any, ...]:
    """Return what a span says of an MCP task, without the digest of the task's id."""
    return span.name, span.attributes.get("mcpgen.task.status"), span.attributes.get("error.type")


def digests(spans: list[Span]) -> list[str]:
    """Return the digests of task ids in the spans, each digest once."""
    return sorted({span.attributes["mcpgen.task.digest"] for span in spans})


def test_polls_are_joined_with_the_call_and_say_what_became_of_the_job(measured: Measured) -> None:
    task = begun(measured.server, looks=1)
    ended(measured.server, task)
    spans = measured.end(task)
    assert [told(span) for span in spans] == [
        ("tools/call build", "working", None),
        ("tasks/get build", "working", None),
        ("tasks/get build", "completed", None),
    ]
    assert len(digests(spans)) == 1
    assert {span.attributes["gen_ai.tool.name"] for span in spans} == {"build"}
    assert [measured.sent(span) for span in spans] == [
        ["POST /v1/jobs"],
        ["GET /v1/jobs/{id}"],
        ["GET /v1/jobs/{id}", "GET /v1/jobs/{id}/result"],
    ]
    assert all(span.seconds > 0 for span in spans)
    assert measured.counted() == {
        ("tools/call", "build", "working"): 1,
        ("tasks/get", "build", "working"): 1,
        ("tasks/get", "build", "completed"): 1,
    }


def test_jobs_that_fail_and_tasks_that_are_cancelled(measured: Measured) -> None:
    failed, cancelled = begun(measured.server, looks=-1), begun(measured.server, looks=9)
    ended(measured.server, failed)
    ask(measured.server, "tasks/update", taskId=cancelled, inputResponses={})
    ask(measured.server, "tasks/cancel", taskId=cancelled)
    ended(measured.server, cancelled)
    ask(measured.server, "tasks/get", taskId="no task")
    spans = measured.end(failed, cancelled)
    assert [told(span) for span in spans[2:]] == [
        ("tasks/get build", "failed", "tool_error"),
        ("tasks/update build", "working", None),
        ("tasks/cancel build", "cancelled", None),
        ("tasks/get build", "cancelled", None),
        ("tasks/get", None, None),
    ]
    assert len(digests(spans[:-1])) == 2
    assert digests([spans[0]]) == digests([spans[2]])
    assert digests([spans[1]]) == digests(spans[3:6])
    assert spans[-1].attributes["rpc.response.status_code"] == "-32602"
    assert "mcpgen.task.digest" not in spans[-1].attributes


def test_a_client_without_tasks_has_the_outcome_in_its_calls(measured: Measured) -> None:
    ask(measured.server, "tools/call", ENVELOPE, name="build", arguments={"looks": 1})
    text = ask(measured.server, "tools/call", ENVELOPE, name="slow", arguments={"looks": 10_000})["content"][0]["text"]
    task = text.partition("task=")[2].split()[0]
    again = ask(measured.server, "tools/call", ENVELOPE, name="get_task", arguments={"task": task})["content"][0][
        "text"
    ]
    assert again.partition("task=")[2].split()[0] == task
    Api.jobs["2"] = 0
    ask(measured.server, "tools/call", ENVELOPE, name="get_task", arguments={"task": task})
    spans = measured.end(task)
    assert [told(span) for span in spans] == [
        ("tools/call build", "completed", None),
        ("tools/call slow", "working", None),
        ("tools/call get_task", "working", None),
        ("tools/call get_task", "completed", None),
    ]
    assert "mcpgen.task.digest" not in spans[0].attributes, "it never had an id"
    assert len(digests(spans[1:])) == 1
    assert measured.counted()["tools/call", "slow", "completed"] == 1


def test_tasks_of_the_older_revision(measured: Measured) -> None:
    greeted(measured.server)
    task = older(measured.server, "tools/call", name="build", arguments={"looks": 1}, task={})["task"]["taskId"]
    older(measured.server, "tasks/result", taskId=task)
    older(measured.server, "tasks/cancel", taskId=task)
    spans = measured.end(task)[1:]
    assert [told(span) for span in spans] == [
        ("tools/call build", "working", None),
        ("tasks/result build", "completed", None),
        ("tasks/cancel build", None, None),
    ]
    assert len(digests(spans)) == 1
    assert spans[-1].attributes["rpc.response.status_code"] == "-32602"
