"""Test by tables of cases how texts are prepared for models: what is removed, and where a text is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.invisible import hidden_characters
from mcpgen.lower.text.prose import MARK, READ, ended, plain, sentences, shortened, similarity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain words.", "Plain words."),
        ("**Bold**, *slanted*, __both__ and `code`", "Bold, slanted, both and code"),
        ("`GET /a?x[y][z]=1`, `List<String>`, `a*b*c`", "GET /a?x[y][z]=1, List<String>, a*b*c"),
        (
            "For the URL `https://x.example/files/123` it is `123`.",
            "For the URL https://x.example/files/123 it is 123.",
        ),
        ("`` a `b` c `` and `lone", "a `b` c and `lone"),
        ("> [!NOTE]\n> Quoted.", "Quoted."),
        ("snake_case_stays and 2 * 3 * 4 too", "snake_case_stays and 2 * 3 * 4 too"),
        ("<p>Tags <b>go</b></p><br/>&amp; entities", "Tags go\n\n& entities"),
        ("a < b and c > d", "a < b and c > d"),
        ("[anchor](https://x.example/a_(b)) stays", "anchor stays"),
        ("![image](x.png) goes", "goes"),
        ("[anchor][ref] stays", "anchor stays"),
        ("before\n```sh\ncurl x\n```\nafter", "before\n\nafter"),
        ("before\n~~~\nnever closed", "before"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\nafter", "after"),
        ("# Heading\ntext", "Heading.\n\ntext"),
        ("- first\n- second", "first; second"),
        ("Values:\n* a\n* b", "Values: a; b"),
        ("<!-- hidden --> seen", "seen"),
        ("one\ntwo\n\nthree", "one two\n\nthree"),
        ("See https://docs.example/x for more. It matters.", "It matters."),
        ("Calls back https://x.example now.", "Calls back now."),
        ("a\u2028b\u2029c", "a b\n\nc"),
        ("...", ""),
        ("---", ""),
        ("", ""),
    ],
)
def test_plain(text: str, expected: str) -> None:
    assert plain(text) == expected


HIDDEN = "\x00\x07\x1b\x7f\x9b\u00ad\u034f\u200b\u200e\u202e\u2066\ufeff\U000e0041\ud800\u115f\u2800\u3164\uffa0"


def test_hidden_characters_are_counted_and_marked_once_a_run() -> None:
    assert hidden_characters(f"a{HIDDEN}b") == len(HIDDEN)
    assert plain(f"a{HIDDEN}b") == f"a{MARK}b"
    assert hidden_characters(MARK) == 1


@given(st.text(st.characters(), max_size=300))
def test_plain_text_has_marks_for_hidden_characters_and_no_line_breaks_in_a_paragraph(text: str) -> None:
    for paragraph in plain(text).split("\n\n"):
        assert hidden_characters(paragraph.replace(MARK, "")) == 0
        assert "\n" not in paragraph
        assert paragraph == paragraph.strip()


@pytest.mark.parametrize(
    "unit",
    [
        "-", "*a ", "_a ", "`", "[a](", "![a](", "<!--", "<p ", "e.g. A ", "A. ", "#", "# #", "|", "~~~", "``a`a",
        "&lt;", "http://a ", "***a", "a**", "[[", "(((", "> ", "1. ", "\n- ", "\n\n", "\n#", " \t", "\u202e",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "x", "\n"])
def test_hostile_text_is_read_in_linear_time(unit: str, end: str) -> None:
    """Test requirement TXT-04 with texts that took minutes when patterns needed quadratic time."""
    shortened(plain(unit * (400_000 // len(unit)) + end), 1000)


def test_only_the_beginning_of_a_very_long_text_is_read() -> None:
    assert plain("word " * READ + "end").endswith("word")


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Only one", ["Only one"]),
        ("Use e.g. This one. Next.", ["Use e.g. This one.", "Next."]),
        ("By J. Smith. Next.", ["By J. Smith.", "Next."]),
        ('He said "Go." Then left.', ['He said "Go."', "Then left."]),
        ("Version 1.5 is out. 2 follows.", ["Version 1.5 is out.", "2 follows."]),
        ("lower case. stays together", ["lower case. stays together"]),
        ("", []),
    ],
)
def test_sentences(paragraph: str, expected: list[str]) -> None:
    assert sentences(paragraph) == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("Short.", 10, "Short."),
        ("One sentence. Another sentence.", 20, "One sentence."),
        ("A very long sentence without an end", 20, "A very long…"),
        ("abcdefghijklmnopqrstuvwxyz", 10, "abcdefghi…"),
        ("A. " + "b" * 40, 20, "A.…"),
        ("one\n\ntwo", 20, "one two"),
    ],
)
def test_shortened(text: str, limit: int, expected: str) -> None:
    assert shortened(text, limit) == expected


@given(st.text("ab .!\n", max_size=200), st.integers(4, 80))
def test_shortened_text_keeps_its_limit(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) <= limit


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        *(("a", "a."), ("a.", "a."), ("a!", "a!"), ("a:", "a:"), ("a…", "a…"), (" a ", "a."), ("", "")),
        *(("计算器", "计算器"), ("好。", "好。")),
    ],
)
def test_ended(sentence: str, expected: str) -> None:
    assert ended(sentence) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"), [("a b", "B a", 1.0), ("a b", "c d", 0.0), ("a b c", "a b d", 0.5), ("", "", 1.0)]
)
def test_similarity(one: str, other: str, expected: float) -> None:
    assert similarity(one, other) == expected
