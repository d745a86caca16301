"""Test that the tables of rooms in ARCHITECTURE.md name modules, folders and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.imports import ROOT
from tests.architecture.picture import PAGE

HOUSES = {
    "## The compiler": ROOT / "mcpgen",
    "## The runtime": ROOT / "templates" / "package" / "runtime",
}
"""Heading of the page → the folder whose rooms its tables describe."""

#: Words in code style that name a function, a type, a flag, a format or a file of a generated project.
WORDS = re.compile(
    r"[A-Z][A-Za-z]+|--[a-z -]+|.*\.(mcpb|json)|mcpgen demo|inspect --html|__init__|main|_serve|pause|send|hooks\.py"
)


def unknown(section: str, house: Path) -> list[str]:
    """Return the names in the tables of a section that nothing has: no module, folder or file in the row's rooms."""
    found = []
    for row in re.findall(r"^\|(?! floor| wing|---)(.+)\|$", section, re.MULTILINE):
        rooms = [house / room for room in re.findall(r"`([a-z_.]+/?)`", row.rpartition(" | ")[0])]
        known = {name for room in rooms for path in (room, *room.rglob("*")) for name in (path.name, path.stem)}
        names = [name for name in re.findall(r"`([^`]+)`", row) if not WORDS.fullmatch(name)]
        found += [name for name in names if name.strip("/").rpartition("/")[2] not in known]
    return found


@pytest.mark.parametrize("heading", HOUSES)
def test_what_the_page_names_exists(heading: str) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(heading)[2].partition("\n## ")[0]
    assert not unknown(section, HOUSES[heading])


def test_a_name_that_nothing_has_is_found() -> None:
    assert unknown("| 0 | `text/` | `sanitize`, `sanitise` |", HOUSES["## The runtime"]) == ["sanitise"]
