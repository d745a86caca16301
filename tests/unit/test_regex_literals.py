"""Test which patterns are literals of JavaScript, masks for dates, or match nothing."""

from __future__ import annotations

import re

import pytest

from mcpgen.lower.schema import patterns


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("/^a$/", "^a$"),
        ("/^a$/u", "^a$"),
        ("/^a/g", "^a"),
        ("/a$/", "a$"),
        ("/^[a-z]+$/i", "^[a-zA-Z]+$"),
        ("/^[^B-Y_c0]{2}x(?:D|\\d)$/gi", "^[^B-Y_c0b-yC]{2}[xX](?:[Dd]|\\d)$"),
        ("/^[A-z]$/i", "^[A-za-zA-Z]$"),
        ("/^[\\w-]-$/i", "^[\\w-]-$"),
    ],
)
def test_slashes_and_flags_are_taken_off_around_a_whole_pattern(written: str, mended: str) -> None:
    assert patterns.without_slashes(written) == mended


@pytest.mark.parametrize(
    "written",
    [
        "/a/",
        "/a/i",
        "^/a/$",
        "/v1/x",
        "/^a$/m",
        "/^.$/s",
        "/^\\p{Lu}$/i",
        "/^\\x41$/i",
        "/^\u00e9$/i",
        "/a\\$/",
        "/^(a$/i",
    ],
)
def test_what_is_no_literal_or_has_another_flag_stays(written: str) -> None:
    assert patterns.without_slashes(written) == written


@pytest.mark.parametrize("text", ["abc", "ABC", "aZ", "a1", "", "\u017f"])
@pytest.mark.parametrize("inner", ["[a-z]+", "[^a-f]*", "a[B-D]c?", "[x-zQ]|abc"])
def test_both_cases_match_as_they_do_without_regard_to_case(inner: str, text: str) -> None:
    mended = patterns.without_slashes(f"/^(?:{inner})$/i")
    assert bool(re.search(mended, text)) == bool(re.search(f"^(?:{inner})$", text, re.IGNORECASE | re.ASCII))


@pytest.mark.parametrize(
    "pattern",
    [
        *("YYYY-MM-DD", "dd/mm/yyyy", "^YYYY-MM-DD$", "YYYY-MM-DDThh:mm:ssZ", "HH:MM", "hh:mm:ss", "DD.MM.YY", "YYYY"),
        *("yyyy-MM-dd'T'HH:mm:ss", "DD MMM YYYY", "MM/DD"),
    ],
)
def test_a_mask_for_dates_is_one(pattern: str) -> None:
    assert patterns.is_date_mask(pattern)


@pytest.mark.parametrize("pattern", ["SSD", "my", "MM", "d{4}", "^[0-9]{4}-MM$", "Hm", "D", "-", "", "YYYY|MM", "abc"])
def test_another_pattern_is_no_mask(pattern: str) -> None:
    assert not patterns.is_date_mask(pattern)


@pytest.mark.parametrize(
    "pattern", ["/^a$/m", "a^", "a+^b", "^a$b", "^(a|bc)$d", "a^|b$c", "(a^)", "x(b$c)", "$a{2}", "a{1,2}^"]
)
def test_a_pattern_that_matches_nothing(pattern: str) -> None:
    assert patterns.matches_nothing(pattern)
    assert not any(re.search(pattern, text) for text in ("", "a", "b", "ab", "abc", "xbc", "/a/m", "aab", "bcd"))


@pytest.mark.parametrize(
    "pattern",
    [
        *("^a$", "", "a?^b", "a*^", "^a$b?", "a|^b", "(?:a|)^", "a{0,2}^", "(a|b*)^", "(^|,)a($|,)", "$^", "^$"),
        *("(a^)?b", "a^|b", "[$]a[\\^]^|c", "\\$a\\^", "a{b}^"),
    ],
)
def test_a_pattern_that_may_match_something(pattern: str) -> None:
    assert not patterns.matches_nothing(pattern)
