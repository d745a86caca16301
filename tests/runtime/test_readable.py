"""Text from upstream: what is text, in which encoding, and what of it is shown."""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.readable import _UNSEEN, brief, clean, decode, is_text, presentable
from package.runtime.redaction import Redactor


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
    assert clean("a\t\r\n\u200d\u00ad\ufe0f é 日") == ("a\t\r\n\u200d\u00ad\ufe0f é 日", 0)


def test_nothing_that_python_prints_is_taken_out() -> None:
    """What it prints is not looked at again."""
    printed = "".join(filter(str.isprintable, map(chr, range(0x110000))))
    assert len(printed) > 100_000
    assert not _UNSEEN.search(printed)


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
