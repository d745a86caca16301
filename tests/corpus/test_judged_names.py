"""Test a hundred tool names that a person has judged after reading the operations: they are unchanged, and few are
misleading.
"""

from __future__ import annotations

import pytest

from benchmarks.surface import judged_names
from benchmarks.surface.documents import CORPUS, surfaces

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")


def test_a_hundred_names_are_judged_with_a_reason() -> None:
    rows = [row for rows in judged_names.table().values() for row in rows]
    assert len({(name, row[0]) for name, rows in judged_names.table().items() for row in rows}) == len(rows) == 100
    assert {row[2] for row in rows} <= set(judged_names.VERDICTS)
    assert all(row[3] for row in rows)


def test_no_judged_name_changed_and_at_most_four_mislead() -> None:
    """Check that none of the hundred tool names that a person judged has changed, and that at most four mislead.

    If a name has changed, judge the name again in `names.yaml`.
    """
    rows = [judged_names.measure(surface) for name in judged_names.table() for surface in surfaces(CORPUS, name)]
    assert [row.name for row in rows] == list(judged_names.table())
    assert [text for row in rows for text in row.changed] == []
    assert sum(row.verdicts.total() for row in rows) == 100
    assert [bar for bar in judged_names.bars(rows) if not bar.held] == []
