"""Test that the tests name exactly the ids in the table of requirements, and that this table contains all attack cases.

Also test `divergences.py`, the list of differences between our servers and the attack cases: each entry names cases
that exist, and an existing test or file.
"""

import re
from pathlib import Path

import pytest

from tests.hostile.divergences import DIVERGENCES, Divergence
from tests.requirements import ID, REQUIREMENTS, SOURCES

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
OWN = {TESTS / "requirements.py", TESTS / "hostile" / "divergences.py", Path(__file__)}
CATALOGUE = ROOT.parent / "shared" / "reference" / "security.md"
CASES = {"TXT": 10, "ARG": 25, "CRED": 14, "UP": 20, "IO": 21, "LIFE": 11, "CFG": 8, "HARD": 25}
"""Family of attack cases → number of its cases that a server or a text can show. Cases are numbered from 1."""


def _named() -> dict[str, set[str]]:
    """Return a mapping from each requirement id to the test files that name the id."""
    found: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("*")):
        if path.is_file() and path not in OWN and "__pycache__" not in path.parts:
            text = path.read_bytes().decode("utf-8", "replace")
            for kind, number in ID.findall(text):
                found.setdefault(f"{kind.upper()}-{number}", set()).add(path.relative_to(TESTS).as_posix())
    return found


def test_every_requirement_is_shown_by_a_test() -> None:
    named = _named()
    assert not [identifier for identifier in REQUIREMENTS if identifier not in named]


def test_every_id_that_a_test_names_is_a_requirement() -> None:
    assert {identifier: places for identifier, places in _named().items() if identifier not in REQUIREMENTS} == {}


def test_every_requirement_has_a_source_and_a_sentence() -> None:
    assert {identifier.split("-")[0] for identifier in REQUIREMENTS} == set(SOURCES)
    assert all(len(sentence.split()) >= 3 for sentence in REQUIREMENTS.values())


def test_every_attack_case_is_a_requirement() -> None:
    """Check that each attack case is in the table of requirements. Another test checks that each requirement is named
    by a test.

    `tests/hostile/divergences.py` lists where our servers differ from what the catalogue of attack cases expects.
    """
    assert [case for case in _cases() if case not in REQUIREMENTS] == []


@pytest.mark.skipif(not CATALOGUE.exists(), reason="the catalogue of attack cases is not beside the repository")
def test_the_attack_cases_are_those_of_the_catalogue() -> None:
    rows = re.findall(r"^\| ([A-Z]+-\d\d) \|", CATALOGUE.read_text(encoding="utf-8"), re.MULTILINE)
    own = {row for row in rows if row.partition("-")[0] in CASES}
    assert own == set(_cases())


@pytest.mark.parametrize("divergence", DIVERGENCES, ids=lambda each: " ".join(each.cases))
def test_a_divergence_says_which_part_and_is_still_true(divergence: Divergence) -> None:
    assert set(divergence.cases) <= set(_cases())
    assert all(text.strip() for text in divergence[1:])
    assert divergence.expected != divergence.ours
    file, _, text = divergence.shown.partition("::")
    assert (ROOT / file).exists(), "what shows it is gone"
    assert not text or text in (ROOT / file).read_text(encoding="utf-8"), "what shows it is gone"


def test_a_part_differs_once() -> None:
    parts = [(case, each.part) for each in DIVERGENCES for case in each.cases]
    assert len(parts) == len(set(parts))


def _cases() -> list[str]:
    return [f"{family}-{number:02}" for family, count in CASES.items() for number in range(1, count + 1)]
