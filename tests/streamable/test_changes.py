"""Test M15 and L7: when the server's project is generated again, each subscribed stream is notified."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.streamable.conftest import TOOLS
from tests.streamable.messages import Session, call, encoded, mirrored, post, request, stateless
from tests.streamable.servers import Server
from tests.streamable.upstream import PATIENCE, Upstream


def _generated(document: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "mcpgen", "generate", str(document), "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


def _names(listed: dict[str, dict[str, list[dict[str, str]]]]) -> Iterator[str]:
    return (tool["name"] for tool in listed["result"]["tools"])


def test_streams_are_told_that_the_tools_changed(project: Path, upstream: Upstream, tmp_path: Path) -> None:
    """M15, L7: in both eras. Sessions and streams that are open get the new table, too."""
    folder = tmp_path / "caller"
    shutil.copytree(project, folder)
    (tmp_path / "caller.tools.yaml").write_text(TOOLS.read_text().replace("name: echo", "name: repeat"))
    constants = {"serve.reload.SECONDS": 0.05}
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
