"""Test the test file that every project contains: it passes for any tools, and fails if the server accepts wrong
arguments.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.jsonvalue import compact
from mcpgen.cli import main
from mcpgen.emit import OFFERED

pytestmark = pytest.mark.slow  # each test installs or runs a project's own tests

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").rglob("*.yaml"))
REFUSING = "if problems or not problems.complete:"
"""The line of the runtime that refuses wrong arguments. The tests remove it."""

GET = {"request": "GET /a"}
OPEN = {"type": "object", "additionalProperties": True}
PATTERNS = {"type": "object", "patternProperties": {"^x": {"type": "string"}}}
NEEDY = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "additionalProperties": True}
KEY = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}


def generated(tmp_path: Path, source: Path) -> Path:
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(source), "-o", str(tmp_path / "out")])
    assert ended.value.code == 0
    return tmp_path / "out"


def of(tmp_path: Path, **tools_file: Any) -> Path:
    """Generate the project of a tools file, and return its folder."""
    source = {"mcpgen": 1, "server": {"name": "store"}, **tools_file}
    (tmp_path / "store.tools.yaml").write_text(compact(source))
    return generated(tmp_path, tmp_path / "store.tools.yaml")


def run_own_test(project: Path, *runner: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *(runner or ("unittest", "discover", "tests"))]
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.run(
        command, cwd=project, env=environ, capture_output=True, text=True, check=False, timeout=120
    )  # fmt: skip


@pytest.mark.parametrize("source", SPECS, ids=lambda path: path.name.split(".")[0])
def test_it_passes_in_every_example(source: Path, tmp_path: Path) -> None:
    roles = {"CLINICAL_ROLES": "researcher"}  # without a role, the server of this example lists no tool
    done = run_own_test(generated(tmp_path, source), **roles)
    assert (done.returncode, "Ran 1 test" in done.stderr, "skipped" in done.stderr) == (0, True, False), done.stderr


@pytest.mark.parametrize(
    ("tools_file", "skipped"),
    [
        ({"tools": [{"name": "ping", **GET}]}, False),
        ({"tools": [{"name": "ping", **GET}], "security": KEY}, False),
        ({"tools": [{"name": "ping", **GET}], "base_url": "https://api.example.com/v1"}, False),
        ({"tools": [{"name": "pay", "request": "POST /a", "confirm": "always"}]}, False),
        ({"tools": [{"name": "a_open", **GET, "inputSchema": OPEN}]}, True),
        ({"tools": [{"name": "a_open", **GET, "inputSchema": PATTERNS}]}, True),
        ({"tools": [{"name": "a_open", **GET, "inputSchema": OPEN}, {"name": "ping", **GET}]}, False),
        ({"tools": [{"name": "a_open", "request": "POST /a", "inputSchema": NEEDY}]}, False),
        ({"tools": [{"name": "ping", **GET, "roles": ["admin"]}]}, True),
        ({"resources": [{"name": "a", "uri": "store://a", "text": "x"}]}, True),
        ({"tools": [{"name": "ping", **GET}], "server": {"name": "path"}}, False),
    ],
    ids=[
        "no arguments", "credential missing", "a base URL", "confirmed", "open", "patterns", "open beside closed",
        "open and required", "nothing offered", "no tools", "named like a variable of the system",
    ],
)  # fmt: skip
def test_it_passes_whatever_the_tools_are(tools_file: dict[str, Any], skipped: bool, tmp_path: Path) -> None:
    project = of(tmp_path, **tools_file)
    done = run_own_test(project)
    assert (done.returncode, "skipped=1" in done.stderr) == (0, skipped), done.stderr


def test_it_passes_by_pytest_and_with_wrong_settings(tmp_path: Path) -> None:
    done = run_own_test(of(tmp_path, tools=[{"name": "ping", **GET}]), "pytest", "-q", STORE_TIMEOUT="never")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("runtime/calls/plain_call.py", REFUSING, "if False:", "AssertionError: {"),
        (
            "runtime/request/violations.py",
            r'Problem\([^\n]*"is not an argument',
            'Problem("", "is no',
            "AssertionError: {",
        ),
        ("runtime/server.py", r"^def main\(", "def other(", "The server ended."),
    ],
    ids=["wrong arguments pass", "the argument is not named", "no start"],
)
def test_it_fails_where_the_server_is_broken(file: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    project = of(tmp_path, tools=[{"name": "ping", "timeout": 1, **GET}])
    module = project / "store_mcp" / file
    pattern = re.escape(old) if old == REFUSING else old
    text, count = re.subn(pattern, new, module.read_text(), flags=re.MULTILINE)
    assert count == 1
    module.write_text(text)
    done = run_own_test(project)
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr


def test_a_request_that_leaves_is_noticed(tmp_path: Path) -> None:
    """Change the server so that it refuses a call but still sends the request. The project's test must fail."""
    project = of(tmp_path, tools=[{"name": "ping", **GET}])
    module = project / "store_mcp" / "runtime/calls/plain_call.py"
    leak = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[2].split(':')[2].strip('/')))); "
    module.write_text(module.read_text().replace("raise Refused(*problems", f"{leak}raise Refused(*problems"))
    done = run_own_test(project)
    assert (done.returncode, "A request left the server." in done.stderr) == (1, True), done.stderr


def test_it_is_the_same_in_every_project() -> None:
    own = (ROOT / "templates" / "project" / OFFERED[1]).read_text(encoding="utf-8")
    assert "import unittest" in own
    assert not re.search(
        r"^(?:import|from) (?!json|os|select|socket|subprocess|sys|unittest|pathlib|typing)", own, re.M
    )
