# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Exceptions of the commands `install` and `uninstall`."""

from __future__ import annotations


class InstallError(Exception):
    """The command failed and changed nothing. The message tells the user what is wrong, where, and what to do."""


class SyntaxFault(Exception):
    """A configuration file cannot be read or edited.

    `offset` is the position in its text. The message says what is wrong.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.offset = offset


def place(text: str, offset: int) -> str:
    """Return the position `offset` as `LINE:COLUMN`, both counted from 1."""
    before = text[:offset]
    line = before.count("\n") + 1
    return f"{line}:{offset - (before.rfind(chr(10)) + 1) + 1}"
