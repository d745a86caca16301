"""Test limits on lines: 400 for Python files (600 with a reason), 80 for functions, and 200 for ARCHITECTURE.md."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_FILE, LONGEST_FUNCTION = 600, 80
TALK = 400
DISCUSSED: dict[str, str] = {
    "templates/package/runtime/calls/execution.py": "one call, from arguments to result, in one sequence",
    "templates/package/runtime/core/catalog.py": "the tables of a server: how they are read, checked and listed",
    "templates/package/runtime/core/table.py": "the types of all tables, which one schema is compared with",
    "templates/package/runtime/core/protocol.py": "the whole of the conversation: its table, its state and its answers",
}
"""Files with more than TALK lines → the reason why they are not split."""

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
    elif lines > TALK and place not in DISCUSSED:
        yield f"{place} has {lines} lines; split it, or give the reason in DISCUSSED"
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
        ("a.py", "\n" * (TALK + 1), "a.py has 401 lines; split it, or give the reason in DISCUSSED"),
        (next(iter(DISCUSSED)), "\n" * (LONGEST_FILE + 1), f"{next(iter(DISCUSSED))} has 601 lines"),
        ("a.py", "class A:\n    async def f():\n" + "        0\n" * 80, "a.py:2 f has 81 lines"),
    ],
    ids=["long", "too long", "long function"],
)
def test_what_is_too_long_is_noticed(place: str, text: str, found: str) -> None:
    assert list(oversized(place, text, ast.parse(text))) == [found]


def test_every_discussed_file_is_still_long() -> None:
    for place in DISCUSSED:
        assert (ROOT / place).read_text(encoding="utf-8").count("\n") > TALK, f"{place} no longer needs its reason"


def test_modules_have_names_that_say_something() -> None:
    assert [str(path.relative_to(ROOT)) for path in FILES if path.stem.lower() in BANNED] == []


def test_every_module_says_what_it_is() -> None:
    assert silent_or_oversized()[0] == [], "each has no docstring"
