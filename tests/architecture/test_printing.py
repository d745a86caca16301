"""Test that only `cli/report.py` writes to a terminal (requirement HARD-21)."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOOR = "mcpgen/cli/report.py"
NOT_FOR_PEOPLE = {"mcpgen/demo/http.py": "the address of the demo's API, for the process that started it"}
PRINTING = {"echo", "secho", "print", "echo_via_pager", "show"}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}


def printing(path: Path) -> Iterator[int]:
    """Yield the numbers of the lines of a file that write to a terminal."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in PRINTING - {"show"}:
            yield node.lineno
        if isinstance(called, ast.Attribute):
            owner = called.value
            by_click = isinstance(owner, ast.Name) and owner.id in ("click", "error") and called.attr in PRINTING
            to_stream = isinstance(owner, ast.Attribute) and owner.attr in STREAMS and called.attr.startswith("write")
            if by_click or to_stream:
                yield node.lineno


def found() -> dict[str, list[int]]:
    files = sorted((ROOT / "mcpgen").rglob("*.py"))
    lines = {path.relative_to(ROOT).as_posix(): list(printing(path)) for path in files}
    return {name: numbers for name, numbers in lines.items() if numbers}


def test_hard_21_only_the_door_prints() -> None:
    assert found().keys() == {DOOR, *NOT_FOR_PEOPLE}


def test_hard_21_the_door_prints_a_document_in_one_place() -> None:
    """Check that `cli/report.py` has four printing calls.

    Only the call in the function `_print` prints text of a document, which `terminal_text` or `json.dumps` has escaped.
    The others draw the progress line, and print click's own messages.
    """
    assert len(found()[DOOR]) == 4
