"""Test that the examples' tools files compile without diagnostics, and that `generated/` holds their servers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mcpgen.cli import main
from mcpgen.lock.lockfile import NAME, load
from tests.examples.conversations import EXAMPLES, NAMES, ROOT


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.mark.parametrize("name", NAMES)
def test_there_is_nothing_to_say(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shutil.copytree(EXAMPLES / name, tmp_path / name)
    source = str(folder / f"{name}.tools.yaml")
    assert run("check", source, "--format", "json") == 0
    said = capsys.readouterr()
    assert (json.loads(said.out)["diagnostics"], said.err) == ([], "")
    assert run("generate", source, "--strict", "-o", str(tmp_path / "out")) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", NAMES)
def test_its_server_is_there(name: str) -> None:
    lock = load((ROOT / "generated" / name / NAME).read_bytes(), NAME)
    assert lock.source == f"../../specs/examples/{name}/{name}.tools.yaml"
