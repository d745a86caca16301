"""Test sentences that most operations repeat: they move to the server's instructions, or stay in place if there is no
room.
"""

from __future__ import annotations

from mcpgen.base.diagnostics import Where
from mcpgen.lower.text.boilerplate import FEWEST, LONGEST, found
from mcpgen.model import Operation, PathTemplate

SENTENCES = [
    f"Sentence number {number} is said of all operations of this API and takes some room." for number in range(40)
]


def operations(description: str, count: int = 2 * FEWEST) -> list[Operation]:
    return [
        Operation(f"GET /{n}", "GET", f"/{n}", PathTemplate((f"/{n}",)), Where("f"), description=description)
        for n in range(count)
    ]


def test_what_has_no_room_stays_where_it_is() -> None:
    common = found(operations(" ".join(SENTENCES)), "Be kind.")
    told = common.beside("Be kind.")
    assert told.startswith("Be kind.\n\n")
    assert len(told) <= LONGEST
    left = common.without(" ".join(SENTENCES))
    assert common.sentences
    assert all((sentence in told) != (sentence in left) for sentence in SENTENCES)


def test_instructions_that_fill_all_leave_the_texts_alone() -> None:
    common = found(operations(SENTENCES[0]), "x" * LONGEST)
    assert common.beside("x" * LONGEST) == "x" * LONGEST
    assert common.without(SENTENCES[0]) == SENTENCES[0]


def test_a_few_operations_repeat_nothing() -> None:
    assert found(operations(SENTENCES[0], FEWEST), "").sentences == ()
