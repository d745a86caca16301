"""How text is laid out: to the width of a terminal, whole where it is read by a program."""

import shutil
import sys
from collections.abc import Sequence

NARROWEST = 12


def width() -> int | None:
    """The columns of the terminal that stdout is; None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = (), yielding: Sequence[int] = ()) -> list[str]:
    """Lines with the cells under each other. Where they would be wider than the terminal, the columns `yielding` give
    way in this order, each down to NARROWEST: of a text in them the middle is left out, which keeps both ends.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    over = sum(widths) + 2 * (len(widths) - 1) - (width() or sys.maxsize)
    for column in yielding:
        less = min(max(over, 0), max(widths[column] - NARROWEST, 0))
        widths[column] -= less
        over -= less
    return [
        "  ".join(_cell(*cell, index in right) for index, cell in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]


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
