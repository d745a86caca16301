"""Test tools for roles: they are hidden unless the operator has one of the roles. The error of a call names the
environment variable that lists the operator's roles.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.runtime.process import Server, generate
from tests.runtime.test_start import started


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package whose tool `wait` needs one of two roles, and `echo` needs one role."""
    directory = tmp_path_factory.mktemp("roles")
    table = generate(directory) / "bindings.json"
    first, _, rest = table.read_text().partition("\n")
    opening = '"bindings":['
    roles = json.dumps({"echo": ["support"], "wait": ["admin", "owner"]})
    table.write_text(first.replace(opening, f'"roles":{roles},{opening}') + "\n" + rest)
    return directory


@pytest.mark.parametrize(
    ("roles", "names"),
    [
        (None, ["show"]),
        ("", ["show"]),
        ("ADMIN", ["show"]),
        ("support", ["echo", "show"]),
        (" admin , unknown,", ["show", "wait"]),
        ("owner,support", ["echo", "show", "wait"]),
    ],
)
def test_what_is_offered(home: Path, roles: str | None, names: list[str]) -> None:
    more = {} if roles is None else {"MIRROR_ROLES": roles}
    with Server(home, env={**os.environ, **more}) as server:
        assert sorted(tool["name"] for tool in server.ask("tools/list")["result"]["tools"]) == names
        found = server.ask("tools/call", name="echo", arguments={"text": "hi"})
        if "echo" in names:
            assert found["result"]["content"][0]["text"] == "hi"
            return
        assert found["error"]["code"] == -32602
        assert found["error"]["message"] == (
            "The tool 'echo' is not offered: MIRROR_ROLES of this server has no role that it is for."
        )
        assert "Did you mean" not in server.ask("tools/call", name="ech", arguments={})["error"]["message"]


def test_read_only_and_roles_together(home: Path) -> None:
    with Server(home, env={**os.environ, "MIRROR_ROLES": "admin", "MIRROR_READ_ONLY": "1"}) as server:
        assert [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]] == ["show"]


def test_the_command_line_knows_them_no_more(home: Path) -> None:
    listed = started(home, "--list")
    assert listed.stdout.split()[0] == b"show"
    assert b"echo" not in listed.stdout
    explained = started(home, "--explain", "echo", "{}")
    assert explained.returncode == 2
    assert (
        explained.stderr == b"The tool echo is not offered: MIRROR_ROLES of this server has no role that it is for.\n"
    )


def test_what_is_no_role_ends_the_start(home: Path) -> None:
    done = started(home, MIRROR_ROLES="admin; owner")
    assert (done.returncode, done.stderr) == (78, b"MIRROR_ROLES must be names of roles, joined by commas.\n")
