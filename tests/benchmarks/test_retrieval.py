"""Test that the benchmark of the search fits the product: its rules name code, and its questions name tools."""

from __future__ import annotations

import pytest
from package.runtime.search import retriever

from benchmarks.corpus import CORPUS
from benchmarks.retrieval import held_out
from benchmarks.retrieval.rules import ROOT, RULES, Rule
from benchmarks.retrieval.served import served
from mcpgen.retrieval import index


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rule_is_one_place_of_the_code(rule: Rule) -> None:
    assert (ROOT / rule.file).read_text(encoding="utf-8").count(rule.old) == 1


def test_other_sets_may_choose_the_constants_that_the_search_has() -> None:
    for module, grid in ((index, held_out.OF_INDEX), (retriever, held_out.OF_QUERY)):
        assert [name for name, values in grid.items() if getattr(module, name) not in values] == []


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")
def test_every_question_needs_tools_that_exist() -> None:
    for each in served(CORPUS):
        assert each.questions
        assert all(needs for _, needs in each.questions)
