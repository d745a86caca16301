"""One guard that can be taken out, of the runtime or of the compiler."""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """A guard, where it stands, what stands in its place, and the tests that hold it.

    `file`: the name of a module of the runtime, or the path of a module of the compiler.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def cases(*folders: str) -> tuple[str, ...]:
    """Return the cases of tests/cases that notice, by area and name."""
    return tuple(f"tests/cases/test_cases.py::test_case[{folder}]" for folder in folders)
