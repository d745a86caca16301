"""Test requirements M15 and L7 for Streamable HTTP: when a server's project is generated again, the server notifies
each stream that has subscribed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.streamable.conftest import TOOLS
from tests.streamable.listeners import wait_for_event
from tests.streamable.messages import Session, call, encoded, mirrored, post, request, stateless
from tests.streamable.servers import Server
from tests.streamable.upstream import PATIENCE, Upstream


def _generated(document: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(document), "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


def _names(listed: dict[str, dict[str, list[dict[str, str]]]]) -> Iterator[str]:
    return (tool["name"] for tool in listed["result"]["tools"])


@pytest.fixture
def changing(project: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that generates the server with another name for the tool `echo`, and returns the folder."""
    folder = tmp_path / "caller"
    shutil.copytree(project, folder)

    def change(name: str) -> Path:
        (tmp_path / "caller.tools.yaml").write_text(TOOLS.read_text().replace("name: echo", f"name: {name}"))
        _generated(tmp_path / "caller.tools.yaml", folder)
        return folder

    return change


CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}}
QUICK: dict[str, float] = {"reload.reload.SECONDS": 0.05}


def test_a_lost_stream_tells_what_changed_meanwhile_and_later(
    changing: Callable[[str], Path], upstream: Upstream
) -> None:
    """Test requirements L7 and L12: a resumed stream gets the notifications that it missed, then new ones, and none
    twice.
    """
    with Server(changing("first"), upstream, "aiohttp", QUICK, flags=("--reload",)) as server:
        session = Session(server)
        with server.connect() as lost:
            session.listen(lost)
            lost.stream()
            first = lost.event().id or ""
        with server.connect() as told:
            post(told, stateless("subscriptions/listen", "listen", notifications={"toolsListChanged": True}))
            told.stream()
            told.event()
            changing("second")
            told.event()
        with server.connect() as again:
            session.resume(again, first)
            again.stream()
            missed = again.event()
            assert (missed.id, missed.message) == (f"{first[:-1]}1", CHANGED)
            changing("third")
            live = again.event()
            assert (live.id, live.message) == (f"{first[:-1]}2", CHANGED)
        with server.connect() as again:
            session.resume(again, missed.id or "")
            again.stream()
            assert again.event().id == live.id


@pytest.mark.slow
def test_a_lost_stream_goes_on_at_another_replica(
    changing: Callable[[str], Path], upstream: Upstream, store: str
) -> None:
    """Test requirements L7 and L12: a stream that is resumed at another replica gets what the first replica recorded,
    then what the second one sees.
    """
    shared = {"STATE_KEY": "k" * 32, "STORE": store}
    folder = changing("first")
    with (
        Server(folder, upstream, "aiohttp", QUICK, ("--reload",), **shared) as one,
        Server(folder, upstream, "aiohttp", QUICK, ("--reload",), **shared) as other,
    ):
        session = Session(one)
        with one.connect() as lost:
            session.listen(lost)
            lost.stream()
            first = lost.event().id or ""
            changing("second")
            assert lost.event().message == CHANGED
        wait_for_event(store)
        with other.connect() as again:
            session.resume(again, first)
            again.stream()
            assert again.event().message == CHANGED
            beginning = again.event()
            assert beginning.data == ""
            assert (beginning.id or "").partition("-")[0] != first.partition("-")[0]
            changing("third")
            assert again.event().message == CHANGED


def test_streams_are_told_that_the_tools_changed(project: Path, upstream: Upstream, tmp_path: Path) -> None:
    """Test requirements M15 and L7: streams with and without a session are notified. Open sessions and streams then use
    the new tools.
    """
    folder = tmp_path / "caller"
    shutil.copytree(project, folder)
    (tmp_path / "caller.tools.yaml").write_text(TOOLS.read_text().replace("name: echo", "name: repeat"))
    constants = {"reload.reload.SECONDS": 0.05}
    with Server(folder, upstream, "aiohttp", constants, flags=("--reload",)) as server:
        session, quiet = Session(server), Session(server)
        with server.connect() as new, server.connect() as deaf, server.connect() as old, server.connect() as held:
            for connection, wanted in ((new, True), (deaf, False)):
                told = {"toolsListChanged": wanted}
                post(connection, stateless("subscriptions/listen", "listen", notifications=told))
                connection.stream()
                assert connection.event().message["params"]["notifications"] == (told if wanted else {})
            session.listen(old)
            old.stream()
            assert old.event().id
            quiet.post(held, call("hold", 1, name="across"))
            upstream.wait("across")
            _generated(tmp_path / "caller.tools.yaml", folder)
            changed = "notifications/tools/list_changed"
            assert new.event().message["method"] == changed
            assert old.event().message == {"jsonrpc": "2.0", "method": changed, "params": {}}
            message = stateless("tools/list")
            listed = server.ask("POST", fields=mirrored(message), body=encoded(message)).message
            assert "repeat" in _names(listed)
            for each in (session, quiet):
                assert "repeat" in _names(each.ask(request("tools/list", "list")).message)
            upstream.release("across")
            assert held.answer().message["id"] == 1
            server.terminate()
            assert [each["id"] for each in deaf.messages()] == ["listen"]
            assert [each for each in old.events() if each.data] == []
