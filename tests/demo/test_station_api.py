"""Test that the demo weather station answers exactly the requests of `specs/station.tools.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests import station
from tests.demo.exchange import NOTHING, Sent, call, of_json

TOOLS_FILE = Path(__file__).parents[2] / "specs" / "station.tools.yaml"
DOCUMENT: dict[str, Any] = yaml.safe_load(TOOLS_FILE.read_text("utf-8"))
TOOLS: dict[str, dict[str, Any]] = {tool["request"]: tool for tool in DOCUMENT["tools"]}


@pytest.fixture
def running() -> Iterator[station.Running]:
    with station.serve() as running:
        yield running


@pytest.mark.parametrize(
    ("method", "target", "sent", "expected"),
    [
        (
            *("GET", "/current?city=Krak%C3%B3w", NOTHING),
            {"city": "Kraków", "region": "PL-12", "at": "2026-02-01T12:00:00Z", "sky": "snow"}
            | {"temperature": -3.0, "wind": 9.0, "units": "metric"},
        ),
        (
            *("GET", "/current?city=oslo&units=imperial", NOTHING),
            {"city": "Oslo", "region": "NO-03", "at": "2026-02-01T12:00:00Z", "sky": "fog"}
            | {"temperature": 20.3, "wind": 2.5, "units": "imperial"},
        ),
        (
            *("GET", "/forecast?city=Lyon&days=2", NOTHING),
            {
                "city": "Lyon",
                "days": [
                    {"date": "2026-02-02", "sky": "cloudy", "temperature": 8.5, "wind": 12.5, "units": "metric"},
                    {"date": "2026-02-03", "sky": "rain", "temperature": 9.0, "wind": 12.5, "units": "metric"},
                ],
            },
        ),
        ("GET", "/regions/PL-12/alerts?severity=minor,moderate", NOTHING, [station.ALERTS["PL-12"][1]]),
        ("GET", "/regions/NO-03/alerts", NOTHING, station.ALERTS["NO-03"]),
        ("GET", "/regions/DE-BE/alerts", NOTHING, []),
        (
            *("POST", "/observations", of_json({"city": "oslo", "sky": "snow", "temperature_c": -7})),
            {"id": 1, "city": "Oslo", "sky": "snow", "temperature_c": -7, "observed_at": "2026-02-01T12:00:00Z"},
        ),
    ],
)
def test_every_operation_answers(
    running: station.Running, method: str, target: str, sent: Sent, expected: object
) -> None:
    received = call(running.url, method, target, sent)
    assert (received.status, received.media) == (201 if method == "POST" else 200, "application/json")
    assert received.json() == expected


@pytest.mark.parametrize(
    ("target", "status", "detail"),
    [
        ("/current", 422, "1 value is wrong: city."),
        ("/current?city=Lyon&units=kelvin", 422, "1 value is wrong: units."),
        ("/forecast?city=Lyon&days=8", 422, "1 value is wrong: days."),
        ("/regions/Oslo/alerts", 422, "1 value is wrong: region."),
        ("/regions/NO-03/alerts?severity=mild", 422, "1 value is wrong: severity[0]."),
        ("/current?city=Paris", 404, "There is no weather for Paris; there is for Berlin, Kraków, Lyon, Oslo."),
        ("/history", 404, "There is nothing at /v1/history; the API is at /v1."),
    ],
)
def test_what_is_wrong_is_said(running: station.Running, target: str, status: int, detail: str) -> None:
    received = call(running.url, "GET", target)
    assert (received.status, received.media) == (status, "application/problem+json")
    assert received.json()["detail"] == detail


@pytest.mark.parametrize("credentials", [{}, {"X-API-Key": "guess"}])
def test_the_key_is_needed(running: station.Running, credentials: dict[str, str]) -> None:
    assert call(running.url, "GET", "/current?city=Oslo", credentials=credentials).status == 401


def test_what_is_reported_is_kept(running: station.Running) -> None:
    for sky in ("rain", "snow"):
        call(running.url, "POST", "/observations", of_json({"city": "Berlin", "sky": sky}))
    assert [(seen["id"], seen["sky"]) for seen in running.observations] == [(1, "rain"), (2, "snow")]
    wrong = call(running.url, "POST", "/observations", of_json({"sky": "green", "mood": "good"}))
    assert sorted(wrong.faults()) == [("body", "/city"), ("body", "/mood"), ("body", "/sky")]
    assert len(running.observations) == 2


def test_the_routing_table_is_the_tools_file() -> None:
    assert {f"{route.method} {route.template}" for route in station.ROUTES} == set(TOOLS)
    assert DOCUMENT["security"]["api_key"] == {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    for route in station.ROUTES:
        tool = TOOLS[f"{route.method} {route.template}"]
        taken = {(one.place, one.name, one.required, one.default) for one in route.parameters}
        assert taken == {
            (one["in"], one["name"], one.get("required", False), one["schema"].get("default"))
            for one in tool.get("parameters", [])
        }
        assert (route.body is not None) == ("body" in tool)


def test_the_schemas_of_the_tools_file_are_schemas() -> None:
    for tool in TOOLS.values():
        for schema in [one["schema"] for one in tool.get("parameters", [])] + [tool.get("body", {})]:
            Draft202012Validator.check_schema(schema)
