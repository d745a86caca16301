"""The API behind `specs/station.tools.yaml`: four operations, one API key, always the same weather.

`serve` runs it in a thread of this process, and `python -m tests.station` in a process of its own. Reported
observations are stored until the process stops. The current time is always noon on 1 February 2026.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from threading import RLock
from types import TracebackType
from typing import Any, NamedTuple

from mcpgen.demo import api, http, wire
from mcpgen.demo.api import Given, Route, missing, path, query, reply
from mcpgen.demo.bodies import json_body
from mcpgen.demo.checks import Check, Member, array, choice, integer, moment, number, record, text
from mcpgen.demo.http import Answer

BASE = "/v1"
PROBLEMS = "https://api.station.example/problems/"
API_KEY = "demo-key"
NOW = "2026-02-01T12:00:00Z"


class City(NamedTuple):
    """A city and its weather, in metric units."""

    name: str
    region: str
    sky: str
    celsius: float
    wind_kmh: float


CITIES = {
    "berlin": City("Berlin", "DE-BE", "cloudy", 2.5, 18.0),
    "krakow": City("Kraków", "PL-12", "snow", -3.0, 9.0),
    "lyon": City("Lyon", "FR-ARA", "clear", 8.0, 12.5),
    "oslo": City("Oslo", "NO-03", "fog", -6.5, 4.0),
}
ALERTS = {
    "PL-12": [
        {"severity": "severe", "headline": "Heavy snow until Tuesday morning", "until": "2026-02-03T06:00:00Z"},
        {"severity": "minor", "headline": "Ice on side roads", "until": "2026-02-02T10:00:00Z"},
    ],
    "NO-03": [{"severity": "moderate", "headline": "Dense fog on the fjord", "until": "2026-02-01T20:00:00Z"}],
}
SKIES = ("clear", "cloudy", "rain", "snow", "fog")


@dataclass(slots=True)
class Observations:
    """The observations that were reported to the API, in order. As a context manager, this object holds a lock, so that
    calls of the API run one at a time.
    """

    reported: list[dict[str, Any]] = field(default_factory=list)
    _lock: RLock = field(default_factory=RLock)

    def __enter__(self) -> Observations:
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


def _city(given: Given) -> City:
    try:
        return CITIES[given["city"].casefold().replace("ó", "o")]
    except KeyError:
        names = ", ".join(city.name for city in CITIES.values())
        raise missing(f"There is no weather for {given['city']}; there is for {names}.") from None


def _measured(celsius: float, kmh: float, units: str) -> dict[str, Any]:
    if units == "imperial":
        return {"temperature": round(celsius * 9 / 5 + 32, 1), "wind": round(kmh / 1.609344, 1), "units": units}
    return {"temperature": celsius, "wind": kmh, "units": units}


def get_current(_: Observations, given: Given) -> Answer:
    city = _city(given)
    measured = _measured(city.celsius, city.wind_kmh, given["units"])
    return reply({"city": city.name, "region": city.region, "at": NOW, "sky": city.sky, **measured})


def get_forecast(_: Observations, given: Given) -> Answer:
    city = _city(given)
    days = [_day(city, count, given["units"]) for count in range(1, given["days"] + 1)]
    return reply({"city": city.name, "days": days})


def _day(city: City, count: int, units: str) -> dict[str, Any]:
    """Return the weather `count` days from now: half a degree warmer each day, with the kinds of sky taking turns."""
    sky = SKIES[(SKIES.index(city.sky) + count) % len(SKIES)]
    when = date.fromisoformat(NOW[:10]) + timedelta(days=count)
    return {"date": when.isoformat(), "sky": sky, **_measured(city.celsius + count / 2, city.wind_kmh, units)}


def list_alerts(_: Observations, given: Given) -> Answer:
    wanted = given["severity"]
    alerts = ALERTS.get(given["region"], [])
    return reply([alert for alert in alerts if wanted is None or alert["severity"] in wanted])


def report_observation(held: Observations, given: Given) -> Answer:
    city = _city(given["body"])
    observation = {"id": len(held.reported) + 1, **given["body"], "city": city.name}
    held.reported.append(observation)
    return reply(observation, 201)


_UNITS = query("units", choice("metric", "imperial"), default="metric")
_NAME: Check = text(1, 80)
_CITY = query("city", _NAME, required=True)
_REGION = text(4, 6, r"[A-Z]{2}-[A-Z0-9]{1,3}", "a region like DE-BE")
_OBSERVATION = record(
    {
        "city": Member(_NAME, required=True),
        "sky": Member(choice(*SKIES), required=True),
        "temperature_c": Member(number(-90, 60)),
        "observed_at": Member(moment, default=NOW),
        "note": Member(text(0, 500)),
    },
    "a property of an observation",
)

ROUTES: tuple[Route[Observations], ...] = (
    Route("GET", "/current", get_current, "api_key", (_CITY, _UNITS)),
    Route("GET", "/forecast", get_forecast, "api_key", (_CITY, query("days", integer(1, 7), default=3), _UNITS)),
    Route(
        "GET",
        "/regions/{region}/alerts",
        list_alerts,
        "api_key",
        (path("region", _REGION), query("severity", array(choice("minor", "moderate", "severe")), wire.commas)),
    ),
    Route("POST", "/observations", report_observation, "api_key", body=json_body(_OBSERVATION)),
)


@dataclass(frozen=True, slots=True)
class Running(http.Running):
    """A running weather station: its base URL, the requests that it received, and the reported observations."""

    observations: list[dict[str, Any]]


@contextmanager
def serve(port: int = 0, api_key: str = API_KEY) -> Iterator[Running]:
    """Serve a fresh weather station on loopback. Port 0 means any free port. All sockets are closed at the end."""
    held = Observations()
    application = api.Api(BASE, PROBLEMS, ROUTES, {"api_key": api.api_key(api_key)}, held)
    with http.serve(application, BASE, port) as running:
        yield Running(running.url, running.requests, held.reported)


def main() -> None:
    """Run the API as a process: print its URL, and serve until SIGTERM arrives, or until a pipe as stdin ends."""
    parser = argparse.ArgumentParser(prog="python -m tests.station", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0, help="the port on loopback; 0 takes a free one (the default)")
    parser.add_argument("--api-key", default=API_KEY, help="what X-API-Key must be (default: %(default)s)")
    chosen = parser.parse_args()
    with serve(chosen.port, chosen.api_key) as running:
        http.announce_and_wait(running.url)


if __name__ == "__main__":
    main()
