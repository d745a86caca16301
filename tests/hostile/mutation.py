"""Describe one guard of the runtime or the compiler that can be removed, to see which tests notice."""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """A guard, the text that replaces it, and the tests that must then fail.

    `file`: the name of a module of the runtime, or the path of a module of the compiler.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def cases(*folders: str) -> tuple[str, ...]:
    """Return the pytest ids of these cases in tests/cases, given as AREA/NAME."""
    return tuple(f"tests/cases/test_cases.py::test_case[{folder}]" for folder in folders)
