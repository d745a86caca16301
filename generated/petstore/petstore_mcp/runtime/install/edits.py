# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Edit a configuration file in its own syntax.

An edit sets the value at a path, or removes it. After each edit the text is parsed again: it must hold the same values
as before, except for the edited one. No library restores each byte of a file (docs/decisions/writing.md).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from . import jsonc_edit, toml_edit, yaml_edit
from .paths import ABSENT, Path, SyntaxFault, look_up

SyntaxName: TypeAlias = Literal["JSON", "TOML", "YAML"]


class Syntax(Protocol):
    """Interface of a module that edits one syntax.

    Each function raises SyntaxFault if the text cannot be read or edited.
    """

    def parse(self, text: str) -> Any:
        """Return the data in `text`, the contents of a configuration file; {} if `text` is empty."""

    def put(self, text: str, path: Path, value: Any) -> str:
        """Return the text with `value` set at `path`."""

    def remove(self, text: str, path: Path) -> str:
        """Return the text without the value at `path`."""


SYNTAXES: dict[SyntaxName, Syntax] = {"JSON": jsonc_edit, "TOML": toml_edit, "YAML": yaml_edit}


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: the value to set at a path, or ABSENT to remove what is there."""

    path: Path
    value: Any


def apply(text: str, syntax: SyntaxName, edits: list[Edit]) -> str:
    """Return the text after all edits. Raise SyntaxFault if the text cannot be edited safely."""
    module = SYNTAXES[syntax]
    for edit in edits:
        before = module.parse(text)
        text = module.remove(text, edit.path) if edit.value is ABSENT else module.put(text, edit.path, edit.value)
        expected = _edited(before, edit)
        found = module.parse(text)
        if found != expected and (edit.value is not ABSENT or found != _without_empty(expected, edit.path)):
            raise SyntaxFault("this file is written in a way that cannot be edited safely", 0)
    return text


def _edited(value: Any, edit: Edit) -> Any:
    """Return a copy of a parsed value with an edit made."""
    whole = copy.deepcopy(value)
    here = whole
    for step in edit.path[:-1]:
        if isinstance(here, dict):
            if here.get(step) is None:
                here[step] = [] if isinstance(edit.path[-1], int) else {}
            here = here[step]
        else:
            here = here[step]
    last: Any = edit.path[-1]
    if edit.value is ABSENT:
        del here[last]
    elif isinstance(here, list) and last == len(here):
        here.append(edit.value)
    elif isinstance(here, (dict, list)):
        here[last] = edit.value
    return whole


def _without_empty(value: Any, path: Path) -> Any:
    """Return `value` without the empty mappings that lead to `path`, such as `a` and `a.b` for the path `a.b.c`.

    In TOML, removing the last key of a table can also remove the table, so `apply` accepts both results.
    """
    for length in range(len(path) - 1, 0, -1):
        if look_up(value, path[:length]) == {}:
            value = _edited(value, Edit(path[:length], ABSENT))
    return value
