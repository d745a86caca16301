"""Test that the texts in the tables of mutations occur in the source.

`python -m tests.hostile.broken` applies each mutation and runs its tests.
"""

from __future__ import annotations

import pytest

from tests.hostile.broken import ROOT, copied, guarded, notices
from tests.hostile.mutation import Mutation
from tests.hostile.mutations import MUTATIONS
from tests.hostile.mutations_of_compiler import OF_COMPILER


@pytest.mark.parametrize("mutation", [*MUTATIONS, *OF_COMPILER], ids=lambda each: each.name)
def test_a_guard_stands_once_where_the_table_says(mutation: Mutation) -> None:
    file = guarded(ROOT, mutation)
    whole = file.read_text(encoding="utf-8")
    assert whole.count(mutation.old) == 1, mutation
    assert mutation.new != mutation.old
    if file.suffix == ".py":  # what is no Python any more would be noticed by each test
        compile(whole.replace(mutation.old, mutation.new), file, "exec")
    assert mutation.tests
    assert all((ROOT / test.partition("::")[0]).exists() for test in mutation.tests)


def test_no_two_have_one_name() -> None:
    names = [each.name for each in (*MUTATIONS, *OF_COMPILER)]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_a_guard_that_is_taken_out_is_noticed_and_one_that_stands_is_not() -> None:
    """Check that `notices` reports a mutation of the runtime and one of the compiler, but not a mutation that
    changes nothing.
    """
    whole, [compiler] = MUTATIONS[0], [each for each in OF_COMPILER if each.name == "a redirect to plain HTTP"]
    kept = whole._replace(new=whole.old)
    with copied() as root:
        assert notices(root, whole)
        assert notices(root, compiler)
        assert not notices(root, kept)
