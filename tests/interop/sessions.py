"""Results that the tests inspect: the work of a client, and what the API received and holds. Data alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcpgen.demo import petstore
from tests.demo.exchange import Received
from tests.interop.clients import Outcome, Work


@dataclass(frozen=True, slots=True)
class Session(Work):
    """All calls of the table by one client: an outcome for each case, and the petstore's state afterwards."""

    listed: Outcome
    api: petstore.Running


@dataclass(frozen=True, slots=True)
class Held(Work):
    """A cancelled call, several calls made together, and one more, with an upstream that holds responses back."""

    closed: bool


@dataclass(frozen=True, slots=True)
class Direct:
    """The same requests sent directly to an equal petstore: its responses, and its state afterwards."""

    answers: list[Received | None]
    api: petstore.Running


@dataclass(frozen=True, slots=True)
class Promised(Work):
    """Tools with output schemas, listed and called by one client. `tools`: as compiled."""

    listed: Outcome
    tools: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Changed(Work):
    """The work of a client whose server is generated again, and the requests that the API received."""

    sent: list[str]


@dataclass(frozen=True, slots=True)
class Confirmed(Work):
    """Calls of one client to tools that ask first, and the requests that the API received."""

    sent: list[tuple[str, str]]
