"""How text is laid out: to the width of a terminal, whole where it is read by a program."""

import shutil
import sys
import textwrap
from collections.abc import Sequence

NARROWEST = 10
READABLE = 28
"""Columns below which running text is put on lines of its own."""

GAP = 2


def width() -> int | None:
    """The columns of the terminal that stdout is; None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = (), yielding: Sequence[int] = ()) -> list[str]:
    """Lines with the cells under each other. Where they would be wider than the terminal the columns `yielding` give
    way, the widest of them first, down to NARROWEST: of a text in them the middle is left out, which keeps both ends.
    """
    widths = _fitted(_widths(rows), width() or sys.maxsize, yielding)
    return [
        (" " * GAP)
        .join(_cell(text, size, at in right) for at, (text, size) in enumerate(zip(row, widths, strict=True)))
        .rstrip()
        for row in rows
    ]


def running(rows: Sequence[Sequence[str]], yielding: Sequence[int] = ()) -> list[str]:
    """The same with running text in the last column: it goes on below itself where the terminal ends."""
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
    """At most `size` characters of `text`: its beginning and its end."""
    if len(text) <= size:
        return text
    head = size // 2
    return f"{text[:head]}…{text[len(text) - (size - head - 1) :]}"


def bar(share: float, size: int) -> str:
    """A share of one as a bar, in eighths of a character."""
    eighths = round(share * size * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
