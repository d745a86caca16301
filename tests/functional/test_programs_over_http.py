"""Test `run_program` over HTTP, the tool that runs programs of a model.

A program that waits for its user's yes is killed with its server, and continues in another server process. Only the
caller who started the program can continue it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.functional.orders_api import Api, generated
from tests.streamable.client import Connection
from tests.streamable.messages import encoded, mirrored, stateless
from tests.streamable.servers import Server
from tests.streamable.upstream import PATIENCE, Upstream

STATE_KEY = base64.b64encode(b"k" * 32).decode()
TOKENS = {"ann": "a-token-of-ann-0123456789-0123456789", "bob": "b-token-of-bob-0123456789-0123456789"}
CODE = "a = get_order(%d)['asked']\nprint('before')\ndelete_order(%d)\n(a, create_order('after')['asked'])"


class Port(Upstream):
    """Stand-in for an upstream: only the port of the running API, which is all that the start of a server needs."""

    def __init__(self, port: int) -> None:
        self.port = port


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    """Yield the API that all servers of this module call."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Port(server.server_port)
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, upstream: Upstream) -> Path:
    """Return the project's folder. The file with the tokens of its two callers lies beside it."""
    folder = tmp_path_factory.mktemp("orders")
    write_tokens(folder)
    return generated(folder, upstream.port, name="caller")


def write_tokens(folder: Path) -> None:
    """Write the file with the tokens of two callers, from which `replica` reads them."""
    tokens = folder / "tokens"
    tokens.write_text(
        "".join(f"{name} {hashlib.sha256(token.encode()).hexdigest()}\n" for name, token in TOKENS.items())
    )
    tokens.chmod(0o600)


def replica(project: Path, upstream: Upstream, **more: str) -> Server:
    variables = {"STATE_KEY": STATE_KEY, "HTTP_TOKENS": str(project.parent / "tokens"), **more}
    return Server(project, upstream, "aiohttp", None, (), **variables)


def call(server: Server, code: str, who: str = "ann", **more: Any) -> Any:
    message = stateless("tools/call", name="run_program", arguments={"code": code}, **more)
    fields = mirrored(message, Authorization=f"Bearer {TOKENS[who]}")
    answer = server.ask("POST", fields=fields, body=encoded(message))
    return answer.message.get("result", answer.message)


def answered(server: Server, code: str, state: str, action: str = "accept", who: str = "ann") -> Any:
    return call(server, code, who, requestState=state, inputResponses={"confirm": {"action": action}})


def requests(*numbers: int) -> list[str]:
    """Return, sorted, all requests that the API receives if the program CODE runs once for each order number."""
    return sorted(
        each
        for number in numbers
        for each in (f"GET /orders/{number}", f"DELETE /orders/{number}", 'POST /orders {"product":"after"}')
    )


def killed_and_resumed(project: Path, upstream: Upstream, numbers: range) -> int:
    """Call `run_program` with programs that wait for a yes of their user. Kill the server, and send each yes to another
    server process.

    Return how many programs succeeded.
    """
    Api.seen.clear()
    with replica(project, upstream) as first:
        states = {number: call(first, CODE % (number, number))["requestState"] for number in numbers}
        os.kill(first.process.pid, 9)
    with replica(project, upstream) as second:
        results = {number: answered(second, CODE % (number, number), state) for number, state in states.items()}
    told = {number: result["content"][0]["text"] for number, result in results.items()}
    right = [
        number
        for number in numbers
        if told[number].startswith(f'before\n["GET /orders/{number}","POST /orders') and not results[number]["isError"]
    ]
    assert sorted(Api.seen) == requests(*numbers)
    return len(right)


def test_a_run_that_waits_is_killed_and_goes_on_in_another_process(project: Path, upstream: Upstream) -> None:
    assert killed_and_resumed(project, upstream, range(3)) == 3


