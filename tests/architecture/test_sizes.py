"""Files and functions stay small: a talk at 400 lines, a stop at 600; no function over 80 lines."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_FILE, LONGEST_FUNCTION = 600, 80
TALK = 400
DISCUSSED: dict[str, str] = {
    "templates/package/runtime/core/protocol.py": "the whole of the conversation: its table, its state and its answers",
}
"""Files over TALK lines, each with the reason why it stays whole."""

BANNED = ("utils", "helpers", "common", "manager", "misc")
FILES = sorted(
    path
    for folder in ("mcpgen", "templates/package", "specs", "tests", "benchmarks", "docs")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    place, lines = path.relative_to(ROOT).as_posix(), text.count("\n")
    assert lines <= LONGEST_FILE, f"{place} has {lines} lines"
    assert lines <= TALK or place in DISCUSSED, f"{place} has {lines} lines; split it, or give the reason in DISCUSSED"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{place}:{node.lineno} {node.name} has {length} lines"


def test_every_discussed_file_is_still_long() -> None:
    for place in DISCUSSED:
        assert (ROOT / place).read_text(encoding="utf-8").count("\n") > TALK, f"{place} no longer needs its reason"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_have_names_that_say_something(path: Path) -> None:
    assert path.stem.lower() not in BANNED


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text)), f"{path.relative_to(ROOT)} has no docstring"
