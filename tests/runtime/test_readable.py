"""Test the text of responses: which bytes count as text, in which encoding, and which characters are shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from package.runtime.text import sanitize
from package.runtime.text.patterns import searcher
from package.runtime.text.redaction import Redactor
from package.runtime.text.sanitize import brief, clean, decode, is_text, presentable


@pytest.mark.parametrize(
    ("media_type", "readable"),
    [
        *((kind, True) for kind in ("text/plain", "text/x-odd", "application/json", "application/hal+json")),
        *(
            (kind, True)
            for kind in ("application/xml", "image/svg+xml", "application/yaml", "application/openapi+yaml")
        ),
        *((kind, True) for kind in ("application/x-ndjson", "application/jsonl", "application/javascript")),
        *((kind, True) for kind in ("application/x-www-form-urlencoded", "application/jwt", "application/sql")),
        *((kind, False) for kind in ("image/png", "application/pdf", "application/octet-stream", "application/zip")),
        *((kind, False) for kind in ("application/jsonish", "application/x-json5", "application/vnd.ms-excel")),
    ],
)
def test_media_types_of_text(media_type: str, readable: bool) -> None:
    assert is_text(media_type, b"\x00") is readable


@pytest.mark.parametrize(
    ("content", "readable"),
    [
        (b"", True),
        (b"plain\r\n\ttext", True),
        ("é".encode(), True),
        (b"x" * 4095 + "é".encode(), True),
        (b"x" * 4093 + "\U0001f600".encode(), True),
        (b"x" * 4094 + b"\xff\xff", False),
        (b"x" * 4092 + b"\xf0\x9f\x98", False),
        (b"x\xe9y", False),
        (b"a\x00b", False),
        (b"\x89PNG\r\n", False),
        (b"x" * 4096 + b"\x00", True),
    ],
)
def test_content_without_a_media_type_is_text_where_its_beginning_is(content: bytes, readable: bool) -> None:
    assert is_text("", content) is readable


@pytest.mark.parametrize(
    ("content", "content_type", "text", "whole"),
    [
        ("é".encode(), "", "é", True),
        (b"\xe9", "text/plain; charset=Latin1", "é", True),
        (b"\xe9", 'text/plain;charset="windows-1252"', "é", True),
        (b"\xe9", "text/plain; CHARSET = iso-8859-15 ; x=y", "é", True),
        (b"\x93\xfa", "text/plain; charset=shift_jis", "日", True),
        (b"a\x00", "text/plain; charset=UTF-16LE", "a", True),
        (b"\xef\xbb\xbfa", "text/plain; charset=latin1", "a", True),
        (b"\xff\xfea\x00", "application/json", "a", True),
        (b"+AGE-", "text/plain; charset=utf-7", "+AGE-", True),
        (b"a", "text/plain; charset=zlib_codec", "a", True),
        (b"a", "text/plain; charset=utf-8-sig-x", "a", True),
        (b"a\xff", "text/plain", "a\ufffd", False),
        (b"a\xff", "text/plain; charset=us-ascii", "a\ufffd", False),
        (b"a\xff", "text/plain; charset=iso-8859-99", "a\ufffd", False),
        ("\ufffd".encode(), "text/plain", "\ufffd", True),
    ],
)
def test_text_is_decoded_as_it_declares_itself(content: bytes, content_type: str, text: str, whole: bool) -> None:
    assert decode(content, content_type) == (text, whole)


def test_what_cannot_be_seen_is_counted() -> None:
    assert clean("a\x00\x1b\x7f\x80\u200e\u202e\u2069\U000e0041\ud800b") == ("ab", 9)
    assert clean("a\x00\x08\x0b\x1f\x7f\t\r\n~") == ("a\t\r\n~", 5)
    assert clean("a\t\r\n\u200d\u00ad\ufe0f é 日") == ("a\t\r\n é 日", 3)


# One character of each kind that the rules on hidden characters distinguish.
TRICKY = (
    "aZ0 \n#\u2764\u00a9\U0001f469\U0001f4bb\U0001f3fd1\u20e3\u0628\u0645\u06f1\u0915\u0937\u094d\u09cd\u0d28\u845b"
)
TRICKY += "\u00e9\u200c\u200d\ufe0e\ufe0f\u2800\u2813\ufe00\u200b\u1039\ua806\x1b\ud800\U000e0100"


@pytest.mark.parametrize("examples", [500, pytest.param(3000, marks=pytest.mark.slow)])
def test_hard_10_both_engines_find_the_same(examples: int) -> None:
    """Compare two ways to find hidden characters: the fast scan of every response, and the regular expression that
    removes them.
    """
    drawn = given(st.text(TRICKY, max_size=8) | st.text(st.characters(), max_size=40))
    settings(max_examples=examples)(drawn(assert_both_engines_agree))()


def assert_both_engines_agree(text: str) -> None:
    left = re.sub(sanitize.HIDDEN, "", text)
    assert clean(text) == (left, len(text) - len(left))
    assert re.search(sanitize.HIDDEN, left) is None
    if text.isascii() or any("\ud800" <= each <= "\udfff" for each in text):
        return
    assert searcher(sanitize.HIDES)(text) is (left != text)


@pytest.mark.parametrize(
    "hidden",
    [
        "\u200b", "\u2060", "\u2061", "\u2062", "\u2063", "\u2064", "\u206a", "\ufeff", "\u00ad", "\u034f", "\u061c",
        "\u115f", "\u1160", "\u17b4", "\u180b", "\u180e", "\u200e", "\u202e", "\u2066", "\u3164", "\ufe00", "\ufe0d",
        "\uffa0", "\ufff9", "\U000e0001", "\U000e0041", "\U000e0100", "\U000e01ef", "\U0001d173", "\ufdd0",
        "\ufe0f", "\u200c", "\u200d", "\u2800", "\ufe0f\ufe0f", "\u200d\u200d\u200d",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", [("a", "b"), ("", ""), ("日", "本"), ("é ", ".")])
def test_hard_10_what_hides_is_taken_out(hidden: str, around: tuple[str, str]) -> None:
    assert clean(hidden.join(around)) == ("".join(around), len(hidden))


@pytest.mark.parametrize(
    "text",
    [
        "Done \u2705 \u2764\ufe0f \u2139\ufe0e \u00a9\ufe0f 1\ufe0f\u20e3 #\ufe0f\u20e3",
        "\U0001f469\u200d\U0001f4bb \U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f468",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 API\u200c\u0647\u0627 \u06f5\u200c\u0633\u0627\u0644\u0647",
        "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",
        "\u0d05\u0d35\u0d28\u0d4d\u200d \u0dc1\u0dca\u200d\u0dbb\u0dd3",
        "\u09b0\u200d\u09cd\u09af",
        "\u2813\u2811\u2800\u2807\u2815\n\u2800\u2800\u2813",
        "Größe, naïve, 日本語\u3000です, 한국어, \u05d0\u05b8, e\u0301, 10\u00a0000, a\u2028b",
    ],
)
def test_hard_10_what_languages_and_emoji_need_stays(text: str) -> None:
    assert clean(text) == (text, 0)


def test_hard_10_a_channel_of_selectors_is_taken_out() -> None:
    """Remove text that is hidden in variation selectors after an emoji, one byte in each.

    A selector that only makes the emoji colored stays.
    """
    spelt = "".join(chr(0xE0100 + byte) for byte in b"ignore") + "\ufe0e\ufe0f\u200d"
    assert clean(f"ok \U0001f600\ufe0f{spelt} then") == ("ok \U0001f600\ufe0f then", 9)


SECRET = "s3cret/k\u00e9y"


@pytest.mark.parametrize(
    ("value", "shown", "unseen"),
    [
        ({"a": [1, 2.5, True, None, 'plain "text" \\ u \u00e9\n']},) * 2 + (0,),
        *(([f"a{hidden}b"], ["ab"], 1) for hidden in "\x00\x08\x0c\x1f\x7f\x85\u202e\ud800"),
        ({"a\x08": {"b\u2066": 1}}, {"a": {"b": 1}}, 2),
        ({"a": [f"it is {SECRET}!"]}, {"a": ["it is [redacted]!"]}, 0),
        ({SECRET: 1}, {"[redacted]": 1}, 0),
        (["s3cr\x08et/k\u00e9y"], ["[redacted]"], 1),
        (["s3cret\\/k\\u00e9y"], ["[redacted]"], 0),
        ([1234567890, 12.5], ["[redacted]", 12.5], 0),
    ],
)
def test_a_value_without_what_is_hidden_or_secret(value: Any, shown: Any, unseen: int) -> None:
    assert presentable(value, Redactor([SECRET, "1234567890"])) == (shown, unseen)


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("a  b\n c", 10, "a b c"),
        ("x" * 10, 10, "x" * 10),
        ("x" * 11, 10, "x" * 10 + "…"),
        ("\x1b" * 30 + "abc", 10, "abc"),
    ],
)
def test_a_brief_is_one_line(text: str, limit: int, shown: str) -> None:
    assert brief(text, limit) == shown
