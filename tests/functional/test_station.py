"""Test handwritten tools end to end: a tools file is compiled, its server started and its tools called, with a real
API.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from mcpgen.demo.client import Client, connect
from tests import station
from tests.golden.projects import project

PROJECT = project("station")


@pytest.fixture
def api() -> Iterator[station.Running]:
    with station.serve() as running:
        yield running


@pytest.fixture
def client(api: station.Running) -> Iterator[Client]:
    variables = {"STATION_BASE_URL": api.url, "STATION_API_KEY": station.API_KEY, "STATION_LOG_LEVEL": "error"}
    with connect([sys.executable, "-m", "station_mcp"], PROJECT, variables) as connected:
        yield connected


def _text(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


def test_the_server_says_what_its_owner_wrote(client: Client) -> None:
    found = client.request("server/discover")
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["version"] == "1.0.0"
    assert "look at the alerts" in found["instructions"]


def test_names_and_descriptions_are_the_writers_and_titles_are_derived(client: Client) -> None:
    tools = {tool["name"]: tool for tool in client.request("tools/list")["tools"]}
    assert sorted(tools) == ["get_current_conditions", "get_forecast", "list_alerts", "report_observation"]
    assert tools["list_alerts"]["title"] == "List weather alerts"
    assert tools["get_forecast"]["title"] == "Get forecast"
    assert tools["get_forecast"]["description"].startswith(
        "Tells the weather of the coming days in a city, day by day."
    )


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("get_current_conditions", {"city": "Oslo", "units": "imperial"}, "GET /v1/current?city=Oslo&units=imperial"),
    ("get_forecast", {"city": "Berlin", "days": 2}, "GET /v1/forecast?city=Berlin&days=2"),
    (
        "list_alerts",
        {"region": "DE-BE", "severity": ["minor", "severe"]},
        "GET /v1/regions/DE-BE/alerts?severity=minor,severe",
    ),
    ("report_observation", {"city": "Oslo", "sky": "snow", "temperature_c": -4.5}, "POST /v1/observations"),
]


@pytest.mark.parametrize(("tool", "arguments", "request_line"), CALLS, ids=[call[0] for call in CALLS])
def test_each_tool_sends_what_it_says(
    client: Client, api: station.Running, tool: str, arguments: dict[str, Any], request_line: str
) -> None:
    result = client.call(tool, **arguments)
    assert not result.get("isError"), _text(result)
    json.loads(_text(result))
    assert [f"{request.method} {request.target}" for request in api.requests] == [request_line]
    assert api.requests[0].header("X-API-Key") == station.API_KEY


def test_what_was_reported_is_what_the_api_holds(client: Client, api: station.Running) -> None:
    client.call("report_observation", city="Lyon", sky="fog", note="from the bridge")
    (held,) = api.observations
    assert {"city": "Lyon", "sky": "fog", "note": "from the bridge"}.items() <= dict(held).items()


def test_a_refused_argument_never_reaches_the_api(client: Client, api: station.Running) -> None:
    result = client.call("get_forecast", city="Oslo", days=12)
    assert result["isError"]
    assert "days" in _text(result)
    assert api.requests == []
