"""Test the next version number of a server, and mcpgen's release notes since an older version of mcpgen.

The server's last version and mcpgen's older version are read from a lock file, so each may be any text.
"""

from __future__ import annotations

import pytest

from mcpgen.regenerate import changelog
from mcpgen.regenerate.diff import Change, Difference, Grade, next_version


@pytest.mark.parametrize(
    ("version", "part", "following"),
    [
        ("0.1.0", "major", "1.0.0"), ("0.1.0", "minor", "0.2.0"), ("0.1.9", "patch", "0.1.10"),
        ("2", "minor", "2.1.0"), ("1.2.3.4", "patch", "1.2.4"), ("1.0.0rc1", "patch", "1.0.1"),
        ("2027.1", "major", "2028.0.0"), ("", "patch", "0.0.1"), ("x", "minor", "0.1.0"),
        ("9" * 5000, "patch", "0.0.1"),
    ],
)  # fmt: skip
def test_the_part_that_moves(version: str, part: str, following: str) -> None:
    assert next_version(version, part) == following


@pytest.mark.parametrize(
    ("since", "breaking", "additive", "cosmetic"),
    [
        ("", "major", "minor", "patch"), ("1.0.0", "major", "minor", "patch"), ("2027.1", "major", "minor", "patch"),
        ("0.1.0", "minor", "patch", "patch"), ("0.0.3", "minor", "patch", "patch"), ("x", "minor", "patch", "patch"),
    ],
)  # fmt: skip
def test_below_one_a_breaking_change_moves_the_minor_number(
    since: str, breaking: str, additive: str, cosmetic: str
) -> None:
    grades: dict[Grade, str] = {"breaking": breaking, "additive": additive, "cosmetic": cosmetic}
    for grade, part in grades.items():
        assert Difference((Change(grade, "", "", ""),), since).version == part
    assert Difference((), since).version == "none"


@pytest.mark.parametrize("version", ["", "x", "9" * 5000, "1." * 3000, "-1", "1.2.3.dev4"])
def test_any_version_of_a_compiler_can_be_compared(version: str) -> None:
    assert changelog.is_newer("99999.0", than=version) in (True, False)
    assert isinstance(changelog.release_notes(version, "0.1.0"), list)
