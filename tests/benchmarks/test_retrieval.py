"""Test that the benchmark of the search fits the product: its rules name code, and its questions name tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.corpus import CORPUS
from benchmarks.retrieval.__main__ import compiled
from benchmarks.retrieval.questions import pools
from benchmarks.retrieval.rules import ROOT, RULES, Rule


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rule_is_one_place_of_the_code(rule: Rule) -> None:
    assert (ROOT / rule.file).read_text(encoding="utf-8").count(rule.old) == 1


@pytest.mark.slow
def test_every_question_needs_tools_that_exist(tmp_path: Path) -> None:
    if not CORPUS.is_dir():
        pytest.skip("the shared corpus is not here")
    for number, pool in enumerate(pools(CORPUS, tmp_path)):
        place = tmp_path / str(number)
        place.mkdir()
        tools = compiled(pool.source(place)).catalog.tools
        operations: dict[str, set[str]] = {}
        for tool in tools:
            operations.setdefault(f"{tool.operation.method} {tool.operation.path}", set()).add(tool.name)
        assert all(all(each.tools([tool.name for tool in tools], operations)) for each in pool.questions)
