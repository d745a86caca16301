# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Print lines and tables for the flags of a generated server."""

from __future__ import annotations

import os
import sys

from ..core.stdio import complain


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Return one line of text per row, with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def show(lines: list[str]) -> int:
    """Print the lines in the terminal's encoding. Return the exit code: 1 if printing fails, else 0.

    A closed pipe counts as success.
    """
    text = "".join(f"{line}\n" for line in lines)
    if sys.stdout is None:  # None if stdout was closed when the process started
        return _unwritten()
    try:
        sys.stdout.buffer.write(text.encode(sys.stdout.encoding, "backslashreplace"))
        sys.stdout.flush()
    except OSError as problem:
        # Replace stdout by /dev/null: otherwise Python would flush it again at exit, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0 if isinstance(problem, BrokenPipeError) else _unwritten()
    return 0


def _unwritten() -> int:
    complain("What was asked for could not be written: stdout is closed, or takes no more.")
    return 1
