"""Test that the grades (breaking, additive, cosmetic) of differences between published versions equal those that people
gave after reading both documents.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.corpus.published import VERSIONS
from tests.corpus.test_versions import PAIRS, followed

pytestmark = pytest.mark.skipif(not PAIRS, reason="the corpus is not beside the repository")


class Judged(NamedTuple):
    """One row of `grades.yaml`: a change, with the grade (breaking, additive or cosmetic) that people gave."""

    api: str
    versions: str
    tool: str
    path: str
    grade: str
    code: str
    reason: str


TABLE = Path(__file__).with_name("grades.yaml")
SAMPLE = [Judged(*row) for row in yaml.safe_load(TABLE.read_text(encoding="utf-8"))]


def pair(judged: Judged) -> tuple[Path, Path]:
    old, new = (next((VERSIONS / judged.api).glob(f"{number}-*")) for number in judged.versions.split("-"))
    return old, new


@pytest.mark.parametrize("judged", SAMPLE, ids=lambda judged: f"{judged.api}-{judged.versions}-{judged.code}")
def test_a_change_has_the_grade_that_its_readers_gave_it(judged: Judged) -> None:
    changes = followed(*pair(judged)).difference.changes
    there = [each for each in changes if (each.tool, each.path or each.argument) == (judged.tool, judged.path)]
    assert (judged.grade, judged.code) in [(each.grade, each.code) for each in there], there


def test_the_sample_is_large_and_of_all_grades_and_apis() -> None:
    assert len(SAMPLE) >= 60
    assert {judged.grade for judged in SAMPLE} == {"breaking", "additive", "cosmetic"}
    assert {judged.api for judged in SAMPLE} == {path.name for path in VERSIONS.iterdir() if path.is_dir()}
