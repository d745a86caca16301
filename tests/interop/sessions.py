"""Data classes for what the tests inspect: the outcome of a client's job, and what the API received and stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcpgen.demo import petstore
from tests.demo.exchange import Received
from tests.interop.clients import Outcome, Work


@dataclass(frozen=True, slots=True)
class Session(Work):
    """All calls of `calls.json` by one client: an outcome for each case, and the petstore's database afterwards."""

    listed: Outcome
    api: petstore.Running


@dataclass(frozen=True, slots=True)
class Held(Work):
    """A cancelled call, then concurrent calls, then a single call, with an upstream that delays its responses."""

    closed: bool


@dataclass(frozen=True, slots=True)
class Direct:
    """The requests of `calls.json`, sent without a server to a second petstore with the same data: its responses, and
    its database afterwards.
    """

    answers: list[Received | None]
    api: petstore.Running


@dataclass(frozen=True, slots=True)
class Promised(Work):
    """Tools with output schemas, listed and called by one client. `tools`: as the compiler made them."""

    listed: Outcome
    tools: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Changed(Work):
    """The outcomes of a client's steps while its server is generated again, and the requests that the API received."""

    sent: list[str]


@dataclass(frozen=True, slots=True)
class Confirmed(Work):
    """Calls of one client to tools that ask the user first, and the requests that the API received."""

    sent: list[tuple[str, str]]
