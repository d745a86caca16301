"""Test functions that escape text for an output format: a strict reader of the format gets the same text
back (GEN-15).
"""

from __future__ import annotations

import html
import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.invisible import shown
from mcpgen.emit.sinks import bare_name, html_text, markdown_code, markdown_prose, markdown_text, toml_string

ANY_TEXT = st.text(st.characters(), max_size=80)
MARKUP = st.text("ab `*_[]()<>&|~$#\\:/!\n\r\t-+=.1\u2028\u202e\x00\x1b", max_size=60)
"""Text that consists only of characters with a meaning in Markdown."""


def stored(text: str) -> str:
    """Return the text without lone surrogates, which cannot be stored."""
    return text.encode("utf-8", "replace").decode("utf-8")


@given(ANY_TEXT | MARKUP)
def test_toml_gives_any_text_back(text: str) -> None:
    written = toml_string(text)
    assert written.isascii()
    assert "\n" not in written
    assert tomllib.loads(f"a = {written}\nb = [{written}]\n") == {"a": stored(text), "b": [stored(text)]}


@pytest.mark.parametrize(
    "text", ['"', '"""', "\\", '\\"', "a\n[tool.x]\ny=1", "\x00\x7f\x85\u2028", "{{ 7*7 }}", "${HOME}", "é😀"]
)
def test_toml_of_hostile_text_is_one_string(text: str) -> None:
    assert tomllib.loads(f"[project]\nname = {toml_string(text)}\n") == {"project": {"name": text}}


SPECIAL = set("\\`*_[]<>&|~$#")


def unescaped(written: str) -> str:
    """Read Markdown text strictly: a backslash makes the punctuation after it literal (CommonMark 0.31, 2.4).

    Raise AssertionError for punctuation that is not escaped.
    """
    text, at = "", 0
    while at < len(written):
        if written[at] == "\\":
            at += 1
            assert re.fullmatch(r"[!-/:-@\[-`{-~]", written[at]), written
        else:
            assert written[at] not in SPECIAL, written
        text += written[at]
        at += 1
    return text


def on_one_line(text: str) -> str:
    return shown(re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", stored(text))).strip()


@given(ANY_TEXT | MARKUP)
def test_markdown_text_is_text_on_one_line(text: str) -> None:
    written = markdown_text(text)
    assert unescaped(written) == on_one_line(text)
    assert written.splitlines() in ([], [written])


@pytest.mark.parametrize(
    "text",
    [
        "</pre><script>alert(1)</script>", "](javascript:alert(1))", "[a](http://x)", "![a](x)", "```\n# RUN", "| a |",
        "http://evil.example/x", "&lt;b&gt;", "<!-- x", "$x$", "~~x~~", "**x**", "a\n\n# heading", "a\n---\n",
    ],
)  # fmt: skip
def test_markdown_text_of_hostile_text_has_no_markup(text: str) -> None:
    assert not re.search(r"(?<!\\)://", markdown_text(text)), "GitHub makes links of bare URLs"
    assert unescaped(markdown_text(text)) == on_one_line(text)


@given(ANY_TEXT | MARKUP | st.text("<>&;\"'=#x/!-abscriptl1 ", max_size=40))
def test_html_text_is_the_same_text_in_an_element_and_an_attribute(text: str) -> None:
    written = html_text(text)
    assert not set(written) & set("<>\"'")
    assert html.unescape(written) == shown(stored(text))


def code_span(written: str) -> str:
    """Return the content of a Markdown code span (CommonMark 0.31, 6.1). Check that its fences have the same number of
    backticks, and that no run of backticks in the content has this number.
    """
    fence = re.match(r"`+", written)
    assert fence is not None
    inner = written.removeprefix(fence[0]).removesuffix(fence[0])
    assert fence[0] + inner + fence[0] == written
    assert fence[0] not in re.findall(r"`+", inner)
    if inner.startswith(" ") and inner.endswith(" ") and inner.strip():
        inner = inner[1:-1]
    return inner


@given(ANY_TEXT | MARKUP)
def test_markdown_code_is_one_code_span_and_one_cell(text: str) -> None:
    written = markdown_code(text)
    assert len(written.splitlines()) == 1
    assert not re.search(r"(?<!\\)\|", written)
    assert code_span(written) == (on_one_line(text).replace("|", "\\|") or " ")


@given(ANY_TEXT | MARKUP)
def test_markdown_prose_has_no_markup_except_code_spans(text: str) -> None:
    written = markdown_prose(text)
    assert len(written.splitlines()) <= 1
    outside = re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", written)
    assert re.sub(r"\\.", "", outside) == re.sub(r"[`*_\[\]<>&|~$#\\]", "", re.sub(r"\\.", "", outside))
    if "`" not in text:
        assert written == markdown_text(text)


def test_backticks_of_prose_delimit_code_spans() -> None:
    assert markdown_prose("a_b `c_d` *e*") == r"a\_b `c_d` \*e\*"


@pytest.mark.parametrize("name", ["a", "petstore-mcp", "PETSTORE_API_KEY", "get_pet", "a" * 200])
def test_bare_names_pass(name: str) -> None:
    assert bare_name(name) == name


@pytest.mark.parametrize("name", ["", "a b", "a\n", "a`", "a$b", "a" * 201, "é", "a.b"])
def test_anything_else_is_no_bare_name(name: str) -> None:
    with pytest.raises(ValueError, match="not a bare name"):
        bare_name(name)
