"""Generate one project from successive versions of a published API.

`generate` and `regenerate` must both keep the names of tools.

The independent reader in `published.py` reads the operations; the names of tools are read from the project's files.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.cli import main

VERSIONS = Path(__file__).parents[3] / "shared" / "corpus" / "versions"
PAIRS = [
    pair
    for api in ("box", "docker-engine", "figma", "keycloak", "slack", "weather-gov")
    for pair in itertools.pairwise(sorted((VERSIONS / api).glob("[0-9]*")))
]
pytestmark = pytest.mark.skipif(not PAIRS, reason="the corpus is not beside the repository")
NAMES = ("id", "name")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str | Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 0


def files(project: str) -> dict[str, bytes]:
    return {
        path.relative_to(project).as_posix(): path.read_bytes() for path in Path(project).rglob("*") if path.is_file()
    }


def named(project: str) -> dict[str, str]:
    """Return a mapping from the request of each tool (method and path) to the tool's name, read from
    `bindings.json`.
    """
    table = json.loads(next(Path(project).glob("*_mcp/bindings.json")).read_bytes())
    return {
        f"{row['method']} {re.sub(r'{[^{}]*}', '{}', row['operation']['path'])}": row["name"]
        for row in table["bindings"]
    }


def operations(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.CSafeLoader)
    return {
        f"{method.upper()} {re.sub(r'{[^{}]*}', '{}', template)}"
        for template, item in document["paths"].items()
        for method in item
    }


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=lambda path: f"{path.parent.name}-{path.name[:2]}")
def test_names_hold_and_the_way_does_not_matter(old: Path, new: Path) -> None:
    run("generate", old, "-o", "regenerated")
    shutil.copytree("regenerated", "generated")
    before = named("regenerated")
    run("regenerate", "regenerated", "--source", new)
    run("generate", new, "-o", "generated")
    assert files("regenerated") == files("generated")
    after = named("regenerated")
    stayed = operations(old) & operations(new) & before.keys() & after.keys()
    assert {key: after[key] for key in stayed} == {key: before[key] for key in stayed}
    owners = {name: key for key, name in before.items()}
    reused = {name: (owners[name], key) for key, name in after.items() if owners.get(name, key) != key}
    for name, (gone, moved) in reused.items():
        assert gone not in operations(new), f"{name} went from {gone} to {moved}"
        assert moved not in operations(old), f"{name} went from {gone} to {moved}"
    again = files("regenerated")
    run("regenerate", "regenerated", "--check")
    run("regenerate", "regenerated")
    assert files("regenerated") == again
