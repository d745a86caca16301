"""Serve an API with state on a raw socket: resources by their paths, which requests read, create, change and delete.

So the state behind the API can be compared with what a workflow says that it has done. An API is described by:

- `base`: beginning of all paths, which the paths below lack.
- `state`: path, or path with its query -> the JSON value that a GET returns.
- `created`: glob of a path -> members that the API adds to what a POST creates there. `$id` is the new id, `$text` the
  same as a text, and `$given` the member as it was sent, which is the id then.
- `actions`: `METHOD GLOB` of a request -> the members that it sets in the resource which the path names before its last
  segment.
- `computed`: `METHOD GLOB` of a request that changes nothing -> its answer.
- `polls`: glob of a path -> values that GETs return one after the other; the last one stays.

A POST with `Idempotency-Key` takes effect once. An id follows from what is created, so the same calls create the same.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote

from tests.runtime.upstream import Connection

Answer = tuple[int, Any]


@dataclass(frozen=True)
class Fault:
    """What happens to a request from its `nth` occurrence on.

    `status`: of the answer; 0 for none. `is_done`: True if the request takes effect nevertheless. `is_outage`: True if
    no request is answered from then on.
    """

    request: str
    nth: int = 1
    status: int = 0
    is_done: bool = False
    is_outage: bool = False


FAULTS = {
    "refused": Fault("", status=400),
    "failed": Fault("", status=500),
    "silent": Fault("", is_done=True),
    "outage": Fault("", is_outage=True),
}


class Resources:
    """The API. `seen`: its requests in their order. `heard`: called with each request before anything else happens."""

    def __init__(self, described: dict[str, Any], fault: Fault | None = None) -> None:
        self.state: dict[str, Any] = deepcopy(described.get("state", {}))
        self.seen: list[str] = []
        self.heard: Callable[[str], None] = lambda request: None
        self.base: str = described.get("base", "")
        self._created: dict[str, Any] = described.get("created", {})
        self._actions: dict[str, Any] = described.get("actions", {})
        self._computed: dict[str, Any] = described.get("computed", {})
        self._polls: dict[str, list[Any]] = deepcopy(described.get("polls", {}))
        self._answered: dict[str, Answer] = {}
        self._made: dict[int, int] = {}
        self._fault = fault
        self._is_out = False

    @property
    def writes(self) -> list[str]:
        """Return the requests that were to change something."""
        return [each for each in self.seen if not each.startswith("GET ") and not _at(self._computed, each)]

    def asked(self, method: str, target: str, body: str, fields: dict[str, str]) -> Answer | None:
        """Answer a request. Return None if the connection is to be reset."""
        request = f"{method} {target} {body}".strip()
        self.seen.append(request)
        self.heard(request)
        fault = self._fault if self._fault is not None and self._fault.request == request else None
        fault = fault if fault is not None and self.seen.count(request) >= fault.nth else None
        self._is_out = self._is_out or (fault is not None and fault.is_outage)
        if self._is_out:
            return None
        if fault is None or fault.is_done:
            answer = self._once(method, target, body, fields)
        if fault is None:
            return answer
        return (fault.status, {"error": f"fault {fault.status}"}) if fault.status else None

    def _once(self, method: str, target: str, body: str, fields: dict[str, str]) -> Answer:
        key = fields.get("idempotency-key", "")
        if key in self._answered:
            return self._answered[key]
        answer = self._answer(method, target, _value(body, fields.get("content-type", "")), fields.get("if-match", ""))
        if key:
            self._answered[key] = answer
        return answer

    def _answer(self, method: str, target: str, value: Any, version: str) -> Answer:
        path = unquote(target.partition("?")[0])
        if computed := _at(self._computed, f"{method} {path}"):
            return 200, self._computed[computed]
        if action := _at(self._actions, f"{method} {path}"):
            path = path.rpartition("/")[0]
            if path in self.state:
                self.state[path] = {**self.state[path], **self._actions[action]}
            return (200, self.state[path]) if path in self.state else (404, {"error": "Not found"})
        if method == "GET":
            found = self.state.get(unquote(target), self.state.get(path))
            if polled := _at(self._polls, path):
                found, *rest = self._polls[polled]
                self._polls[polled] = rest or [found]
            return (404, {"error": "Not found"}) if found is None else (200, found)
        if method == "POST":
            return 201, self._create(path, value)
        if path not in self.state and method != "PUT":
            return 404, {"error": "Not found"}
        if version and version != f'"1-{zlib.crc32(json.dumps(self.state[path]).encode())}"':
            return 412, {"error": "Changed"}
        if method == "DELETE":
            self.state = {at: each for at, each in self.state.items() if at != path and not at.startswith(f"{path}/")}
            return 204, None
        before = self.state.get(path)
        self.state[path] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
        return 200, self.state[path]

    def _create(self, path: str, value: Any) -> Any:
        """Create a resource, and return it."""
        told = zlib.crc32(json.dumps([path, value], sort_keys=True).encode()) % 9000
        self._made[told] = self._made.get(told, 0) + 1
        new: Any = 1000 * self._made[told] + told
        members = {**(value if isinstance(value, dict) else {"value": value})}
        for name, each in self._created.get(_at(self._created, path), {"id": "$id"}).items():
            new = members[name] if each == "$given" else new
            members[name] = {"$id": new, "$text": str(new), "$given": new}.get(str(each), each)
        self.state[f"{path.removesuffix('/create')}/{new}"] = members
        return members


async def play_resources(connection: Connection, current: Callable[[], Resources]) -> None:
    """Answer the requests of a connection. `current`: the API at the time of each request."""
    while request := await connection.request():
        head, _, body = request.partition(b"\r\n\r\n")
        line, *fields = head.decode("latin-1").split("\r\n")
        found = {name.lower(): value for name, _, value in (each.partition(": ") for each in fields)}
        method, target, _ = line.split(" ")
        api = current()
        answer = api.asked(method, target.removeprefix(api.base), body.decode(), found)
        if answer is None:
            return connection.reset()
        status, value = answer
        told = b"" if value is None else json.dumps(value).encode()
        start = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
        await connection.send(
            f'{start}ETag: "1-{zlib.crc32(told)}"\r\nContent-Length: {len(told)}\r\n\r\n'.encode() + told
        )
    return None


def _at(globs: Iterable[str], text: str) -> str:
    """Return the first glob that a text matches, or ""."""
    return next((each for each in globs if fnmatchcase(text.partition(" {")[0], each)), "")


def _value(body: str, content_type: str) -> Any:
    """Return the body of a request: its JSON value, the values of the members of a form, or its text."""
    if "json" in content_type:
        return json.loads(body)
    return parse_qs(body) if "urlencoded" in content_type else body
