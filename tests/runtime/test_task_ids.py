"""Forge and replay the ids of MCP tasks: ids that are signed over stdio, and encrypted for one caller over HTTP."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from package.runtime.core import spans
from package.runtime.http_server.sealed.seal import Seal
from package.runtime.http_server.sealed.sealed_states import SealedTasks
from package.runtime.jobs.task_calls import SignedTasks
from package.runtime.jobs.task_calls import signing_key as key

JOB = b'["build","",{"id":7},1,2]'


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["signed", "sealed"])
def ids(request: pytest.FixtureRequest, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(spans, "owner", lambda: "ann")
    if request.param == "signed":
        return SignedTasks(key("worker", ["secret"]), clock)
    return SealedTasks(Seal([b"k" * 32], "worker/1", clock))


def test_an_id_is_good_until_it_expires(ids: Any, clock: Clock) -> None:
    task = ids.issue(JOB, 60.0)
    clock.now += 59
    assert ids.open(task) == (JOB, "")
    clock.now += 2
    assert ids.open(task) == (b"", "expired")


def test_a_change_anywhere_makes_an_id_unknown(ids: Any) -> None:
    task = ids.issue(JOB, 60.0)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for index, letter in enumerate(task):
        for other in (letters[letters.find(letter) ^ 1], letters[letters.find(letter) ^ 32]):
            assert ids.open(f"{task[:index]}{other}{task[index + 1 :]}") == (b"", "unknown"), index


@pytest.mark.parametrize("change", ["{}=", "{}==", " {}", "{}\n", "{}A", "", "é{}", "{0}{0}"])
def test_an_id_is_written_in_one_way(ids: Any, change: str) -> None:
    assert ids.open(change.format(ids.issue(JOB, 60.0))) == (b"", "unknown")


def test_the_time_of_an_id_cannot_be_moved(clock: Clock) -> None:
    ids = SignedTasks(key("worker", ["secret"]), clock)
    whole = base64.urlsafe_b64decode(ids.issue(JOB, 60.0) + "==")
    moved = whole[:16] + (2**39).to_bytes(5, "big") + whole[21:]
    assert ids.open(base64.urlsafe_b64encode(moved).rstrip(b"=").decode()) == (b"", "unknown")


def test_another_server_and_other_credentials_have_other_keys(clock: Clock) -> None:
    task = SignedTasks(key("worker", ["secret"]), clock).issue(JOB, 60.0)
    for other in (
        key("worker", ["changed"]),
        key("worker", []),
        key("other", ["secret"]),
        key("worker", ["sec", "ret"]),
    ):
        assert SignedTasks(other, clock).open(task) == (b"", "unknown")


def test_an_id_of_another_principal_is_unknown(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = SealedTasks(Seal([b"k" * 32], "worker/1", clock))
    monkeypatch.setattr(spans, "owner", lambda: "ann")
    task = ids.issue(JOB, 60.0)
    monkeypatch.setattr(spans, "owner", lambda: "bob")
    assert ids.open(task) == (b"", "unknown")


def test_a_sealed_id_hides_its_job(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "owner", lambda: "ann")
    task = SealedTasks(Seal([b"k" * 32], "worker/1", clock)).issue(JOB, 60.0)
    assert b"build" not in base64.urlsafe_b64decode(task + "=" * (-len(task) % 4))
