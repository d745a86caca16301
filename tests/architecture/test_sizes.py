"""Test limits on lines: 800 for Python files, 120 for functions, 200 for ARCHITECTURE.md and 170 for README.md.

A file has one idea, and a function too. Lower limits split ideas, and a reader had to put them together again.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_FILE, LONGEST_FUNCTION = 800, 120
BANNED = ("utils", "helpers", "common", "manager", "misc")
FILES = sorted(
    path
    for folder in ("mcpgen", "templates", "specs", "tests", "benchmarks", "docs")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)


@cache
def silent_or_oversized() -> tuple[list[str], list[str]]:
    """Return files without a docstring, and a sentence for each file or function that is too long."""
    silent: list[str] = []
    large: list[str] = []
    for path in FILES:
        place, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        large += oversized(place, text, tree)
        silent += [place] if text.strip() and not ast.get_docstring(tree) else []
    return silent, large


def oversized(place: str, text: str, tree: ast.Module) -> Iterator[str]:
    """Yield a sentence for the file, and one for each of its functions, that has too many lines."""
    lines = text.count("\n")
    if lines > LONGEST_FILE:
        yield f"{place} has {lines} lines"
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{place}:{node.lineno} {node.name} has {length} lines"


def test_files_and_functions_stay_small() -> None:
    assert silent_or_oversized()[1] == []


@pytest.mark.parametrize(("page", "most"), [("README.md", 170), ("ARCHITECTURE.md", 200)])
def test_first_pages_stay_short(page: str, most: int) -> None:
    """Test that the pages that readers open first have few lines. What is longer goes to `docs/`."""
    assert (ROOT / page).read_text(encoding="utf-8").count("\n") <= most


@pytest.mark.parametrize(
    ("place", "text", "found"),
    [
        ("a.py", "\n" * (LONGEST_FILE + 1), "a.py has 801 lines"),
        ("a.py", "class A:\n    async def f():\n" + "        0\n" * 120, "a.py:2 f has 121 lines"),
    ],
    ids=["too long", "long function"],
)
def test_what_is_too_long_is_noticed(place: str, text: str, found: str) -> None:
    assert list(oversized(place, text, ast.parse(text))) == [found]


def test_modules_have_names_that_say_something() -> None:
    assert [str(path.relative_to(ROOT)) for path in FILES if path.stem.lower() in BANNED] == []


def test_every_module_says_what_it_is() -> None:
    assert silent_or_oversized()[0] == [], "each has no docstring"
