"""The API behind the clinical server: a trial and its patients, all of them invented.

    POST /trials/NIMBUS-2/efficacy    {"endpoint": "pain"} gives the response of each arm, and who was in it
    POST /cohorts                     {"condition": "migraine", "from_age": 40} gives the patients who fit

It answers as such systems do: with names, dates of birth and record numbers that nobody outside should see. That the
server in front of it takes them out is what this example shows.
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


class Patient(NamedTuple):
    """A person who does not exist. `pain` and `sleep` are by how much a complaint has become less, from 0 to 1."""

    record_number: str
    name: str
    birth_date: str
    age: int
    sex: str
    condition: str
    arm: str
    pain: float
    sleep: float


PATIENTS = (
    Patient("MRN-400017", "Orla Quillfeather", "1961-03-14", 64, "female", "migraine", "active", 0.7, 0.4),
    Patient("MRN-400028", "Bastien Moorcroft", "1979-11-02", 46, "male", "migraine", "active", 0.6, 0.8),
    Patient("MRN-400039", "Ines Valderrama", "1984-07-23", 41, "female", "migraine", "active", 0.2, 0.5),
    Patient("MRN-400040", "Tobias Lindqvarn", "1990-01-30", 36, "male", "migraine", "placebo", 0.5, 0.5),
    Patient("MRN-400051", "Maren Osterhoud", "1956-09-09", 69, "female", "migraine", "placebo", 0.1, 0.0),
    Patient("MRN-400062", "Pavel Drozdenko", "1972-12-18", 53, "male", "asthma", "placebo", 0.0, 0.2),
)
TRIALS = {"NIMBUS-2": "migraine"}
RESPONSE = 0.5  # of a complaint gone, from which on a patient has responded


def patients(fits: Callable[[Patient], bool]) -> list[dict[str, Any]]:
    return [patient._asdict() for patient in PATIENTS if fits(patient)]


def efficacy(trial: str, endpoint: str) -> dict[str, Any]:
    if trial not in TRIALS:
        raise LookupError(f"There is no trial {trial}; there is {', '.join(TRIALS)}.")
    arms = {
        arm: patients(lambda patient: (patient.condition, patient.arm) == (TRIALS[trial], arm))  # noqa: B023 (called here)
        for arm in ("active", "placebo")
    }
    return {"trial": trial, "endpoint": endpoint, "arms": [of_arm(*each, endpoint) for each in arms.items()]}


def of_arm(arm: str, members: list[dict[str, Any]], endpoint: str) -> dict[str, Any]:
    responders = [member for member in members if member[endpoint] >= RESPONSE]
    rate = round(len(responders) / len(members), 2)
    return {"arm": arm, "patients": len(members), "responders": len(responders), "rate": rate, "members": members}


def cohort(condition: str, from_age: int, to_age: int) -> dict[str, Any]:
    found = patients(lambda patient: patient.condition == condition and from_age <= patient.age <= to_age)
    return {"condition": condition, "count": len(found), "patients": found}


def respond(request: str, given: dict[str, Any]) -> object:
    match request.split("/"):
        case ["POST ", "trials", trial, "efficacy"]:
            return efficacy(trial, given["endpoint"])
        case ["POST ", "cohorts"]:
            return cohort(given["condition"], given.get("from_age", 0), given.get("to_age", 150))
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
