"""What the tests look at: the work of a client, with what the API received and holds after it. Data alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcpgen.demo import petstore
from tests.demo.exchange import Received
from tests.interop.clients import Outcome, Work


@dataclass(frozen=True, slots=True)
class Session(Work):
    """The whole table, called by one client: an outcome for each case, and the petstore afterwards."""

    listed: Outcome
    api: petstore.Running


@dataclass(frozen=True, slots=True)
class Held(Work):
    """A call that was given up, several made together, and one after that, with an upstream that holds answers back."""

    closed: bool


@dataclass(frozen=True, slots=True)
class Direct:
    """The same requests, sent to an equal petstore without any server between: its answers, and what it holds."""

    answers: list[Received | None]
    api: petstore.Running


@dataclass(frozen=True, slots=True)
class Promised(Work):
    """Tools with output schemas, listed and called by one client; `tools` are what was compiled."""

    listed: Outcome
    tools: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Changed(Work):
    """A server that is generated again while one client is with it; and what the API received."""

    sent: list[str]


@dataclass(frozen=True, slots=True)
class Confirmed(Work):
    """Calls that ask first, made by one client; and what the API received."""

    sent: list[tuple[str, str]]
