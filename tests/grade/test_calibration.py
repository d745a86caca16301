"""Test that a grade falls where a fault is, and only there: faults are made by machine in documents, one at a time."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.base.jsonvalue import pointer
from mcpgen.grade.grade import Grade, grade
from mcpgen.grade.rules import RULES
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.grade.faults import FAULTS, Node, operations, own

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "dev"
DOCUMENTS = {
    "petstore": (ROOT / "specs" / "petstore.openapi.yaml", 3),
    "spotify": (CORPUS / "spotify.json", 2),
    "slack": (CORPUS / "slack-web-swagger2.json", 1),
}
"""Document → its file, and in how many of its operations each fault is made."""

Faults = dict[str, dict[str, float]]
"""Place of an operation → rule → the points that its tool loses."""


@cache
def document(name: str) -> Node:
    path = DOCUMENTS[name][0]
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    text = path.read_text(encoding="utf-8")
    read: Node = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    return read


def graded(written: Any, folder: Path) -> Grade:
    path = folder / "document.json"
    path.write_text(json.dumps(written, default=str), encoding="utf-8")
    compiled = compile_source(fetch.read(str(path)), Options())
    return grade(compiled.catalog, compiled.definitions)


def faults_of(found: Grade) -> Faults:
    return {
        each.tool.operation.where.pointer: {fault.rule.name: round(fault.points, 3) for fault in each.faults}
        for each in found.tools
    }


@cache
def before(name: str, folder: Path) -> Faults:
    return faults_of(graded(document(name), folder))


def noticed(name: str, fault: Callable[[Node, Node], bool], folder: Path, rule: str) -> int:
    """Make a fault in some operations of a document, one after the other, and compare the grades. Return in how many
    operations it was made.
    """
    original, known, made = document(name), before(name, folder), 0
    places = [(path, method) for path, method, _ in operations(original)]
    random.Random(7).shuffle(places)
    for path, method in places:
        place = pointer("", "paths", path, method)
        if known.get(place, {}).get(rule, 0.0) > 0:
            continue  # it has the fault already
        changed = copy.deepcopy(original)
        if place not in known or not fault(changed, own(changed, path, method)):
            continue
        after = faults_of(graded(changed, folder))
        assert after.pop(place).get(rule, 0.0) > 0, place
        elsewhere = {each: found for each, found in after.items() if found != known[each]}
        assert elsewhere == {}, place
        made += 1
        if made == DOCUMENTS[name][1]:
            break
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize(("fault", "rule"), FAULTS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_the_grade_falls_where_the_fault_is_and_only_there(
    name: str, fault: Callable[[Node, Node], bool], rule: str, folder: Path
) -> None:
    made = noticed(name, fault, folder, rule)
    assert made or name != "petstore", "no operation could have this fault"


def test_tools_lose_the_source_of_an_id_when_the_list_is_gone(folder: Path) -> None:
    changed = copy.deepcopy(document("petstore"))
    del changed["paths"]["/pets"]["get"], changed["paths"]["/pets/search"]
    known, after = copy.deepcopy(before("petstore", folder)), faults_of(graded(changed, folder))
    lost = {place for place in after if "id-without-source" in after[place].keys() - known[place].keys()}
    assert lost
    assert all("{petId}" in place for place in lost), lost
    for found in (known, after):  # without the two tools, words are rarer, so a search ranks the others otherwise
        for rules in found.values():
            rules.pop("looks-like-another", None)
    others = {place: found for place, found in after.items() if place not in lost and found != known[place]}
    assert others == {}


def test_every_rule_is_calibrated() -> None:
    assert {rule.name for rule in RULES} == {*FAULTS.values(), "id-without-source"}
