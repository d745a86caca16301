"""Test the tool list of clients without elicitation: arguments that a user would be asked for are listed for
the model.
"""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.questions.asked_arguments import listed_without_asking

from mcpgen.lower.tool import questions as compiler_questions
from mcpgen.model.curation import AskedQuestion
from tests.runtime.test_questions import ADDRESS, CARD, MISSING, SCHEMA


@pytest.mark.parametrize(
    ("questions", "described"),
    [
        ([MISSING], "Orders. The user is asked for tea."),
        ([CARD], "Orders."),
        ([CARD, MISSING], "Orders."),
        ([ADDRESS, MISSING], "Orders. The user is asked for tea."),
        ([ADDRESS], "Orders. The user is asked for tea. Leave out what you do not know of x: the user is asked."),
    ],
)
def test_a_description_does_not_say_that_the_user_is_asked_who_cannot_be(questions: Any, described: str) -> None:
    told = "Orders. The user is asked for tea. Leave out what you do not know of x: the user is asked."
    listed = listed_without_asking({"description": told, "inputSchema": SCHEMA}, questions)
    assert listed["description"] == described


@pytest.mark.parametrize("description", ["Orders.", ""])
@pytest.mark.parametrize("missing", [False, True])
def test_the_sentence_of_the_compiler_is_the_one_that_is_left_out(description: str, missing: bool) -> None:
    """Check that the runtime removes exactly the sentence that the compiler has added to the description: the user is
    asked for an argument.
    """
    question = AskedQuestion("address", (), {"street": {}}, without="arguments", missing=missing)
    told = " ".join(filter(None, [description, *compiler_questions.sentences((question,))]))
    written: Any = {"name": "address", "without": "arguments", **({"missing": True} if missing else {})}
    assert told != description
    listed = listed_without_asking({"description": told, "inputSchema": SCHEMA}, [written])
    assert listed["description"] == description
