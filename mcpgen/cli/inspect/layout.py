"""Lay out text: fitted to the width of a terminal, or unshortened for programs."""

import shutil
import sys
import textwrap
from collections.abc import Sequence

NARROWEST = 10
READABLE = 28
"""Least number of columns for running text. If fewer columns are left, the text gets lines of its own."""

GAP = 2


def width() -> int | None:
    """Return the number of columns of the terminal on stdout, or None if stdout is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = (), yielding: Sequence[int] = ()) -> list[str]:
    """Return lines with aligned cells.

    If lines are wider than the terminal, the columns with the indices `yielding` shrink, the widest first, down to
    NARROWEST. Shortened text loses its middle and keeps both ends.
    """
    widths = _fitted(_widths(rows), width() or sys.maxsize, yielding)
    return [
        (" " * GAP)
        .join(_cell(text, size, at in right) for at, (text, size) in enumerate(zip(row, widths, strict=True)))
        .rstrip()
        for row in rows
    ]


def running(rows: Sequence[Sequence[str]], yielding: Sequence[int] = ()) -> list[str]:
    """Return aligned lines with running text in the last column, which wraps inside its column."""
    size = width()
    if size is None:
        return columns(rows)
    fixed = _fitted(_widths([row[:-1] for row in rows]), size, yielding)
    start = sum(fixed) + GAP * len(fixed)
    below = size - start < READABLE
    indent = 2 * GAP if below else start
    lines = []
    for *cells, text in rows:
        head = "".join(_cell(*cell, right=False) + " " * GAP for cell in zip(cells, fixed, strict=True))
        first, *rest = (
            ["", *textwrap.wrap(text, size - indent)] if below else textwrap.wrap(text, size - indent) or [""]
        )
        lines += [(head + first).rstrip(), *(" " * indent + line for line in rest)]
    return lines


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _fitted(widths: list[int], room: int, yielding: Sequence[int]) -> list[int]:
    widths = list(widths)
    over = sum(widths) + GAP * (len(widths) - 1) - room
    while over > 0 and (left := [column for column in yielding if widths[column] > NARROWEST]):
        widths[max(left, key=lambda column: widths[column])] -= 1
        over -= 1
    return widths


def _cell(text: str, size: int, right: bool) -> str:
    text = elided(text, size)
    return text.rjust(size) if right else text.ljust(size)


def elided(text: str, size: int) -> str:
    """Return at most `size` characters of `text`: if it is longer, its beginning and its end with `…` between."""
    if len(text) <= size:
        return text
    head = size // 2
    return f"{text[:head]}…{text[len(text) - (size - head - 1) :]}"


def bar(share: float, size: int) -> str:
    """Return a bar of at most `size` characters for a share between 0 and 1, drawn in eighths of a character."""
    eighths = round(share * size * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
