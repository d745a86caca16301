"""The API of `specs/petstore.openapi.yaml`: real HTTP over SQLite, with the same twelve pets at every start.

`serve` runs it in a thread of this process, and `python -m mcpgen.demo.petstore` in a process of its own. The package
imports no module of the compiler or of generated servers, so it checks requests independently.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from mcpgen.demo import api, http
from mcpgen.demo.petstore.handlers import ROUTES
from mcpgen.demo.petstore.store import Store, seed

BASE = "/v1"
PROBLEMS = "https://petstore.example/problems/"
API_KEY = "demo-key"
TOKEN = "demo-token"  # noqa: S105 (it opens nothing but this)


@dataclass(frozen=True, slots=True)
class Running(http.Running):
    """A running petstore: its base URL, the requests that it received, and its tables (`store`)."""

    store: Store


@contextmanager
def serve(port: int = 0, api_key: str = API_KEY, token: str = TOKEN) -> Iterator[Running]:
    """Serve a fresh petstore on loopback. Port 0 means any free port. All sockets are closed at the end."""
    with closing(Store()) as store:
        seed(store)
        credentials = {"apiKey": api.api_key(api_key), "bearer": api.bearer(token)}
        with http.serve(api.Api(BASE, PROBLEMS, ROUTES, credentials, store), BASE, port) as running:
            yield Running(running.url, running.requests, store)
