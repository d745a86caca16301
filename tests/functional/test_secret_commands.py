"""Test secrets that commands print: real programs run, and raw sockets stand for APIs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.doors import DOORS, generated, served, told
from tests.functional.test_redirects import Site
from tests.functional.test_removed import answer
from tests.runtime.process import Server

OLD, NEW = "k3y-of-monday-0123456789", "k3y-of-tuesday-987654321"
TOOLS = """\
base_url: http://127.0.0.1:9
security: {gate: {type: apiKey, in: header, name: X-Key}}
tools:
  - {name: read_log, description: Reads the log., request: GET /log}
"""
PROGRAM = """\
import sys, pathlib
folder = pathlib.Path(sys.argv[1])
runs = folder / "runs"
runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
print((folder / "secret").read_text())
print("s3cret words of stderr", file=sys.stderr)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("commands"), TOOLS)


@pytest.fixture
def api() -> Iterator[Site]:
    site = Site("127.0.0.1")
    with site.listening:
        yield site


def command(folder: Path, secret: str = OLD) -> str:
    """Return a command that prints the secret of a folder, whose name has a blank and shell characters."""
    folder = folder / "a b; $(exit 1)"
    folder.mkdir(exist_ok=True)
    (folder / "secret").write_text(secret)
    (folder / "print.py").write_text(PROGRAM)
    return shlex.join([sys.executable, str(folder / "print.py"), str(folder)])


def runs(folder: Path) -> int:
    return len((folder / "a b; $(exit 1)" / "runs").read_text())


@pytest.mark.parametrize("door", DOORS)
def test_a_command_runs_at_the_start_and_again_after_a_refusal(
    project: Path, api: Site, tmp_path: Path, door: str
) -> None:
    api.says["/log"] = answer(OLD.encode(), "text/plain")
    with served(project, door, BASE_URL=api.url, GATE_COMMAND=command(tmp_path)) as call:
        assert (call("read_log"), call("read_log"), runs(tmp_path)) == ("[redacted]", "[redacted]", 1)
        api.says["/log"] = answer(NEW.encode(), "text/plain", "401 Unauthorized")
        command(tmp_path, NEW)
        assert "did not accept CALLER_GATE" in call("read_log")
        assert runs(tmp_path) == 2
        api.says["/log"] = answer(NEW.encode(), "text/plain")
        assert call("read_log") == "[redacted]"
        api.says["/log"] = answer(b"", "text/plain", "401 Unauthorized")
        assert "did not accept" in call("read_log")
        assert runs(tmp_path) == 2, "a pause lies between two refusals"
    assert [f"X-Key: {key}" in asked for key, asked in zip((OLD, OLD, OLD, NEW, NEW), api.asked, strict=True)] == [
        True
    ] * 5


def test_a_command_that_fails_later_leaves_the_former_secret(project: Path, api: Site, tmp_path: Path) -> None:
    environ = {"CALLER_BASE_URL": api.url, "CALLER_GATE_COMMAND": command(tmp_path)}
    with Server(project, package="caller_mcp", env=environ) as server:
        assert told(server.result("read_log")) == "whole"
        api.says["/log"] = answer(b"", "text/plain", "401 Unauthorized")
        (tmp_path / "a b; $(exit 1)" / "print.py").write_text("raise SystemExit(3)")
        for _ in range(2):
            assert "did not accept" in told(server.result("read_log"))
    assert b"the command failed (exit code 3)" in server.written
    assert b"words of stderr" not in server.written
    assert all(f"X-Key: {OLD}" in asked for asked in api.asked)


def test_a_command_fills_a_secret_setting_and_the_doctor_says_so(project: Path, tmp_path: Path, api: Site) -> None:
    environ = {"CALLER_PROXY_COMMAND": command(tmp_path, f"http://ann:{NEW}@127.0.0.1:9"), "CALLER_GATE": "x" * 9}
    with Server(project, "--doctor", package="caller_mcp", env=environ) as server:
        server.ended()
    assert b"CALLER_PROXY" in server.written
    assert b"set by command" in server.written
    assert NEW.encode() not in server.written
    assert runs(tmp_path) == 1


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("print('x' * 1_000_000)", "printed more than 131,072 bytes"),
        ("raise SystemExit(3)", "failed (exit code 3)"),
        ("raise SystemExit", "printed nothing"),
        ("import os; os.write(1, b'\\xff\\xfe')", "printed no text in UTF-8"),
        ("print('a key\\nof two lines')", "must be visible ASCII"),
    ],
    ids=str,
)
def test_a_command_that_prints_no_secret_is_a_sentence(project: Path, program: str, problem: str) -> None:
    environ = {"CALLER_GATE_COMMAND": shlex.join([sys.executable, "-c", program])}
    with Server(project, "--list", package="caller_mcp", env=environ) as server:
        assert server.ended() == 78
    assert problem in server.written.decode()
    assert b"CALLER_GATE_COMMAND" in server.written
    assert b"xxx" not in server.written
    assert b"two lines" not in server.written


def test_a_command_that_hangs_is_killed_with_what_it_started(project: Path, tmp_path: Path) -> None:
    program = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(999)'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "print('s3cret so far', flush=True)\n"
        "time.sleep(999)\n"
    )
    limited = (
        "import runpy, sys\n"
        "sys.argv[0] = 'caller_mcp'\n"
        "from caller_mcp.runtime.reach import secret_commands\n"
        "secret_commands.SECONDS = 1.0\n"
        "runpy.run_module('caller_mcp', run_name='__main__')\n"
    )
    environ = {"CALLER_GATE_COMMAND": shlex.join([sys.executable, "-c", program])}
    with Server(project, "--list", package="caller_mcp", program=("-c", limited), env=environ) as server:
        assert server.ended() == 78
    assert "CALLER_GATE_COMMAND: the command did not end within 1 seconds." in server.written.decode()
    assert b"so far" not in server.written
    assert not any(alive(int(pid)) for pid in (tmp_path / "pids").read_text().split())


def alive(pid: int) -> bool:
    """Return True if a process has not ended. A killed one may wait for its parent to ask for its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"GATE": OLD}, "CALLER_GATE and CALLER_GATE_COMMAND are both set"),
        ({"GATE_FILE": "/dev/null"}, "CALLER_GATE_COMMAND and CALLER_GATE_FILE are both set"),
        ({"GATE_COMMAND": "print 'x"}, "CALLER_GATE_COMMAND has a quote that is not closed."),
        ({"GATE_COMMAND": "/nowhere/at/all"}, "CALLER_GATE_COMMAND names a program that cannot be started."),
        ({"GATE_COMMAND": "exit 0"}, "CALLER_GATE_COMMAND names a program that cannot be started."),
    ],
)
def test_a_wrong_command_is_a_sentence(project: Path, variables: dict[str, str], problem: str) -> None:
    environ = {f"CALLER_{name}": value for name, value in {"GATE_COMMAND": "true", **variables}.items()}
    with Server(project, "--list", package="caller_mcp", env=environ) as server:
        assert server.ended() == 78
    assert problem in server.written.decode()
