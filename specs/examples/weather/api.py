"""The API behind the weather server: the same weather for ever, with more in each answer than anybody asked for.

GET /current?location=Oslo&units=metric    what it is like now
GET /observations/Oslo                     what the instruments say, always in metric units
"""

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


class Place(NamedTuple):
    """A place and its weather."""

    name: str
    celsius: float
    conditions: str
    humidity: int
    station: int


PLACES = {
    place.name.casefold(): place
    for place in (
        Place("Berlin", 2.5, "Cloudy", 81, 10384),
        Place("Kraków", -3.0, "Snow", 90, 12566),
        Place("New York", 22.5, "Partly cloudy", 65, 72503),
        Place("Oslo", -6.5, "Fog", 97, 1492),
    )
}
UNITS: dict[str, tuple[Callable[[float], float], str]] = {
    "metric": (lambda celsius: celsius, "°C"),
    "imperial": (lambda celsius: celsius * 9 / 5 + 32, "°F"),
    "kelvin": (lambda celsius: celsius + 273.15, "K"),
}


def place_called(name: str) -> Place:
    try:
        return PLACES[name.casefold()]
    except KeyError:
        known = ", ".join(place.name for place in PLACES.values())
        raise LookupError(f"There is no weather for {name}; there is for {known}.") from None


def current(place: Place, units: str) -> dict[str, Any]:
    convert, unit = UNITS[units]
    temperature = round(convert(place.celsius), 2)
    return {"place": place.name, "temperature": temperature, "unit": unit, "conditions": place.conditions}


def observed(place: Place) -> dict[str, Any]:
    return {
        "station": {"number": place.station, "name": place.name},
        "sky": {"text": place.conditions, "code": 3},
        "air": {"temperature": place.celsius, "humidity": place.humidity, "pressure": 1013},
    }


def respond(request: str, given: dict[str, Any]) -> object:
    match request.split("/"):
        case ["GET ", "current"]:
            return current(place_called(given["location"]), given.get("units", "metric"))
        case ["GET ", "observations", name]:
            return observed(place_called(name))
    raise LookupError(f"There is no {request}.")


class Exchange(BaseHTTPRequestHandler):
    """HTTP around `respond`: a query or JSON goes in, JSON or a text comes out, and stderr shows what was asked."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # head and body leave together

    def do_GET(self) -> None:
        url, size = urlsplit(self.path), int(self.headers.get("Content-Length", 0))
        sent = self.rfile.read(size).decode()
        print(f"{self.command} {self.path} {sent}".rstrip(), file=sys.stderr, flush=True)
        try:
            given = {**dict(parse_qsl(url.query)), **json.loads(sent or "{}")}
            self.reply(200, respond(f"{self.command} {unquote(url.path)}", given))
        except KeyError as missing:
            self.reply(400, {"error": f"{missing} is missing."})
        except LookupError as problem:
            self.reply(404, {"error": problem.args[0]})
        except ValueError as problem:
            self.reply(400, {"error": str(problem)})

    do_POST = do_GET  # noqa: N815 (a name that the standard library looks for)

    def reply(self, status: int, content: object) -> None:
        kind, text = ("text/plain", content) if isinstance(content, str) else ("application/json", json.dumps(content))
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing more."""


def main() -> None:
    """Serves on loopback until SIGTERM or Ctrl-C; port 0 takes a free one."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    with ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Exchange) as server:
        for end in (signal.SIGTERM, signal.SIGINT):
            signal.signal(end, lambda *_: sys.exit())
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
