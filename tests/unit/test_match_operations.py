"""Test the matching of operations whose method or path changed: which new operation continues which old one."""

from __future__ import annotations

import pytest

from mcpgen.lock.match_operations import moved
from mcpgen.model.pins import Pin

SHAPE, WORDS = {"shape": "s"}, {"words": "w"}


def known(requests: dict[str, dict[str, str]]) -> dict[str, Pin]:
    return {
        key: Pin(key, id=told.get("id", ""), shape=told.get("shape", ""), words=told.get("words", ""))
        for key, told in requests.items()
    }


def under(prefix: str, count: int) -> dict[str, dict[str, str]]:
    return {f"GET {prefix}/{name}": {} for name in "abcdefg"[:count]}


@pytest.mark.parametrize(
    ("gone", "new", "pairs"),
    [
        ({"GET /v1/a": {"id": "getA"}}, {"GET /b": {"id": "getA"}}, {"GET /b": "GET /v1/a"}),
        ({"GET /v1/a": SHAPE}, {"GET /v2/a": SHAPE}, {"GET /v2/a": "GET /v1/a"}),
        ({"GET /v1/a": {**SHAPE, "id": "getA"}}, {"GET /v2/a": {**SHAPE, "id": "getB"}}, {}),
        ({"GET /v1/a": {"id": "v1GetA"} | SHAPE}, {"GET /v2/a": {"id": "v2GetA"} | SHAPE}, {"GET /v2/a": "GET /v1/a"}),
        ({"GET /a": SHAPE, "GET /b": SHAPE}, {"GET /v2/a": SHAPE}, {}),
        ({"GET /a": WORDS}, {"GET /b": WORDS}, {"GET /b": "GET /a"}),
        ({"GET /a": {**WORDS, "id": "getA"}}, {"GET /b": {**WORDS, "id": "getB"}}, {}),
        (under("", 2), under("/shop", 2), {}),
        (under("", 3), under("/shop", 3), {f"GET /shop/{name}": f"GET /{name}" for name in "abc"}),
        (under("/shop", 3), under("", 3), {f"GET /{name}": f"GET /shop/{name}" for name in "abc"}),
        (under("", 7), under("/shop", 3), {}),
    ],
    ids=[
        "one id", "another version", "ids that contradict", "ids that differ in a version", "two alike", "one text",
        "one text, two ids", "a prefix of two", "a prefix of three", "a prefix that is gone", "a prefix of few",
    ],
)  # fmt: skip
def test_an_operation_is_known_again_or_not_guessed(
    gone: dict[str, dict[str, str]], new: dict[str, dict[str, str]], pairs: dict[str, str]
) -> None:
    assert moved(known(gone), known(new)) == pairs
