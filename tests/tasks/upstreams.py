"""Run the APIs that are called in the test tasks (`*.jsonl`).

The APIs are written without mcpgen's code, record requests, and have state if the real API has.

Each function is a context manager that yields an `Upstream`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, NamedTuple

from mcpgen.demo import http, petstore
from mcpgen.demo.petstore.store import TABLES
from tests import station
from tests.examples.api import Api
from tests.leaks import SECRET
from tests.tasks.gold import SERVERS

OWN = ("petstore", "station")
"""Servers of `specs/`. The other servers are its examples."""

RANDOM = ("idempotency-key", "content-type", "host", "connection", "user-agent", "accept-encoding", "content-length")
"""Header fields that differ between connections or calls."""


class Upstream(NamedTuple):
    """A running API. `state`: function that returns the API's data and received requests.

    `state` is called once, after all calls of a test task (a task of several calls in `*.jsonl`).
    """

    variables: dict[str, str]
    state: Callable[[], dict[str, Any]]


@contextmanager
def _petstore() -> Iterator[Upstream]:
    with petstore.serve(api_key=SECRET, token=SECRET) as running:

        def state() -> dict[str, Any]:
            # the state lacks the table `replays`: it has idempotency keys of requests, which a server draws at random
            rows = {table: running.store.rows(table) for table in TABLES if table != "replays"}
            return {**rows, "requests": _requests(running)}

        yield Upstream({"PETSTORE_BASE_URL": running.url, "PETSTORE_API_KEY": SECRET, "PETSTORE_BEARER": SECRET}, state)


@contextmanager
def _station() -> Iterator[Upstream]:
    with station.serve(api_key=SECRET) as running:
        variables = {"STATION_BASE_URL": running.url, "STATION_API_KEY": SECRET}
        yield Upstream(variables, lambda: {"held": [*running.observations], "requests": _requests(running)})


@contextmanager
def _example(name: str) -> Iterator[Upstream]:
    with Api(name) as api:
        prefix = name.upper()
        variables = {f"{prefix}_BASE_URL": api.url, f"{prefix}_ROLES": "researcher"}
        yield Upstream(variables, lambda: {"requests": api.end()[1].splitlines()})


def _requests(running: http.Running) -> list[tuple[Any, ...]]:
    return [
        (
            each.method,
            each.target,
            sorted((name.lower(), value) for name, value in each.headers if name.lower() not in RANDOM),
            b"" if each.header("Content-Type") is None else _body(each),
        )
        for each in running.requests
    ]


def _body(request: http.Request) -> bytes:
    """Return the body. The boundary of a multipart body is replaced, because each body has its own."""
    _, _, boundary = (request.header("Content-Type") or "").partition("boundary=")
    return request.body.replace(boundary.strip('"').encode(), b"BOUNDARY") if boundary else request.body


UPSTREAMS: dict[str, Callable[[], AbstractContextManager[Upstream]]] = {
    name: {"petstore": _petstore, "station": _station}.get(name, partial(_example, name)) for name in SERVERS
}
