"""Test that the grades in the documentation are those of the code, for the documents that are small and there."""

from __future__ import annotations

import pytest

from benchmarks.grade import DOCUMENTS, row
from tests.docs.test_figures import DOCS
from tests.grade.calibration import CORPUS
from tests.grade.test_patch import POOR

PAGE = (DOCS / "explanation" / "grade.md").read_text(encoding="utf-8")
LARGEST = 700_000


def test_the_page_has_a_row_for_each_document() -> None:
    assert [line.split(" | ")[0] for line in PAGE.splitlines()[-len(DOCUMENTS) :]] == [
        f"| {name}" for name in DOCUMENTS
    ]


def test_the_page_says_how_many_questions_are_answered_after_a_patch() -> None:
    text = " ".join(PAGE.split())
    for before, after in POOR.values():
        assert (f"{after} instead of {before} of" if after != before else f"stays at {after} of") in text


@pytest.mark.slow
def test_the_grade_of_a_document_is_the_one_that_is_measured() -> None:
    files = {name: CORPUS / file for name, file in DOCUMENTS.items()}
    small = {name: path for name, path in files.items() if path.exists() and path.stat().st_size < LARGEST}
    assert [line for name, path in small.items() if (line := row(name, path)) not in PAGE.splitlines()] == []
