"""Test that the tests here name each numbered requirement of Streamable HTTP, and that the list of numbers
is complete.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "shared" / "reference" / "http.md"
COUNTS = {"E": 7, "P": 7, "R": 5, "M": 17, "L": 16, "X": 7}
IDS = [f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
ELSEWHERE = {
    "X3": "roles of callers come with authorization",
}
"""Requirements that no test here covers → where they are covered."""


def test_each_requirement_is_named() -> None:
    paths = [path for path in sorted(HERE.glob("test_*.py")) if path != Path(__file__)]
    written = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    named = set(re.findall(r"\b[EPRMLX]\d{1,2}\b", written))
    assert sorted(set(IDS) - named - set(ELSEWHERE)) == []
    assert sorted(named & set(ELSEWHERE)) == []
    assert sorted(named - set(IDS)) == []


@pytest.mark.skipif(not SOURCE.exists(), reason="the specification is not beside the repository")
def test_the_list_is_that_of_the_source() -> None:
    text = SOURCE.read_text(encoding="utf-8")
    found = set(re.findall(r"\*\*([EPRML]\d{1,2})\*\*", text))
    found |= {each for pair in re.findall(r"\*\*([EPRML]\d{1,2}), ([EPRML]\d{1,2})\*\*", text) for each in pair}
    listed = text.partition("\n## X. ")[2].partition("\n## ")[0]
    found |= {f"X{number}" for number in re.findall(r"^(\d+)\. ", listed, re.MULTILINE)}
    assert found == set(IDS)
