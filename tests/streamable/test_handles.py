"""Test the handles that the server gives to clients: session ids, names of stored results, and `requestState`.

Of each kind, ten thousand forged, replayed, expired or foreign handles are refused.
"""

from __future__ import annotations

import asyncio
import random
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator

import pytest
from package.runtime.core import spans
from package.runtime.core.effects import Handshake, Origin
from package.runtime.http_server.sealed import sealed_states
from package.runtime.http_server.sealed.seal import Expired, Seal, Unsealed
from package.runtime.http_server.sealed.sealed_states import SealedNames, SpentNumbers, States
from package.runtime.http_server.streamable import session
from package.runtime.http_server.streamable.admission import Peer

MANY = 10_000
KEY, OTHER_KEY = b"k" * 32, b"o" * 32
HANDSHAKE = Handshake("2025-11-25", True, {"name": "tests", "version": "1"})
SUBJECT = "ab" * 32
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


class Clock:
    """Clock that the test sets, in seconds."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Replica:
    """The parts of a server that make and check session ids, states (`requestState`) and names of stored results.

    All three are called handles. `kind`: the kind of handle, a key of `KINDS`. `owner`: the caller that gets or sends
    the handle.
    """

    def __init__(self, clock: Clock, secrets: tuple[bytes, ...] = (KEY,), audience: str = "caller/1") -> None:
        self.clock = clock
        self.seal = Seal(list(secrets), audience, clock)
        self.spent = SpentNumbers(clock)

    def make(self, kind: str, owner: str) -> str:
        """Return a new handle of this kind: a session id, a state (`requestState`) or the name of a result."""
        _enter(owner)
        if kind == "session":
            return session.sealed(self.seal, owner, HANDSHAKE)
        if kind == "state":
            return States(self.seal, self.spent.spend).issue(SUBJECT, 1)
        return SealedNames(self.seal, "caller").new()()

    def opens(self, kind: str, owner: str, handle: str) -> bool:
        """Return True if the handle (session id, `requestState` or name of a result) is accepted from this caller."""
        return self.accepted(kind, [(owner, handle)]) == [handle]

    def accepted(self, kind: str, brought: Iterable[tuple[str, str]]) -> list[str]:
        """Return the handles that the server accepts: session ids, `requestState` values or names of stored results.

        `kind`: which of the three. `brought`: pairs of a caller and a handle that this caller sends.
        """

        async def opens(owner: str, handle: str) -> bool:
            _enter(owner)
            if kind == "session":
                return session.opened(self.seal, owner, handle) is not None
            if kind == "state":
                return (await States(self.seal, self.spent.spend).take(handle, SUBJECT))[1] == ""
            return SealedNames(self.seal, "caller").admits(handle)

        async def each() -> list[str]:
            return [handle for owner, handle in brought if await opens(owner, handle)]

        return asyncio.run(each())


def _enter(owner: str) -> None:
    spans.enter(spans.Span(Origin(peer=Peer(owner))))


KINDS = {"session": 86_400, "state": 300, "result": 3_600}
"""Kind of handle → its lifetime in seconds."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_handle_is_good_at_every_replica_with_the_key(kind: str) -> None:
    """Test requirements L1, M17 and X1: every replica with the key of a handle, such as a session id, accepts the
    handle until it expires.

    A replica with an additional new key accepts handles of both keys.
    """
    clock = Clock()
    first, second = Replica(clock), Replica(clock, (OTHER_KEY, KEY))
    handle = first.make(kind, "alice")
    clock.now += KINDS[kind] - 1
    assert second.opens(kind, "alice", handle)
    assert second.opens(kind, "alice", second.make(kind, "alice"))
    assert not first.opens(kind, "alice", second.make(kind, "alice"))


@pytest.mark.parametrize("kind", KINDS)
def test_none_of_ten_thousand_is_accepted(kind: str) -> None:
    """Test requirements L1, L4, M8, M17 and X1: ten thousand wrong handles (session ids, names of results,
    `requestState`) are refused.

    A wrong handle belongs to another caller, is of another kind, comes from another server or key, or was altered.
    """
    clock = Clock()
    replica = Replica(clock)
    good = replica.make(kind, "alice")
    assert replica.accepted(kind, _bad(kind, clock, good)) == []
    assert replica.opens(kind, "alice", good)


@pytest.mark.parametrize("kind", KINDS)
def test_none_of_ten_thousand_is_accepted_late(kind: str) -> None:
    """Test requirements L4, L16, M8 and X1: ten thousand expired handles are refused, such as those of abandoned
    sessions.
    """
    clock = Clock()
    replica = Replica(clock)
    handles = [("alice", replica.make(kind, "alice")) for _ in range(MANY)]
    clock.now += KINDS[kind] - 1
    last = replica.make(kind, "alice")
    clock.now += 1
    assert replica.accepted(kind, [*handles, ("alice", last)]) == [last]


