# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Define what the editors of all syntaxes share: paths to values inside of parsed configuration (keys of mappings, and
indexes of lists), and exceptions.
"""

from __future__ import annotations

from typing import Any, TypeAlias


class InstallError(Exception):
    """The command failed and changed nothing. The message tells the user what is wrong, where, and what to do."""


class SyntaxFault(Exception):
    """A configuration file cannot be read or edited.

    `offset` is the position in its text. The message says what is wrong.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.offset = offset


Path: TypeAlias = tuple[str | int, ...]

ABSENT: Any = object()


def look_up(value: Any, path: Path) -> Any:
    """Return the value at a path inside of `value`, or ABSENT if there is none."""
    for step in path:
        is_item = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not is_item and not (isinstance(value, dict) and step in value):
            return ABSENT
        value = value[step]
    return value


# -- faults ------------------------------------------------------------------------------------------------------------


def place(text: str, offset: int) -> str:
    """Return the position `offset` as `LINE:COLUMN`, both counted from 1."""
    before = text[:offset]
    line = before.count("\n") + 1
    return f"{line}:{offset - (before.rfind(chr(10)) + 1) + 1}"
