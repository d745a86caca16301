"""Test hostile programs in the sandbox: they write only with the user's yes, and reach nothing outside.

Programs with a mistake get their error before any request is sent.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.functional.orders_api import Api, generated
from tests.hostile.programs import CONFIRMED, Fuzz, right_ones, told_first
from tests.leaks import Trap
from tests.streamable.servers import Server
from tests.streamable.upstream import Upstream

SECRET = "content-of-a-file-that-no-program-reads"
QUICK = {"programs.sandbox.SECONDS": 0.2}


class Port(Upstream):
    """Stand-in for an upstream: only the port of the running API, which is all that the start of a server needs."""

    def __init__(self, port: int) -> None:
        self.port = port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server that asks for confirmation of every write, and gives the Python code of a model little time."""
    api = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    project = generated(tmp_path_factory.mktemp("orders"), api.server_port, name="caller", more=CONFIRMED)
    with Server(project, Port(api.server_port), "aiohttp", QUICK) as running:
        yield running
    api.shutdown()
    api.server_close()


def fuzzed(server: Server, folder: Path, count: int) -> Fuzz:
    (folder / "file").write_text(SECRET)
    trap = Trap()
    around: dict[str, object] = {"file": str(folder / "file"), "folder": str(folder), "port": trap.port}
    fuzz = Fuzz(server, around, folder, SECRET)
    fuzz.run(count)
    trap.check()
    return fuzz


def test_programs_that_try_everything(server: Server, tmp_path: Path) -> None:
    fuzz = fuzzed(server, tmp_path, 40)
    assert fuzz.wrong == []
    assert fuzz.outcomes["writes, each with its yes"] > 0


@pytest.mark.slow
def test_ten_thousand_programs_that_try_everything(server: Server, tmp_path: Path) -> None:
    fuzz = fuzzed(server, tmp_path, 10_000)
    print(fuzz.outcomes)
    assert fuzz.wrong == []


@pytest.mark.parametrize("count", [20, pytest.param(2000, marks=pytest.mark.slow)])
def test_mistakes_are_told_before_the_first_request(server: Server, count: int) -> None:
    assert list(right_ones(server)) == []
    told, others = told_first(server, count)
    print(told, others)
    assert told >= 0.95 * count, others
