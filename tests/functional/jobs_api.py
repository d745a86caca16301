"""Serve an API whose POST requests start jobs, and provide the tools file of a server `worker` for the API.

A job ends after a number of status requests that the test chooses. The API stores the jobs, so server processes may
come and go.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

TOOLS_FILE = """
mcpgen: 1
server: {name: worker, title: Worker}
base_url: http://127.0.0.1:%d/v1
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
- name: build
  description: Build a thing.
  request: POST /jobs
  arguments: {looks: integer, kind: string}
  timeout: 20
  task:
    poll: GET /jobs/{id}
    done: /status == finished
    failed: /status == failed
    result: GET /jobs/{id}/result
    cancel: DELETE /jobs/{id}
    message: /said
    interval: 0.1
- name: export
  description: Export all.
  request: POST /exports
  arguments: {looks: integer, where: string}
  timeout: 20
  task: {poll: Operation-Location, interval: 0.1}
- name: render
  description: Render a page.
  request: POST /renders
  arguments: {looks: integer}
  timeout: 20
  task:
    poll: /links/self
    result: /output
    interval: 0.1
    ttl: 600
- name: slow
  description: Take for ever.
  request: POST /jobs
  arguments: {looks: integer}
  timeout: 0.5
  task:
    poll: GET /jobs/{id}
    done: /status == finished
    result: GET /jobs/{id}/result
    interval: 0.1
- name: night
  description: Take all night.
  request: POST /jobs
  arguments: {looks: integer}
  requires: [tasks]
  task: {poll: "GET /jobs/{id}", done: /status == finished, result: "GET /jobs/{id}/result", interval: 0.1}
- name: plain
  description: Start nothing.
  request: GET /plain
"""


class Api(BaseHTTPRequestHandler):
    """Handler of the API.

    `jobs`: job id → number of status requests before the job ends; if negative, the next one reports failure. `kinds`:
    job id → what a cancellation does: `failing` lets the job fail, `lasting` lets it go on, `refusing` answers 409, and
    otherwise the job is deleted. A status request for a `mute` job gets no answer.
    """

    jobs: ClassVar[dict[str, int]] = {}
    kinds: ClassVar[dict[str, str]] = {}
    seen: ClassVar[list[str]] = []
    keys: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self._note()
        path = self.path.removeprefix("/v1")
        _, kind, number, *rest = [*path.split("/"), "", ""]
        if kind == "plain":
            self._say(200, {"plain": True})
        elif self.kinds.get(number) == "mute":
            self.close_connection = True
        elif number not in self.jobs:
            self._say(404, {"message": "no such job"})
        elif rest[:1] == ["result"]:
            self._say(200, {"built": number})
        else:
            left = self.jobs[number]
            self.jobs[number] = max(left - 1, 0) if left >= 0 else left
            self._state(kind, number, left)

    def _state(self, kind: str, number: str, left: int) -> None:
        if kind == "exports":
            if left > 0:
                self._say(202, {"status": "Running"})
            else:
                self._say(200, {"status": "Succeeded" if left == 0 else "Failed", "rows": 3})
        elif kind == "renders":
            self._say(200, {"done": left == 0, "output": {"page": number} if left == 0 else None})
        else:
            state = "running" if left > 0 else "finished" if left == 0 else "failed"
            self._say(200, {"id": int(number), "status": state, "said": f"{left} to go"})

    def do_POST(self) -> None:
        self._note()
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or b"{}")
        kind, number = self.path.rpartition("/")[2], str(len(self.jobs) + 1)
        self.jobs[number] = asked.get("looks", 0)
        self.kinds[number] = asked.get("kind", "")
        if kind == "exports":
            self._say(
                202, {}, ("Operation-Location", asked.get("where", f"/v1/exports/{number}")), ("Retry-After", "0")
            )
        elif kind == "renders":
            self._say(201, {"links": {"self": f"renders/{number}"}})
        elif asked.get("kind") == "anonymous":
            self._say(202, {"thanks": True})
        else:
            self._say(202, {"id": int(number), "status": "queued"})

    def do_DELETE(self) -> None:
        self._note()
        number = self.path.rpartition("/")[2]
        kind = self.kinds[number]
        if kind == "failing":
            self.jobs[number] = -1
        elif not kind:
            del self.jobs[number]
        self._say(409 if kind == "refusing" else 204, None)

    def _note(self) -> None:
        self.seen.append(f"{self.command} {self.path.removeprefix('/v1')}")
        self.keys.append(self.headers.get("X-Key", ""))

    def _say(self, status: int, value: Any, *fields: tuple[str, str]) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, field in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), *fields):
            self.send_header(name, field)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass
