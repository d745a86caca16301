"""Successive versions of published APIs: what the difference says came and went is what their documents say.

The documents are read here by a reader of its own: methods under `paths`, names of path parameters blanked.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen import fetch
from mcpgen.diff import Difference, compare
from mcpgen.options import Options
from mcpgen.pipeline import Project, compile_source
from mcpgen.succession import compile_after, surface_of

VERSIONS = Path(__file__).parents[3] / "shared" / "corpus" / "versions"
PAIRS = [
    pair
    for api in ("box", "docker-engine", "figma", "weather-gov")
    for pair in itertools.pairwise(sorted((VERSIONS / api).glob("[0-9]*")))
]
METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}
pytestmark = pytest.mark.skipif(not PAIRS, reason="the corpus is not beside the repository")


def operations(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.CSafeLoader)
    return {
        f"{method.upper()} {re.sub(r'{[^{}]*}', '{}', template)}"
        for template, item in document["paths"].items()
        for method in item
        if method in METHODS
    }


def difference(old: Path, new: Path) -> Difference:
    before = compile_source(fetch.read(str(old)), Options())
    first = surface_of(before)
    after = compile_after(first, fetch.read(str(new)), Options(), Project(lock=before.lock))
    return compare(first, surface_of(after))


def blanked(request: Any) -> str:
    return re.sub(r"{[^{}]*}", "{}", str(request))


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=lambda path: f"{path.parent.name}-{path.name[:2]}")
def test_what_came_and_went_is_what_the_documents_say(old: Path, new: Path) -> None:
    before, after = operations(old), operations(new)
    found = difference(old, new)
    moved = [change for change in found.changes if change.code == "tool-moved"]
    gone = {blanked(change.before) for change in found.changes if change.code == "tool-removed"}
    added = {blanked(change.after) for change in found.changes if change.code == "tool-added"}
    assert gone | {blanked(change.before) for change in moved} == before - after
    assert added | {blanked(change.after) for change in moved} == after - before
    assert not [change for change in found.changes if change.code == "tool-renamed"]


@pytest.mark.parametrize(
    "path", sorted({pair[0] for pair in PAIRS}), ids=lambda path: f"{path.parent.name}-{path.name[:2]}"
)
def test_a_version_does_not_differ_from_itself(path: Path) -> None:
    assert not difference(path, path)
