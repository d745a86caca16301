"""Test that a grade falls where a fault is, and only there: faults are made by machine in documents, one at a time."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from mcpgen.grade.rules import RULES
from tests.grade.calibration import DOCUMENTS, before, document, graded, outcomes, points
from tests.grade.faults import FAULTS, Node

TRIED = {"petstore": 3, "spotify": 2, "slack": 1}
"""Document → in how many of its operations each fault is made. `python -m benchmarks.grade` tries more."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


@pytest.mark.parametrize(
    "name", ["petstore", *(pytest.param(name, marks=pytest.mark.slow) for name in TRIED if name != "petstore")]
)
@pytest.mark.parametrize(("fault", "rule"), FAULTS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_the_grade_falls_where_the_fault_is_and_only_there(
    name: str, fault: Callable[[Node, Node], bool], rule: str, folder: Path
) -> None:
    if not DOCUMENTS[name].exists():
        pytest.skip(f"{name} is not there")
    found = list(itertools.islice(outcomes(name, fault, rule, folder), TRIED[name]))
    assert found or name != "petstore", "no operation could have this fault"
    for outcome in found:
        assert outcome.is_noticed, outcome.place
        assert outcome.elsewhere == {}, outcome.place


def test_tools_lose_the_source_of_an_id_when_the_list_is_gone(folder: Path) -> None:
    changed = copy.deepcopy(document("petstore"))
    del changed["paths"]["/pets"]["get"], changed["paths"]["/pets/search"]
    known, after = points(before("petstore", folder)), points(graded(changed, folder))
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
