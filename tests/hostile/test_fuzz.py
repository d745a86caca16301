"""Test requirement REL-07 with random lines and responses: the process never dies and always answers.

Every run uses the same cases, which take about a minute. `python -m tests.hostile.fuzz` draws others. The runs also
test IO-18 (every output line is valid) and UP-13 (the call after any input succeeds).
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.hostile.fuzz import answers, descriptors, documents, finds, lines, mutation, schemas, tokens, values
from tests.hostile.fuzz.judge import demand
from tests.hostile.subject import compiled

LINES = 2500
ANSWERS = 700
DOCUMENTS = 40


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("seed", range(8))
def test_rel_07_lines(project: Path, seed: int) -> None:
    lines.fuzz(project, seed, LINES)


@pytest.mark.parametrize("seed", range(6))
def test_rel_07_answers(project: Path, seed: int) -> None:
    answers.fuzz(project, seed, ANSWERS)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("kind", "count"), [(schemas, 4), (values, 8), (tokens, 3), (descriptors, 1)])
def test_hard_work_stays_within_the_limits_of_the_process(project: Path, kind: Any, count: int, seed: int) -> None:
    """Test requirements HARD-01, HARD-02, HARD-03, HARD-11 and HARD-13 by a short run of each kind of fuzz."""
    kind.fuzz(project, seed, count)


@pytest.mark.parametrize("seed", range(2))
def test_hard_16_documents_end_within_their_limits(seed: int) -> None:
    """Test requirements HARD-16 and HARD-25: a compile ends in a result or in a one-sentence error."""
    documents.fuzz(None, seed, DOCUMENTS)


@pytest.mark.parametrize("found", [*finds.LINES, *finds.ANSWERS])
def test_what_was_found(project: Path, found: str) -> None:
    lines.run(project, iter(finds.LINES.get(found, [])))
    answers.run(project, finds.ANSWERS.get(found, []))


def test_a_seed_gives_the_same_cases() -> None:
    assert list(lines.cases(Random(1), 50)) == list(lines.cases(Random(1), 50)) != list(lines.cases(Random(2), 50))
    assert list(answers.cases(Random(1), 50)) == list(answers.cases(Random(1), 50))
    assert documents.document(Random(1)) == documents.document(Random(1)) != documents.document(Random(2))


def test_most_mutations_still_ask_for_something() -> None:
    """Check that most mutated lines are still readable requests.

    A fuzz with mostly unreadable lines would find nothing.
    """
    said = [line for case in lines.cases(Random(1), 500) for line in case.split(b"\n")]
    asking = [line for line in said if demand(line, "2025-11-25").ids]
    assert 0.4 < len(asking) / len(said) < 0.9


def test_a_tree_says_what_json_says() -> None:
    tree = mutation.parsed('{"a":[1,null,{"b":true}],"a":2}')
    assert all(mutation.parsed(mutation.text(Random(seed), tree)) == tree for seed in range(100))
