"""One guard of the runtime that can be taken out."""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """A guard, where it stands, what stands in its place, and the tests that hold it."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
