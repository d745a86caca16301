# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse the flags of a command with argparse, but report a fault in one sentence.

If the help cannot be printed, exit with code 1, without a traceback.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..core.stdio import complain
from .printing import show

if TYPE_CHECKING:
    from typing import NoReturn

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
