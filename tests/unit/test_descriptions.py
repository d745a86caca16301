"""Test that a description is cut once: the text of the document loses sentences, and sentences of mcpgen stay whole."""

from __future__ import annotations

import pytest

from mcpgen.lower.tool.descriptions import fit
from mcpgen.model import Passage, joined

ONE, TWO, THREE = "Lists all orders.", "Newest orders come first.", "Old orders are left out."
ASKED = "The user is asked to confirm each call."


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (200, [ONE, TWO, THREE, ASKED]),
        (len(" ".join([ONE, TWO, THREE, ASKED])), [ONE, TWO, THREE, ASKED]),
        (len(" ".join([ONE, TWO, THREE, ASKED])) - 1, [ONE, TWO, ASKED]),
        (len(" ".join([ONE, ASKED])) + 1, [ONE, ASKED]),
    ],
)
def test_sentences_of_the_document_make_room_for_what_mcpgen_says_of_a_call(limit: int, kept: list[str]) -> None:
    passages = [Passage(ONE), Passage(TWO), Passage(THREE), Passage(ASKED, is_whole=True)]
    assert joined(fit(passages, limit)) == " ".join(kept)


def test_text_of_the_document_is_cut_at_the_limit_if_nothing_follows() -> None:
    passages = [Passage(ONE), Passage(""), Passage(TWO)]
    assert joined(fit(passages, len(ONE) + 1 + len(TWO))) == f"{ONE} {TWO}"
    assert joined(fit(passages, len(ONE) + len(TWO))) == ONE


@pytest.mark.parametrize("limit", [100, 300, 1000])
def test_no_description_is_longer_than_the_limit(limit: int) -> None:
    names = ", ".join(f"argument_with_a_long_name_{number}" for number in range(60))
    passages = [Passage(ONE), Passage(f"The user is asked for {names}.", is_whole=True), Passage(ASKED, is_whole=True)]
    text = joined(fit(passages, limit))
    assert len(text) <= limit
    assert text.startswith(ONE)
