"""Test content blocks of results: input is a tool's `result` rules and a JSON response, output is content blocks."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from typing import Any

import pytest
from package.runtime.core.wire_formats import Result, call_result
from package.runtime.results.blocks import MOST_BLOCKS

from tests.runtime.parts import part
from tests.runtime.revisions import R1, R3, R5
from tests.runtime.test_views import PRIVATE, shown

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(250, 256)) * 3
WAV = b"RIFF\x04\x00\x00\x00WAVE"
ENCODED = b64encode(PNG).decode()


def made(blocks: list[Any], answer: object, **arguments: Any) -> list[dict[str, Any]]:
    """Return the content blocks for an API response, without the note on its ETag."""
    content = shown({"blocks": blocks}, json.dumps(answer), **arguments).content
    return [part(each) for each in content if each.get("text") != 'ETag: "e"']


def text(*parts: Any) -> dict[str, Any]:
    return {"text": [{"pointer": each} if each.startswith("/") else each for each in parts]}


ANSWER = {
    "title": "Sales",
    "chart": ENCODED,
    "sound": b64encode(WAV).decode(),
    "pages": [{"png": ENCODED, "n": 1}, {"png": "no image", "n": 2}, {"n": 3}],
    "id": "a/b",
    "at": "2026-01-02T03:04:05Z",
    "who": "hunter22",
}
IMAGE = {"type": "image", "data": ENCODED, "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (text("Of ", "/title"), {"type": "text", "text": "Of Sales"}),
        (text("By ", "/who"), {"type": "text", "text": "By [redacted]"}),
        ({"image": "/chart"}, IMAGE),
        ({"audio": "/sound"}, {"type": "audio", "data": ANSWER["sound"], "mimeType": "audio/wav"}),
        (
            {
                "resource": {
                    "uri": ["doc://", {"pointer": "/id"}],
                    "mimeType": ["text/markdown"],
                    **text("# ", "/title"),
                }
            },
            {"type": "resource", "resource": {"uri": "doc://a%2Fb", "text": "# Sales", "mimeType": "text/markdown"}},
        ),
        (
            {"resource": {"uri": ["doc://x"], "blob": "/chart"}},
            {"type": "resource", "resource": {"uri": "doc://x", "mimeType": "image/png", "blob": ENCODED}},
        ),
        (
            {"link": {"uri": ["doc://", {"pointer": "/id"}], "name": [{"pointer": "/title"}]}},
            {"type": "resource_link", "uri": "doc://a%2Fb", "name": "Sales"},
        ),
        (
            {**text("x"), "annotations": {"audience": ["user"], "priority": 1, "lastModified": [{"pointer": "/at"}]}},
            {
                "type": "text",
                "text": "x",
                "annotations": {"audience": ["user"], "priority": 1, "lastModified": ANSWER["at"]},
            },
        ),
        (
            {**text("x"), "annotations": {"priority": 0, "lastModified": [{"pointer": "/title"}]}},
            {"type": "text", "text": "x", "annotations": {"priority": 0}},
        ),
    ],
)
def test_each_kind_of_block(rules: dict[str, Any], expected: dict[str, Any]) -> None:
    assert made([rules], ANSWER) == [expected]


@pytest.mark.parametrize(
    "written",
    [
        f"data:image/png;base64,{ENCODED}",
        ENCODED.rstrip("="),
        urlsafe_b64encode(PNG).decode(),
        ENCODED[:8] + "\r\n" + ENCODED[8:],
    ],
)
def test_base64_as_apis_write_it(written: str) -> None:
    assert made([{"image": "/a"}], {"a": written}) == [IMAGE]


def test_the_whole_answer_stands_among_the_blocks() -> None:
    answer = {"a": 1, "chart": ENCODED}
    first, image = made([{"answer": True, "annotations": {"priority": 0.5}}, {"image": "/chart"}], answer)[:2]
    assert (json.loads(first["text"]), first["annotations"]) == (answer, {"priority": 0.5})
    assert image == IMAGE


def test_a_list_gives_a_block_for_each_item_and_what_is_missing_is_told() -> None:
    page = {"each": "/pages"}
    found = made([{**page, **text("Page ", "/n")}, {**page, "image": "/png"}, {"image": "/pages/*/png"}], ANSWER)
    assert [each.get("text", each["type"]) for each in found[:-1]] == ["Page 1", "Page 2", "Page 3", "image", "image"]
    assert found[-1]["text"].splitlines() == [
        "Left out: image /png, since its bytes are no image that clients accept.",
        "Left out: image /png, since there is no such part in the answer.",
        "Left out: image /pages/*/png, since its bytes are no image that clients accept.",
    ]


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ({"image": "/none"}, "image /none, since there is no such part in the answer"),
        ({"image": "/title"}, "image /title, since it is no base64"),
        ({"image": "/id"}, "image /id, since its bytes are no image that clients accept"),
        ({"image": "/sound"}, "image /sound, since its bytes are no image that clients accept"),
        ({"image": "/pages/0/n"}, "image /pages/0/n, since it is no base64"),
        ({"audio": "/chart"}, "audio /chart, since its bytes are no audio that clients accept"),
        (text("Of ", "/none"), "a text, since there is no such part in the answer"),
        (
            {"link": {"uri": ["s://", {"pointer": "/no"}], "name": ["n"]}},
            "a link, since a part of its address is missing",
        ),
        (
            {"resource": {"uri": ["s://", {"pointer": "/no"}], **text("x")}},
            "a resource, since a part of its URI is missing",
        ),
        ({"resource": {"uri": ["s://x"], "blob": "/no"}}, "a resource, since there is no such part in the answer"),
        ({"each": "/none", **text("x")}, "/none, since there is no such part in the answer"),
    ],
)
def test_a_block_that_cannot_be_made_is_told_and_the_others_stay(rules: dict[str, Any], why: str) -> None:
    assert made([text("Here."), rules], ANSWER) == [
        {"type": "text", "text": "Here."},
        {"type": "text", "text": f"Left out: {why}."},
    ]


def test_where_no_block_can_be_made_the_answer_is_shown() -> None:
    found = made([{"image": "/none"}], {"a": 1})
    assert found[0]["text"].startswith('{"a": 1}')
    content = shown({"blocks": [{"image": "/none"}]}, "no JSON").content
    assert content[0]["text"] == "no JSON"


def test_an_oversized_list_is_bounded() -> None:
    found = made([{"each": "/a", **text("/n")}], {"a": [{"n": number} for number in range(1000)]})
    assert len(found) == MOST_BLOCKS + 1
    assert found[-1]["text"] == "Only the first 50 parts are shown; 950 more follow in the answer."


def test_texts_share_the_room_of_a_result() -> None:
    found = made([text("/a"), text("/a"), text("/a")], {"a": "x" * 20_000})
    assert [len(each["text"].partition("\n")[0]) for each in found[:2]] == [20_000, 12_000]
    assert found[1]["text"].endswith("\n[Cut: the first 12,000 of 20,000 bytes are shown.]")
    assert found[2]["text"] == "Left out: a text, since there is no room for more text."


def test_a_large_image_comes_and_one_that_is_too_large_is_told() -> None:
    large = PNG + bytes(900_000)
    answer = {"a": b64encode(large).decode(), "b": b64encode(large + bytes(300_000)).decode()}
    image, note = made([{"image": "/a"}, {"image": "/b"}], answer)
    assert len(str(image["data"])) == len(answer["a"])
    assert note["text"] == "Left out: image /b, since its 1,200,026 bytes are more than there is room for."


def test_a_long_answer_of_many_parts_is_not_looked_through() -> None:
    found = shown({"blocks": [text("/0/a")]}, json.dumps([{"a": 1}] * 100_000)).content
    assert str(found[-1]["text"]).startswith("Left out: a text")


def test_a_secret_is_in_no_block() -> None:
    rules = [
        text("/a"),
        {"image": "/png"},
        {"resource": {"uri": ["s://", {"pointer": "/a"}], **text("/a")}},
        {"link": {"uri": ["s://", {"pointer": "/a"}], "name": [{"pointer": "/a"}]}},
        {**text("x"), "annotations": {"lastModified": [{"pointer": "/a"}]}},
    ]
    found = json.dumps(made(rules, {"a": "hunter22", "png": b64encode(PNG + b"hunter22").decode()}))
    assert "hunter22" not in found
    assert b64encode(PNG + b"hunter22").decode() not in found


def test_what_cannot_be_seen_is_in_no_block() -> None:
    found = made([text("/a"), {"link": {"uri": ["s://x"], "name": [{"pointer": "/a"}]}}], {"a": "b\u202e\u0007c"})
    assert (found[0]["text"], found[1]["name"]) == ("bc", "bc")


def test_numbers_stay_as_they_came() -> None:
    content = shown({"blocks": [text("/n")]}, f'{{"n": 1.10, "all": "{PRIVATE[:5]}"}}').content
    assert content[0]["text"] == "1.10"


@pytest.mark.parametrize(
    ("revision", "annotations", "kinds"),
    [
        (R1, {"priority": 1}, ["text", "resource", "text"]),
        (R3, {"priority": 1, "lastModified": "2026-01-01"}, ["text", "audio", "resource_link"]),
        (R5, {"priority": 1, "lastModified": "2026-01-01"}, ["text", "audio", "resource_link"]),
    ],
)
def test_each_revision_gets_what_it_knows(revision: str, annotations: dict[str, Any], kinds: list[str]) -> None:
    rules = [
        {**text("x"), "annotations": {"priority": 1, "lastModified": ["2026-01-01"]}},
        {"audio": "/sound"},
        {"link": {"uri": ["s://x"], "name": ["n"]}},
    ]
    result = Result(list(made(rules, ANSWER)))
    sent = json.loads(b"".join(call_result(result, revision, part({"name": "s", "version": "1"}))))["content"]
    assert sent[0]["annotations"] == annotations
    assert [each["type"] for each in sent] == kinds
