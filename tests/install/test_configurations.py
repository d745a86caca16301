"""Test that `install` adds one server to real configuration files and changes nothing else, and that `uninstall` undoes
it.

Each file of `cases/CLIENT/` is one test: comments, trailing commas, line ends, byte order marks, other servers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from package.runtime.install.clients import CLIENTS

from tests.install.client_files import CASES, SECTIONS, Home, parsed, servers

MakeHome = Callable[[str], Home]

EVERY = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")


def without(client: str, value: Any, name: str) -> Any:
    """Return a parsed configuration file without the server `name` and, for VS Code, without this server's `inputs`.

    Empty top-level values are removed, such as a section of servers that had only this one.
    """
    rest = copy.deepcopy(value)
    section = SECTIONS.get(client, "mcpServers")
    del rest[section][name]
    if client == "vscode":
        rest["inputs"] = [each for each in rest.get("inputs", []) if not each["id"].startswith(f"{name}-")]
    return {key: each for key, each in rest.items() if each not in ({}, [], None)}


def test_there_are_sixty_files_of_all_clients() -> None:
    assert len(CASES) >= 60
    assert len({case.parent.name for case in CASES}) == 13


@EVERY
def test_a_file_gets_one_server_and_is_as_before_without_it(case: Path, home: MakeHome) -> None:
    before, here = case.read_bytes(), home(case.parent.name)
    here.fill(before)
    code, _, err = here.install()
    assert code == 0, err
    after = here.file.read_bytes()
    assert {"petstore"} == servers(here.client, after).keys() - servers(here.client, before).keys()
    was = {key: value for key, value in parsed(here.client, before).items() if value not in ({}, [], None)}
    assert without(here.client, parsed(here.client, after), "petstore") == was
    code, out, _ = here.install()
    assert (code, out) == (0, f"petstore is already installed in {CLIENTS[here.client].title}, in {here.file}.\n")
    assert here.file.read_bytes() == after
    every_other_line_is_there(before, after)
    assert here.run("uninstall")[0] == 0
    assert here.files() == {here.file.relative_to(here.folder).as_posix(): before}


def every_other_line_is_there(before: bytes, after: bytes) -> None:
    """Fail if a line is lost or changed. A comma after the last member and the brackets of a section may change."""
    assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    if before.count(b"\n") > 1:
        lines, there = before.splitlines(keepends=True), after.splitlines(keepends=True)
        assert len([line for line in lines if line not in there]) <= 3
    if b"\r\n" in before:
        assert after.count(b"\n") == after.count(b"\r\n")


AMBIGUOUS = {
    *("claude-desktop/blank.json", "claude-desktop/braces_and_newline.json", "claude-desktop/empty_section.json"),
    *("claude-desktop/empty_section_open.json", "copilot-cli/empty_section.json", "windsurf/empty_section.json"),
    *("codex/no_newline.toml", "goose/no_newline.yaml", "goose/empty_flow.yaml", "goose/null_section.yaml"),
    *("vscode/comment_alone.json", "vscode/empty_inputs.json", "zed/comments_after.json"),
}
"""Files that become equal to another case once a server is added. Without the backup, `uninstall` may restore the other
one.
"""


@pytest.mark.slow
@EVERY
def test_without_the_backup_only_the_server_is_taken_out(case: Path, home: MakeHome) -> None:
    """Install two servers, delete the backups, and uninstall both servers.

    Each `uninstall` must remove only its own server from the file.
    """
    before, here = case.read_bytes(), home(case.parent.name)
    here.fill(before)
    here.install()
    once = here.file.read_bytes()
    here.install("--name", "second")
    for backup in here.folder.rglob("*.bak"):
        backup.unlink()
    assert here.run("uninstall", "--name", "second")[0] == 0
    assert here.file.read_bytes() == once
    assert here.run("uninstall")[0] == 0
    rest = here.file.read_bytes() if here.file.exists() else b""
    assert rest == before or f"{here.client}/{case.name}" in AMBIGUOUS
    assert "petstore" not in servers(here.client, rest)
    was = {key: value for key, value in parsed(here.client, before).items() if value not in ({}, [], None)}
    assert {key: value for key, value in parsed(here.client, rest).items() if value not in ({}, [], None)} == was
