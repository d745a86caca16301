"""The petstore of `specs/petstore.openapi.yaml`: real HTTP over SQLite, the same twelve pets at every start.

`serve` runs it in a thread of this process, `python -m mcpgen.demo.petstore` as a process of its own. It is an
independent reading of the document: it imports nothing of the compiler or of generated servers, so that it sees what
they really send.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from mcpgen.demo import api, http
from mcpgen.demo.petstore.routes import ROUTES
from mcpgen.demo.petstore.seed import seed
from mcpgen.demo.petstore.store import Store

BASE = "/v1"
PROBLEMS = "https://petstore.example/problems/"
API_KEY = "demo-key"
TOKEN = "demo-token"  # noqa: S105 (it opens nothing but this)


@dataclass(frozen=True, slots=True)
class Running(http.Running):
    """A petstore at work: its base URL, the requests that it received, and what it holds."""

    store: Store


@contextmanager
def serve(port: int = 0, api_key: str = API_KEY, token: str = TOKEN) -> Iterator[Running]:
    """A fresh petstore on loopback; port 0 takes a free one. Everything is closed on the way out."""
    with closing(Store()) as store:
        seed(store)
        credentials = {"apiKey": api.api_key(api_key), "bearer": api.bearer(token)}
        with http.serve(api.Api(BASE, PROBLEMS, ROUTES, credentials, store), BASE, port) as running:
            yield Running(running.url, running.requests, store)
