"""Test real clients with two examples of `generated/`: one returns structured data, and one asks for a yes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.examples.api import Api
from tests.golden.projects import project
from tests.interop import schemas
from tests.interop.clients import CLIENTS, Client, Step, Work
from tests.interop.conftest import _carried_out
from tests.interop.messages import R3
from tests.leaks import SECRET

#: Script that starts the server from the project's folder.
SERVER = """#!{python}
import sys

sys.path.insert(0, {project!r})
from {name}_mcp.runtime.server import main

sys.exit(main())
"""
Play = Callable[[str, list[Step], dict[str, str]], tuple[Work, list[str]]]


@pytest.fixture(params=CLIENTS, ids=str)
def client(request: pytest.FixtureRequest) -> Client:
    found: Client = request.param
    return found


@pytest.fixture
def play(client: Client, tmp_path: Path) -> Play:
    """Let the client do some steps with the server of an example.

    Return the outcome, and the requests that the API received.
    """

    def played(name: str, steps: list[Step], variables: dict[str, str]) -> tuple[Work, list[str]]:
        script = tmp_path / f"{name}-mcp"
        script.write_text(SERVER.format(python=sys.executable, project=str(project(name, whole=True)), name=name))
        script.chmod(0o755)
        prefix = name.upper()
        with Api(name) as api:
            environment = {f"{prefix}_BASE_URL": api.url, f"{prefix}_TOKEN": SECRET, **variables}
            work = _carried_out(client, script, environment, steps, tmp_path / "lines", asks=True)
            code, heard = api.end()
        assert code == 0
        assert work.complaints == []
        for message in (message for lines in work.transcripts for message in lines.messages()):
            if schemas.PRESENT:
                schemas.check(message)
        return work, heard.splitlines()

    return played


def test_weather_as_data(client: Client, play: Play) -> None:
    place = {"location": "New York"}
    steps: list[Step] = [
        {"do": "call", "tool": name, "arguments": place} for name in ("get_weather_data", "weather_current")
    ]
    work, heard = play("weather", [{"do": "list"}, *steps], {})
    listed, data, sentence = work.outcomes
    assert [tool["name"] for tool in listed["tools"]] == ["get_weather_data", "weather_current"]
    promised = {"temperature": 22.5, "conditions": "Partly cloudy", "humidity": 65}
    assert data["result"].get("structuredContent") == (promised if client.revision >= R3 else None)
    assert sentence["result"]["content"] == [{"type": "text", "text": "New York: 22.5 °C, Partly cloudy"}]
    assert heard == ["GET /observations/New%20York", "GET /current?location=New%20York"]


def test_a_cohort_after_a_yes(client: Client, play: Play, tmp_path: Path) -> None:
    call: Step = {"do": "call", "tool": "query_patient_cohort", "arguments": {"condition": "asthma"}}
    record = tmp_path / "audit.jsonl"
    roles = {"CLINICAL_ROLES": "researcher", "CLINICAL_AUDIT": str(record)}
    work, heard = play("clinical", [{**call, "answer": "decline"}, {**call, "answer": "accept"}], roles)
    refused, answered = (outcome["result"] for outcome in work.outcomes)
    assert refused["isError"] is True
    if client.revision < R3:
        assert (answered["isError"], heard) == (True, [])
        return
    assert '"count":1' in answered["content"][0]["text"].replace(" ", "")
    assert "Drozdenko" not in str(work.transcripts) + record.read_text()
    assert heard == ['POST /cohorts {"condition":"asthma"}']
