"""Describe a mutation: one safety check (a guard) of the runtime or the compiler that is removed to see which tests
fail.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """The code of a safety check, the text that replaces this code, and the tests that must then fail.

    `file`: the file name of a module of the runtime, or the path of a module of the compiler.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def cases(*folders: str) -> tuple[str, ...]:
    """Return the pytest ids of the mutation's cases in tests/cases. The mutation gives them as AREA/NAME."""
    return tuple(f"tests/cases/test_cases.py::test_case[{folder}]" for folder in folders)
