"""Test what clients are shown that cannot ask their users."""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.core.asked_arguments import listed_without_asking

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
