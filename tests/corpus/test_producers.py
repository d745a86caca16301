"""Test that ids get the producers (tools that return the id) that a person judged right.

The ids were drawn at random from ten published documents.
"""

from __future__ import annotations

import pytest

from benchmarks.retrieval import producers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not producers.CORPUS.is_dir(), reason="the corpus is not beside the repository"),
]


def test_producers_are_those_that_a_person_judged_right() -> None:
    verdicts = producers.measure()
    known = {
        document: {each.judged.id for each in verdicts if each.document == document} for document in producers.table()
    }
    for document in producers.table():
        tools, _ = producers.compiled(document)
        arguments = {
            f"{tool.operation.method} {tool.operation.path} {place} {wire}"
            for tool in tools
            for place, wire in tool.arguments
        }
        assert known[document] <= arguments, f"{document}: an id of the table is no argument"
    figures = producers.figures(verdicts)
    wrong = "\n".join(str(each) for each in verdicts if not each.is_right)
    assert figures.ids >= 100
    assert figures.right >= producers.RIGHT, f"{figures}\n{wrong}"
    assert figures.found >= producers.FOUND, f"{figures}\n{wrong}"