def test_a_state_is_taken_once() -> None:
    """Test requirement M17: a `requestState` is accepted once. Ten thousand are sent twice."""
    clock = Clock()
    replica = Replica(clock)

    async def takes() -> list[tuple[str, str]]:
        states = States(replica.seal, replica.spent.spend)
        _enter("alice")
        issued = [states.issue(SUBJECT, 1) for _ in range(MANY)]
        return [((await states.take(each, SUBJECT))[1], (await states.take(each, SUBJECT))[1]) for each in issued]

    assert set(asyncio.run(takes())) == {("", "used")}


def test_a_caller_with_many_confirmations_leaves_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use up the share of one caller. This caller is refused until the first numbers expire, and nobody else is."""
    monkeypatch.setattr(sealed_states, "MOST_SPENT", 100)
    clock = Clock()
    numbers = SpentNumbers(clock)

    async def spends(caller: str, many: int) -> list[str]:
        return [await numbers.spend(f"{caller}{clock.now}-{number}", 300, caller) for number in range(many)]

    assert asyncio.run(spends("anna", 12)) == [""] * 10 + ["crowded"] * 2
    assert asyncio.run(spends("bob", 1)) == [""]
    clock.now += 300
    assert asyncio.run(spends("anna", 1)) == [""]


def _bad(kind: str, clock: Clock, good: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a caller and a handle, such as a session id, that the server must refuse from this caller."""
    chance = random.Random(kind)
    head, _, sealed = good.rpartition("/")
    before = f"{head}/" if head else ""
    strangers = [Replica(clock, (OTHER_KEY,)), Replica(clock, (KEY,), "caller/2"), Replica(clock, (KEY,), "other/1")]
    others = [other for other in KINDS if other != kind]
    for number in range(MANY):
        wrong: list[Callable[[], tuple[str, str]]] = [
            lambda: ("bob", good),
            lambda: ("", good),
            lambda: ("alice", before + _flipped(chance, sealed)),
            lambda: ("alice", before + sealed[: chance.randrange(len(sealed))]),
            lambda: ("alice", before + sealed + chance.choice(ALPHABET) * chance.randrange(1, 9)),
            lambda: ("alice", before + "".join(chance.choices(ALPHABET, k=chance.randrange(0, 300)))),
            lambda: ("alice", before + strangers[0].make(kind, "alice").rpartition("/")[2]),
            lambda: ("alice", before + strangers[1].make(kind, "alice").rpartition("/")[2]),
            lambda: ("alice", before + strangers[2].make(kind, "alice").rpartition("/")[2]),
            lambda: ("alice", before + Replica(clock).make(others[0], "alice").rpartition("/")[2]),
            lambda: ("alice", before + Replica(clock).make(others[1], "alice").rpartition("/")[2]),
            lambda: ("alice", before + Replica(clock).make(kind, "bob").rpartition("/")[2]),
        ]
        yield wrong[number % len(wrong)]()


def _flipped(chance: random.Random, sealed: str) -> str:
    """Return the handle with one bit changed."""
    data = bytearray(urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4)))
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return urlsafe_b64encode(bytes(data)).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "text", ["", "A", "AAAA", "=", "A" * 9000, "é" * 100, "A" * 100 + "=", "A" * 99 + "\n", "+/" * 50]
)
def test_what_is_no_handle_is_refused_without_a_fault(text: str) -> None:
    """Test requirement L4: an invalid session id is refused by Unsealed or Expired, never by another exception."""
    with pytest.raises((Unsealed, Expired)):
        Replica(Clock()).seal.open("session", "", text)


def test_one_handle_is_written_in_one_way() -> None:
    """Test requirement L4: a handle has only one spelling.

    Otherwise, a session that was ended could return under another spelling of its id.
    """
    replica = Replica(Clock())
    handle = replica.make("session", "")
    spelled = [handle[:-1] + last for last in ALPHABET if last != handle[-1]]
    assert not [each for each in [*spelled, handle + "="] if replica.opens("session", "", each)]
    assert replica.opens("session", "", handle)


def test_a_handle_of_one_account_opens_in_no_other() -> None:
    seal = Seal([KEY], "caller/1", Clock())
    handle = seal.apart("eu").close("state", "ann", b"value", 60)
    assert seal.apart("eu").open("state", "ann", handle) == b"value"
    for other in (seal, seal.apart("us")):
        with pytest.raises(Unsealed):
            other.open("state", "ann", handle)
