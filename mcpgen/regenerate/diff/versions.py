"""Compute the next version number of a server from the gravest grade of its changes (Semantic Versioning 2.0.0)."""

import re
from typing import Literal

Part = Literal["major", "minor", "patch"]

_PARTS: tuple[Part, ...] = ("major", "minor", "patch")
_RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,2}(?!\d)")


def part_below_one(part: Part) -> Part:
    """Return the part that moves in place of `part` while the major version is 0.

    Item 4 allows any change there. Package managers take `^0.2` as 0.2.x alone, so a breaking change moves the minor
    number, and every other change the patch number.
    """
    return "minor" if part == "major" else "patch"


def next_version(version: str, part: str) -> str:
    """Return `version` with its major, minor or patch number incremented (items 6 to 8)."""
    numbers, place = release(version), _PARTS.index(part)
    return ".".join(map(str, [*numbers[:place], numbers[place] + 1, *[0] * (2 - place)]))


def release(version: str) -> tuple[int, ...]:
    """Return the three numbers of a version, with 0 for missing numbers."""
    found = _RELEASE.match(version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    return (*numbers, 0, 0, 0)[:3]
