"""Test that the annotations (such as `destructiveHint`) of POST operations equal those that a person chose, or are more
cautious. The person had read the documents.
"""

from __future__ import annotations

import pytest

from benchmarks.surface import hints
from benchmarks.surface.documents import CORPUS, surfaces
from tests.corpus.published import load

DOCUMENTS = sorted(hints.table())
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_post_is_judged(name: str) -> None:
    found = {f"POST {path}" for path, item in load(CORPUS / name)["paths"].items() if "post" in item}
    assert set(hints.table()[name]) == found


def test_no_post_is_told_as_safer_than_it_is_and_few_as_more_dangerous() -> None:
    rows = [hints.measure(surface) for name in DOCUMENTS for surface in surfaces(CORPUS, name)]
    assert [row.name for row in rows] == DOCUMENTS
    assert [error for row in rows for error in row.dangerous] == []
    assert sum(map(len, hints.table().values())) >= 1000
    assert [bar for bar in hints.bars(rows) if not bar.held] == []
