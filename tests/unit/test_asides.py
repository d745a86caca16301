"""Test which sentences are removed from descriptions, and which are moved to the end."""

from __future__ import annotations

import pytest

from mcpgen.lower.text.boilerplate import meaning_first, without_captions, without_encoding


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The key. This value should be URI encoded.", "The key."),
        ("The key. It must be percent-encoded!", "The key."),
        ("A JSON list, presented as a URL-encoded string.", "A JSON list."),
        (
            "The file's name must be URL-encoded unless the upload was made by the older client with its own rules.",
            None,
        ),
        ("A base64url-encoded token.", None),
        ("", None),
    ],
)
def test_values_that_the_server_encodes_are_not_said_to_be_encoded(text: str, left: str | None) -> None:
    assert without_encoding(text) == (text if left is None else left)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Makes a project. The table shows the kinds:", "Makes a project."),
        ("Makes a project, as shown in the following table:", "Makes a project."),
        ("Reads a table: its rows.", None),
        ("One of:\n\na table", None),
    ],
)
def test_no_caption_stays_without_its_table(text: str, left: str | None) -> None:
    assert without_captions(text) == (text if left is None else left)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("This endpoint is in beta. Makes a room. Then tells.", "Makes a room. Then tells. This endpoint is in beta."),
        ("Available since 8.9. Lists rooms.", "Lists rooms. Available since 8.9."),
        ("This feature was introduced in 8.9.", None),
        ("Available in version 3.2+. Lists rooms.", "Lists rooms. Available in version 3.2+."),
        ("Only available on Enterprise. Lists rooms.", "Lists rooms. Only available on Enterprise."),
        ("Requires a Premium plan. Lists rooms.", "Lists rooms. Requires a Premium plan."),
        ("Requires Premium. Lists rooms.", "Lists rooms. Requires Premium."),
        ("[Beta] Lists rooms.", None),
        (
            "NOTE: This endpoint requires an admin API key.\n\nLists rooms.\n\nAll of them.",
            "Lists rooms. NOTE: This endpoint requires an admin API key.\n\nAll of them.",
        ),
        (
            "This endpoint is in beta.\n\nLists rooms. All of them.",
            "Lists rooms. All of them. This endpoint is in beta.",
        ),
        ("Requires a room to be open. Closes it.", None),
        ("Available rooms. All of them.", None),
        ("Lists available rooms. All of them.", None),
    ],
)
def test_availability_stands_behind_the_meaning(text: str, left: str | None) -> None:
    assert meaning_first(text) == (text if left is None else left)
