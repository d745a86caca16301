# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse the flags of a command, and print its lines and tables.

A wrong flag is reported in one sentence. If the help cannot be printed, the command exits with code 1, without a
traceback.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from ..core.stdio import complain

if TYPE_CHECKING:
    from typing import NoReturn

COMMANDS = {"call": "shell", "completion": "shell", "install": "install", "uninstall": "install"}
COMMANDS |= dict.fromkeys(("login", "logout", "whoami"), "login")
"""Name of each command, and the part of the server that has it."""


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


USAGE = 2
"""Exit code for wrong flags."""


class FlagParser(argparse.ArgumentParser):
    """Parser of the flags of one command. `parse_args` raises SystemExit after a fault or after help."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the flags, and raise SystemExit."""
        complain(f"{self.prog}: {message}; --help says what there is.")
        raise SystemExit(USAGE)

    def print_help(self, file: object = None) -> None:
        """Print the help, and raise SystemExit, with code 1 if it cannot be printed.

        If the help cannot be printed, argparse's own method shows a traceback in Python 3.11.2, and hides the error in
        later versions.
        """
        raise SystemExit(show(self.format_help().splitlines()))
