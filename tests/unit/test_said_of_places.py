"""Test the error messages about directories and files that commands are given.

A message about a link names its target (OUT-05). No message names the option `-o`, which only some commands have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.unit.filesystem import quick

TOOLS = (
    "mcpgen: 1\nserver: {name: t}\nbase_url: https://t.example\ntools: [{name: a, description: A., request: GET /a}]\n"
)


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOOLS)
    with quick():
        yield


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return end.value.code, "".join(capsys.readouterr())


def generated() -> None:
    with pytest.raises(SystemExit):
        main(["generate", "t.yaml", "-o", "out"])


def linked() -> None:
    generated()
    Path("link").symlink_to("out")


def large_hooks() -> None:
    generated()
    os.truncate("out/t_mcp/hooks.py", 1 << 40)


def large_table() -> None:
    generated()
    os.truncate("out/t_mcp/tools.json", 1 << 40)


CASES: dict[str, tuple[Callable[[], object], list[str], int, str]] = {
    "a link": (linked, ["regenerate", "link"], 2, "target of the link: out\n"),
    "under a file": (
        lambda: None,
        ["generate", "t.yaml", "-o", "t.yaml/x"],
        2,
        "mcpgen needs a directory at t.yaml/x, but a file is in the way. ",
    ),
    "no hint to remove it": (lambda: None, ["generate", "t.yaml", "-o", "t.yaml/x"], 2, "    Name another"),
    "hooks of a terabyte": (large_hooks, ["regenerate", "out"], 0, "the file is larger than 256 KiB."),
    "a table of a terabyte": (large_table, ["regenerate", "out"], 2, "tools.json is larger than any file"),
    "up to date": (generated, ["regenerate", "out"], 0, "the project in out is up to date.\n"),
}
"""Name of a case → function that makes files on disk, the command, its exit code, and text in its message."""


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(capsys: pytest.CaptureFixture[str], case: str) -> None:
    make, arguments, code, words = CASES[case]
    make()
    capsys.readouterr()
    ended_with, said = ended(capsys, *arguments)
    assert (ended_with, words in said) == (code, True), said
    assert " -o" not in said


def test_a_full_stop_after_a_dot_is_no_second_dot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("out").mkdir()
    monkeypatch.chdir("out")
    for command in (["generate", "../t.yaml", "-o", "."], ["regenerate"]):
        code, said = ended(capsys, *command)
        assert (code, "`.`" in said, " ..\n" in said) == (0, True, False), said
