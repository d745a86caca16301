"""Test that every test file that starts a generated server also searches its output for a secret (`leaks.py`)."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
STARTS = re.compile(r'"-m", (f?"(\{\w+\}|\w+)_mcp"|PACKAGE|package)')
SEARCHES = re.compile(r"\bsearched\(|\bLeaks\(|\bServer\(|\bstarted\(project")
OTHERWISE = {
    "functional/test_large_answers.py": "what is kept and shown of the answers, which hold the key, is compared whole",
    "functional/test_station.py": "the key is a word of the README, which the answers may hold",
    "hostile/fuzz/documents/compiling.py": "the server is given no credential; it is only asked for its tools",
    "wire/test_wire.py": "all that arrives is compared to the byte, and the answers are the upstream's own",
}
"""Test files that do not search the output for a secret → the reason why another check is enough."""


def test_every_server_that_a_test_starts_is_searched() -> None:
    starting = {
        path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8")
        for path in TESTS.rglob("*.py")
        if STARTS.search(path.read_text(encoding="utf-8")) and path != Path(__file__) and "interop" not in path.parts
    }
    assert {"runtime/process.py", "runtime/test_start.py", "functional/test_credentials.py"} <= set(starting)
    assert set(OTHERWISE) <= set(starting), "this one starts nothing any more"
    lacking = [name for name, text in starting.items() if name not in OTHERWISE and not SEARCHES.search(text)]
    assert lacking == []