def test_a_run_that_waits_belongs_to_its_caller_and_counts_once(project: Path, upstream: Upstream) -> None:
    code = CODE % (7, 7)
    with replica(project, upstream) as server:
        state = call(server, code)["requestState"]
        Api.seen.clear()
        flipped = state[:40] + ("A" if state[40] != "A" else "B") + state[41:]
        refused = [
            answered(server, code, state, who="bob"),
            answered(server, code, flipped),
            answered(server, code.replace("after", "later"), call(server, code)["requestState"]),
        ]
        before = [*Api.seen]
        well = answered(server, code, state)
        again = answered(server, code, state)
        after = [*Api.seen]
    assert [each["error"]["code"] if "error" in each else each["isError"] for each in refused] == [-32602, -32602, True]
    assert before == ["GET /orders/7"]  # the third refused program made this request before it asked for confirmation
    assert not well["isError"]
    assert again["content"][0]["text"].startswith("run_program was not called. This confirmation was used already")
    assert len(after) == 3


def test_a_run_that_holds_too_much_ends_before_its_question(project: Path, upstream: Upstream) -> None:
    code = (
        "import random\ncreate_order('x')\nheld = [random.random() for n in range(60000)]\ndelete_order(1)\nlen(held)"
    )
    with replica(project, upstream) as server:
        Api.seen.clear()
        told = call(server, code)
    assert told["isError"]
    said = told["content"][0]["text"]
    assert "too many to keep while the user is asked." in said
    assert "1 write was made: create_order." in said
    assert [each.partition(" ")[0] for each in Api.seen] == ["POST"]


@pytest.mark.slow
def test_five_hundred_runs_that_wait_are_killed_and_go_on(project: Path, upstream: Upstream) -> None:
    assert sum(killed_and_resumed(project, upstream, range(at, at + 20)) for at in range(1000, 1500, 20)) == 500


class Held(Api):
    """API that answers orders from number 500 on only after `release` is set. `came` counts such requests."""

    release = threading.Event()
    came = threading.Semaphore(0)

    def answer(self) -> None:
        if self.path.startswith("/orders/5"):
            self.came.release()
            self.release.wait(PATIENCE)
        super().answer()

    do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815


@pytest.fixture
def held() -> Iterator[Upstream]:
    """Yield an API that holds some of its answers."""
    Held.release.clear()
    Held.came = threading.Semaphore(0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Held)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Port(server.server_port)
    Held.release.set()
    server.shutdown()
    server.server_close()


WAITING = "print('before')\na = get_order(%d)['asked']\nprint('after')\na"


def begun(server: Server, stack: ExitStack, numbers: range) -> list[Connection]:
    """Send programs of ann whose call is held, each on its own connection."""
    connections = [stack.enter_context(server.connect()) for _ in numbers]
    for number, connection in zip(numbers, connections, strict=True):
        message = stateless("tools/call", number, name="run_program", arguments={"code": WAITING % number})
        fields = mirrored(message, Authorization=f"Bearer {TOKENS['ann']}")
        connection.send("POST", fields=fields, body=encoded(message))
    return connections


@pytest.mark.parametrize(
    ("rest", "reached"), [(600.0, 3), (0.0, 8)], ids=["workers are kept", "workers are given back"]
)
def test_programs_of_one_caller_leave_workers_for_others(
    project: Path, held: Upstream, rest: float, reached: int
) -> None:
    """Let ann run eight programs whose calls wait. Of the four workers three are hers, so a program of bob runs.

    If her programs give their workers back while they wait, all of them run.
    """
    variables = {"STATE_KEY": STATE_KEY, "HTTP_TOKENS": str(project.parent / "tokens")}
    constants = {"programs.program_runs.REST_SECONDS": rest}
    with Server(project, held, "aiohttp", constants, (), **variables) as server, ExitStack() as stack:
        numbers = range(500, 508)
        connections = begun(server, stack, numbers)
        for _ in range(reached):
            assert Held.came.acquire(timeout=PATIENCE)
        for _ in range(5):
            assert call(server, "1 + 1", "bob")["content"][0]["text"] == "2"
        assert not Held.came.acquire(blocking=False), "ann's other programs wait for a worker"
        Held.release.set()
        for number, connection in zip(numbers, connections, strict=True):
            result = connection.answer().message["result"]
            assert result["content"][0]["text"] == f"before\nafter\nGET /orders/{number}"
