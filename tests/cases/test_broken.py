"""Test the messages for invalid tools files with one mistake each. `broken/expected.txt` holds all messages.

Each block of that file is what `mcpgen check` prints for one tools file. To add a case, add a file, run `pytest
--update`, and review the diff.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mcpgen.cli import main

FOLDER = Path(__file__).parent / "broken"
TABLE = FOLDER / "expected.txt"
FILES = sorted(path.name for path in FOLDER.glob("*.tools.yaml"))
SAID = re.compile(r"^(\S+):(\d+):(\d+): (error|warning|note): .* \[([a-z-]+)\]$", re.MULTILINE)
GENERAL = re.compile(r"^(error|warning|note): .*\n(    .*\n)?", re.MULTILINE)
"""Messages about the whole compile without a place, such as a missing server URL. They are not compared."""


def checked(name: str, capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["check", name, *flags])
    return ended.value.code, *capsys.readouterr()


def blocks() -> dict[str, str]:
    """Return the blocks of `expected.txt` by the name of the tools file to which each block belongs."""
    text = TABLE.read_text(encoding="utf-8") if TABLE.exists() else ""
    return {block.partition(":")[0]: block + "\n" for block in text.removesuffix("\n").split("\n\n")}


@pytest.fixture(autouse=True)
def _in_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def test_each_mistake_is_told_at_its_place(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> None:
    came = {name: GENERAL.sub("", checked(name, capsys)[2]) for name in FILES}
    if request.config.getoption("--update"):
        TABLE.write_text("\n".join(came.values()), encoding="utf-8")
    assert came == blocks()
    for name, told in came.items():
        assert SAID.findall(told), f"{name}: nothing is said of any place"
        assert told.startswith(f"{name}:")


@pytest.mark.parametrize("name", FILES)
def test_text_and_json_say_the_same(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = checked(name, capsys)
    same_code, out, _ = checked(name, capsys, "--format", "json")
    report = json.loads(out)
    places = [
        (found["file"], str(found["line"]), str(found["column"]), found["severity"], found["code"])
        for found in report["diagnostics"]
        if found["line"] is not None
    ]
    skipped = [(*entry["where"].rsplit(":", 2), "warning", entry["code"]) for entry in report.get("skipped", ())]
    assert code == same_code
    assert {each[:3] + each[4:] for each in SAID.findall(err)} == {each[:3] + each[4:] for each in [*places, *skipped]}
