"""Run every directory `AREA/NAME/` as a case: an input, `case.toml`, and the expected results under `expected/`.

`case.toml` says in one sentence what the case shows (`about`). Its other keys are optional: `run`, the command lines
(default `generate INPUT -o out`); `exit`, the exit code of the last one (default 0); `links` and `folders`, symbolic
links and empty folders to create beside the input.

stdout.txt, stderr.txt, the generated JSON files (tables), and README.md and pyproject.toml of the project are compared
if they exist under `expected/`. The tables there are formatted for reading, and leave out default values. The example
projects in `generated/` show complete tables. A run with another exit code than 0 must leave every file unchanged.

To add a case, add a directory and no function. `pytest --update` writes the expected files; review the diff.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.cli import main

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/*/case.toml"))
KEYS = {"about", "run", "exit", "links", "folders"}
PROJECT = ("README.md", "pyproject.toml")
COMPARED = {"stdout.txt", "stderr.txt", "tools.json", "bindings.json", "resources.json", "prompts.json", *PROJECT}
WIDTH = 118
UNDECLARED: JsonValue = [["token", "header"], ["token"], ["header"], []]
"""Value of `security` in bindings if the document does not mention security. Such a value is left out of expected
tables.
"""


def prepared(case: Path, settings: dict[str, Any], folder: Path) -> None:
    """Copy the files of `case` to `folder`, and create the links and empty folders that git cannot store."""
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected", "case.toml"))
    for name in settings.get("folders", ()):
        (folder / name).mkdir(parents=True)
    for name, target in settings.get("links", {}).items():
        (folder / name).symlink_to(target)


def command_lines(case: Path, settings: dict[str, Any]) -> list[list[str]]:
    if "run" in settings:
        return list(settings["run"])
    inputs = sorted(path.name for path in case.iterdir() if path.is_file() and path.name != "case.toml")
    assert len(inputs) == 1, f"{case.name}: without `run` there is one input, not {inputs}"
    return [["generate", inputs[0], "-o", "out"]]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def laid_out(value: JsonValue, indent: int = 0) -> str:
    """Return JSON in a readable layout: a value is on one line if it fits."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        members = [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(v, indent + 2)}" for key, v in value.items()]
        return "{\n" + ",\n".join(inner + member for member in members) + f"\n{outer}}}"
    return "[\n" + ",\n".join(inner + laid_out(item, indent + 2) for item in value) + f"\n{outer}]"


def read_tools(found: list[JsonObject]) -> list[JsonValue]:
    """Return the tools of tools.json, with `annotations` replaced by the list of hints that are true."""
    for tool in found:
        hints = tool["annotations"]
        assert isinstance(hints, dict)
        assert hints.pop("title") == tool["title"]
        tool["annotations"] = [name.removesuffix("Hint") for name, value in hints.items() if value]
    return [*found]


def read_bindings(table: JsonObject) -> JsonObject:
    """Return the contents of bindings.json (servers, security, roles and each tool's request) without default values.

    Accepted origins are included only if they differ from those of the servers and security schemes.
    """
    usual: JsonObject = {"server": 0, "accept": "*/*", "security": UNDECLARED}
    header = {
        key: value for key, value in table.items() if key in ("servers", "security", "accounts", "roles", "aliases")
    }
    named = re.findall(r'"(?:url|tokenUrl|openIdConnectUrl)": "(\w+://[^/"]+)', json.dumps(header))
    if as_list(table["origins"]) != sorted(set(named)):
        header["origins"] = table["origins"]
    if header["security"] and set(as_object(header["security"])) == {"token", "header"}:
        del header["security"]
    bindings: list[JsonValue] = [
        {key: value for key, value in as_object(binding).items() if usual.get(key) != value}
        for binding in as_list(table["bindings"])
    ]
    return {**header, "bindings": bindings}


def tables(folder: Path) -> dict[str, JsonValue]:
    package = next(folder.glob("out/*_mcp"), None)
    if package is None:
        return {}
    return {
        "tools.json": read_tools(json.loads((package / "tools.json").read_bytes())),
        "bindings.json": read_bindings(json.loads((package / "bindings.json").read_bytes())),
        **{
            path.name: json.loads(path.read_bytes())
            for path in (package / "resources.json", package / "prompts.json")
            if path.exists()
        },
    }


def outcome(folder: Path, out: str, err: str) -> dict[str, str]:
    """Return a mapping from the names of files to compare (those under `expected/`) to the contents that the case's
    commands have produced.
    """
    came = {"stdout.txt": out, "stderr.txt": err}
    came = {name: re.sub(r"\b[1-9][0-9]* files?\b", "N files", text) for name, text in came.items()}
    came |= {name: laid_out(value) + "\n" for name, value in tables(folder).items()}
    came |= {name: path.read_text("utf-8") for name in PROJECT if (path := folder / "out" / name).is_file()}
    return {name: text for name, text in came.items() if text}


def rewrite(expected: Path, came: dict[str, str]) -> None:
    usual = [name for name in came if name not in ("stdout.txt", *PROJECT)]
    wanted = [path.name for path in expected.glob("*")] or usual or [*came]
    expected.mkdir(exist_ok=True)
    for name in wanted:
        (expected / name).write_text(came.get(name, ""), encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_case(
    case: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    settings = tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))
    assert settings.keys() <= KEYS, f"{case.name}: case.toml has {settings.keys() - KEYS}"
    folder = tmp_path / "work"
    prepared(case, settings, folder)
    monkeypatch.chdir(folder)
    before: dict[str, bytes] = {}
    code: object = None
    for arguments in command_lines(case, settings):
        capsys.readouterr()
        before = files(folder)
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        code = ended.value.code
    came = outcome(folder, *capsys.readouterr())
    if request.config.getoption("--update"):
        rewrite(case / "expected", came)
    assert code == settings.get("exit", 0), came.get("stderr.txt")
    assert code == 0 or files(folder) == before, "a run that failed left something behind"
    expected = {path.name: path.read_text(encoding="utf-8") for path in (case / "expected").iterdir()}
    assert expected.keys() <= COMPARED, f"{case.name}: nothing writes {expected.keys() - COMPARED}"
    assert {name: came.get(name, "") for name in expected} == expected


def test_every_case_says_what_it_shows() -> None:
    for case in CASES:
        settings = tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))
        assert settings["about"].endswith("."), f"{case.name} has no sentence"
        assert any((case / "expected").iterdir()), f"{case.name} expects nothing"
