"""Test tables that commands print, at the width of a terminal, and without a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.cli.inspect import layout

ROWS = [
    ("name", "path", "n"),
    ("a_rather_long_name_of_a_tool", "/a/path/that/is/long/too/{id}", "17"),
    ("b", "/b", "1"),
]


def at(monkeypatch: pytest.MonkeyPatch, width: int | None) -> None:
    monkeypatch.setattr(layout, "width", lambda: width)


def test_without_a_terminal_everything_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, None)
    assert layout.columns(ROWS, right=[2], yielding=[0, 1]) == [
        "name                          path                            n",
        "a_rather_long_name_of_a_tool  /a/path/that/is/long/too/{id}  17",
        "b                             /b                              1",
    ]
    assert layout.running(ROWS)[1] == "a_rather_long_name_of_a_tool  /a/path/that/is/long/too/{id}  17"


def test_the_widest_column_gives_way_first_and_keeps_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, 44)
    assert layout.columns(ROWS, right=[2], yielding=[0, 1]) == [
        "name                 path                  n",
        "a_rather_…of_a_tool  /a/path/t…/too/{id}  17",
        "b                    /b                    1",
    ]


@given(
    st.lists(st.tuples(st.text("ab", max_size=60), st.text("cd", max_size=60), st.text("12", max_size=6)), min_size=1),
    st.integers(36, 200),
)
def test_lines_fit_and_columns_stay_under_each_other(rows: list[tuple[str, ...]], width: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        at(patched, width)
        lines = layout.columns(rows, right=[2], yielding=[0, 1])
    assert len(lines) == len(rows)
    assert max(map(len, lines)) <= width
    assert len({len(line) for line, row in zip(lines, rows, strict=True) if row[2]}) <= 1


@given(st.lists(st.tuples(st.text("ab", max_size=20), st.text("x y", max_size=300)), min_size=1), st.integers(30, 120))
def test_running_text_goes_on_below_itself_and_is_whole(rows: list[tuple[str, ...]], width: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        at(patched, width)
        lines = layout.running(rows)
    assert max(map(len, lines)) <= width
    shown = "".join("".join(lines).split())
    assert [each for each in shown if each in "xy"] == [each for _, text in rows for each in text if each in "xy"]


@pytest.mark.parametrize(("share", "drawn"), [(1, "████"), (0.5, "██"), (0.0, ""), (1 / 32, "▏"), (0.97, "███▉")])
def test_bars(share: float, drawn: str) -> None:
    assert layout.bar(share, 4) == drawn


@pytest.mark.parametrize(("text", "shown"), [("abcdef", "abcdef"), ("abcdefg", "abc…fg"), ("", "")])
def test_what_is_elided_keeps_its_beginning_and_its_end(text: str, shown: str) -> None:
    assert layout.elided(text, 6) == shown
