"""Play each example's conversation in every protocol revision, with the real server over pipes and the real API on a
socket.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from specs.examples.clinical.api import PATIENTS
from tests.examples.api import Api
from tests.examples.conversations import BARE, NAMES, Exchange, Scene, fits, scenes, with_words
from tests.golden.projects import project
from tests.leaks import SECRET, searched
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META, R4, R5, REVISIONS

PLAYED = [
    (name, revision)
    for name in NAMES
    for revision in (*REVISIONS, BARE)
    if any(revision in scene.revisions for scene in scenes(name))
]
NEWEST = {R4, R5, BARE}
"""Revisions of every run: the newest with a handshake, and the stateless one. Older ones are marked `slow`."""

OFFERED = {"database": ("prompts", "completions"), "files": ("completions",)}
"""Name of an example → features of its server besides tools and resources."""

ON_TOP = ("resultType", "_meta", "ttlMs", "cacheScope")


def take(expected: list[dict[str, Any]], found: dict[str, Any], remembered: dict[str, str]) -> None:
    """Remove the first message of `expected` that `found` matches, and store the texts at its placeholders (`$WORD`).

    Raise AssertionError if no message matches.
    """
    fitting = [each for each in expected if fits(each, found, dict(remembered))]
    assert fitting, f"{json.dumps(found, ensure_ascii=False)} came, none of {expected}"
    fits(fitting[0], found, remembered)
    expected.remove(fitting[0])


class Client:
    """MCP client of one revision. It remembers which texts of the server stand at the placeholders (`$WORD`) of a
    scene.
    """

    def __init__(self, server: Server, api: Api, revision: str, capabilities: Iterable[str]) -> None:
        self._server, self._api, self._revision = server, api, revision
        self._capabilities: dict[str, Any] = {capability: {} for capability in capabilities}
        self._remembered = {"$API": api.url}

    def open(self) -> None:
        """Perform the handshake if the revision has one."""
        info = {"name": "example", "version": "1"}
        hello = {"protocolVersion": self._revision, "capabilities": self._capabilities, "clientInfo": info}
        self._say({"id": 0, "method": "initialize", "params": hello})
        assert self._server.message()["result"]["protocolVersion"] == self._revision
        self._say({"method": "notifications/initialized"})

    def play(self, exchange: Exchange) -> None:
        """Send the messages of an exchange.

        Compare the received messages, in any order, and the requests to the API.
        """
        for message in exchange.said:
            self._say(self._enveloped(with_words(message, self._remembered)))
        left = list(exchange.heard)
        while left:
            take(left, self._bare(self._server.message()), self._remembered)
        assert sorted(self._api.heard(len(exchange.requests))) == sorted(exchange.requests)

    def _say(self, message: dict[str, Any]) -> None:
        self._server.say(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def _enveloped(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._revision != R5 or "id" not in message or "method" not in message:
            return message
        meta = {**ENVELOPE, META + "clientCapabilities": self._capabilities}
        return {**message, "params": {**message.get("params", {}), "_meta": meta}}

    def _bare(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the message without the members that all messages of the revision have, which were checked when the
        line was read.
        """
        message.pop("jsonrpc")
        if self._revision == R5 and message.get("result", {}).get("resultType") == "complete":
            for key in ON_TOP:
                message["result"].pop(key, None)
        if message.get("result", {}).get("resultType") == "input_required":
            message["result"].pop("_meta")
        return message


def converse(name: str, revision: str, played: list[Scene], tmp_path: Path) -> bytes:
    """Play scenes of a conversation file with one server. Return the server's output and its audit file.

    All scenes need the same environment variables of the server, and the same capabilities of the client.
    """
    first = played[0]
    prefix, record = name.upper(), tmp_path / f"{len(list(tmp_path.iterdir()))}.audit"
    with Api(name) as api:
        given = {"BASE_URL": api.url, "TOKEN": SECRET, "AUDIT": str(record), "LOG_LEVEL": "debug"}
        environment = {**{f"{prefix}_{key}": value for key, value in given.items()}, **first.environment}
        with Server(project(name, whole=True), package=f"{name}_mcp", env=environment) as server:
            server.checker.offered = OFFERED.get(name, ())
            client = Client(server, api, revision, first.capabilities)
            if revision not in (R5, BARE) and not first.opens:
                client.open()
            for scene in played:
                for exchange in scene.exchanges:
                    client.play(exchange)
            server.end()
            assert server.rest() == []
            assert server.ended() == 0
        assert api.end() == (0, ""), "nothing else reached the API"
    if expected := [line for scene in played for line in scene.audited]:
        for line in record.read_text().splitlines():
            take(expected, json.loads(line), {})
        assert expected == []
    return server.written + record.read_bytes()


@pytest.mark.parametrize(
    ("name", "revision"), [pytest.param(*each, marks=() if each[1] in NEWEST else pytest.mark.slow) for each in PLAYED]
)
def test_it_goes_as_it_was_written_down(name: str, revision: str, tmp_path: Path) -> None:
    mine = [scene for scene in scenes(name) if revision in scene.revisions]
    for _, played in groupby(mine, lambda scene: (dict(scene.environment), scene.capabilities)):
        written = converse(name, revision, list(played), tmp_path)
        for patient in PATIENTS:
            for private in (patient.record_number, patient.birth_date, patient.name, patient.name.split()[-1]):
                searched(written, private)


@pytest.mark.parametrize("name", ["database", "files"])
def test_it_goes_so_without_the_tricks_of_performance(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCPGEN_TUNING", "0")
    test_it_goes_as_it_was_written_down(name, R5, tmp_path)


def test_every_example_has_a_conversation_in_every_revision() -> None:
    assert {(name, revision) for name in NAMES for revision in REVISIONS} <= set(PLAYED)
    assert set(NAMES) >= {"calculator", "echo", "weather", "database", "files", "clinical"}
