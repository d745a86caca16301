# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What the flags of a generated server print: lines, and rows under each other."""

from __future__ import annotations

import os
import sys

from ..core.stdio import complain


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Lines with the columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def show(lines: list[str]) -> int:
    """Print, whatever the terminal's encoding and whether or not anybody reads to the end. The exit code: 1 where that
    cannot be done."""
    text = "".join(f"{line}\n" for line in lines)
    if sys.stdout is None:  # closed from the beginning
        return _unwritten()
    try:
        sys.stdout.buffer.write(text.encode(sys.stdout.encoding, "backslashreplace"))
        sys.stdout.flush()
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # which takes what Python would write again at its end
        return 0 if isinstance(problem, BrokenPipeError) else _unwritten()
    return 0


def _unwritten() -> int:
    complain("What was asked for could not be written: stdout is closed, or takes no more.")
    return 1
