"""Test that each setting is stated in one place: its row in the settings table. Other files use its value, or name it
in a message.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from package.runtime.settings.settings import parser
from package.runtime.settings.settings_table import SETTINGS

ROOT = Path(__file__).parents[2]
FOLDERS = ("mcpgen", "templates/package", "docs/reference_from_code")
TABLE = "templates/package/runtime/settings/settings_table.py"
READERS = ("_values", "listening", "_listening", "self", "settings", "_settings", "values")
"""Names of the objects that give the value of a setting: `settings["TIMEOUT"]`."""

FURTHER_PLACES = 56
"""Places of all settings beside their rows. This number may only fall."""
MOST = 8
"""Places of one setting, at most."""


def stated(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in a module that are the whole name of a variable, such as "TIMEOUT" or f"{prefix}_TIMEOUT".

    The index of `settings["TIMEOUT"]` is left out, because it uses the value. Sentences for the operator are no names.
    """
    indexes = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(name)) if id(node) not in indexes:
                yield name
            case ast.JoinedStr(values=[ast.FormattedValue(), ast.Constant(value=str(name))]):
                yield name.removeprefix("_")


def places() -> dict[str, list[str]]:
    """Return the files in which the name of each setting stands, a file twice if it stands there twice."""
    found: dict[str, list[str]] = {row.name: [] for row in SETTINGS}
    for path in (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))):
        for name in stated(ast.parse(path.read_text(encoding="utf-8"))):
            if (row := name.removesuffix("_FILE") if name not in found else name) in found:
                found[row].append(path.relative_to(ROOT).as_posix())
    return found


def used() -> Iterator[tuple[str, str]]:
    """Yield the file and the name of each setting that the runtime takes from settings by a subscript."""
    for path in sorted((ROOT / "templates" / "package").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                reader, name = ast.unparse(node.value).rpartition(".")[2], node.slice.value
                if reader in READERS and isinstance(name, str) and name.isupper():
                    yield path.name, name


def test_a_setting_is_stated_in_its_row() -> None:
    found = places()
    told = "\n".join(f"{name}: {', '.join(paths)}" for name, paths in found.items())
    assert all(TABLE in paths for paths in found.values())
    assert sum(map(len, found.values())) - len(SETTINGS) <= FURTHER_PLACES, told
    assert max(map(len, found.values())) <= MOST, told


def test_every_value_that_is_used_has_a_row_and_every_row_is_read() -> None:
    names, reads = {row.name for row in SETTINGS}, set(used())
    assert len(names) == len(SETTINGS)
    assert {(path, name) for path, name in reads if name not in names} == set(), "no row has this name"
    unread = names - {name for _, name in reads}
    assert {name for name in unread if not name.startswith("OTEL_")} == set(), "nothing uses the value of this row"


def test_every_row_has_a_parser_that_is_there_and_names_no_value() -> None:
    for row in SETTINGS:
        assert callable(parser(row)), row.name
        assert "`_" not in row.describe("P")
        assert "{default}" not in row.describe("P")
