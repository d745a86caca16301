"""Test the reader of requests with the examples that the standards print.

The examples come from OpenAPI 3.1.1, "Style Examples" (color: blue, black, brown; R: 100, G: 200, B: 150), RFC 6570
section 3.2, and OpenAPI 2.0 `collectionFormat`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.requests.described import Described
from tests.requests.expansions import as_it_is, of_pairs, of_text, percent
from tests.requests.pairs import Pairs, Unreadable, grown
from tests.requests.raw import Files, Node
from tests.requests.sameness import same

LIST = ["blue", "black", "brown"]
OBJECT = {"R": "100", "G": "200", "B": "150"}


def described(place: str, style: str, explode: bool, kind: str) -> Described:
    return Described(place, "color", Node(Files(), Path("."), {"type": kind}), style, explode)


@pytest.mark.parametrize(
    ("style", "explode", "text", "value"),
    [
        ("matrix", False, ";color", ""),
        ("matrix", False, ";color=blue", "blue"),
        ("matrix", False, ";color=blue,black,brown", LIST),
        ("matrix", True, ";color=blue;color=black;color=brown", LIST),
        ("matrix", False, ";color=R,100,G,200,B,150", OBJECT),
        ("matrix", True, ";R=100;G=200;B=150", OBJECT),
        ("label", False, ".blue", "blue"),
        ("label", False, ".blue,black,brown", LIST),
        ("label", True, ".blue.black.brown", LIST),
        ("label", False, ".R,100,G,200,B,150", OBJECT),
        ("label", True, ".R=100.G=200.B=150", OBJECT),
        ("simple", False, "blue", "blue"),
        ("simple", False, "blue,black,brown", LIST),
        ("simple", True, "blue,black,brown", LIST),
        ("simple", False, "R,100,G,200,B,150", OBJECT),
        ("simple", True, "R=100,G=200,B=150", OBJECT),
        ("simple", False, "a%2Cb,c", ["a,b", "c"]),
        ("pipeDelimited", False, "a%7Cb", ["a", "b"]),
    ],
)
def test_a_path_style_is_read(style: str, explode: bool, text: str, value: Any) -> None:
    assert of_text(described("path", style, explode, kind_of(value)), text, percent) == [value]


@pytest.mark.parametrize(
    ("style", "explode", "text", "value"),
    [
        ("form", True, "color=", ""),
        ("form", True, "color=blue", "blue"),
        ("form", False, "color=blue,black,brown", LIST),
        ("form", True, "color=blue&color=black&color=brown", LIST),
        ("form", False, "color=R,100,G,200,B,150", OBJECT),
        ("form", True, "R=100&G=200&B=150", OBJECT),
        ("spaceDelimited", False, "color=blue%20black%20brown", LIST),
        ("pipeDelimited", False, "color=blue%7Cblack%7Cbrown", LIST),
        ("pipeDelimited", False, "color=R%7C100%7CG%7C200%7CB%7C150", OBJECT),
        ("tabDelimited", False, "color=blue%09black%09brown", LIST),
        ("deepObject", True, "color%5BR%5D=100&color[G]=200&color%5BB%5D=150", OBJECT),
    ],
)
def test_a_query_style_is_read(style: str, explode: bool, text: str, value: Any) -> None:
    pairs = Pairs(text, "&", percent)
    assert of_pairs(described("query", style, explode, kind_of(value)), pairs, percent) == [value]
    assert not pairs.left


def kind_of(value: Any) -> str:
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "string"


def test_what_is_not_of_the_style_is_unreadable() -> None:
    for parameter, text in (
        (described("path", "label", False, "array"), "a,b"),
        (described("path", "matrix", False, "array"), ";colour=a"),
        (described("header", "simple", True, "object"), "a,b"),
        (described("header", "simple", False, "object"), "a,b,c"),
    ):
        with pytest.raises(Unreadable):
            of_text(parameter, text, as_it_is)


@pytest.mark.parametrize(
    ("given", "read", "is_same"),
    [
        (1.0, "1", True),
        (True, "true", True),
        (True, "True", False),
        ([None, "a", []], ["a"], True),
        ({"a": None}, {}, True),
        (["a"], "a", False),
        ({"a": {"b": 1}}, {"a": '{"b":1}'}, True),
        ([{"a": 1}, {"b": 2}], {"0": {"a": "1"}, "1": {"b": "2"}}, True),
        ([{"a": 1}, {"b": 2}], {"1": {"a": "1"}, "2": {"b": "2"}}, False),
        ([{"a": 1}], {"a": "1"}, False),
        ([1, 2], {"0": "1", "1": "2"}, False),
        ("YWI=", b"ab", True),
        ("YWI=", b"YWI=", False),
    ],
)
def test_sameness_is_up_to_what_text_carries(given: Any, read: Any, is_same: bool) -> None:
    assert same(given, read) is is_same


def test_brackets_are_read() -> None:
    assert grown([(["a", "b"], "1"), (["a", "c", ""], "2"), (["a", "c", ""], "3")]) == {
        "a": {"b": "1", "c": ["2", "3"]}
    }
    with pytest.raises(Unreadable):
        grown([(["a"], "1"), (["a"], "2")])
