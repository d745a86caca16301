"""Test that decision records are numbered without gaps, have the same form, and are linked from the code or text that
they explain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
FOLDERS = ("mcpgen", "templates", "specs", "benchmarks", "tests", "docs")
PARTS = ("Area: ", "**Context.** ", "**Decision.** ", "**Why.** ", "Code: `")
LINK = re.compile(r"Decision (\d{4})\b(?:: ([^\n]*?)\.(?: -->)?$)?", re.MULTILINE)
LONGEST = 25
"""Limit on the number of lines of a decision record."""


def title(path: Path) -> str:
    """Return the heading of a decision record without the record's number."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix(f"# {path.name[:4]}. ")


def links() -> Iterator[tuple[str, int, str]]:
    """Yield the place, number and title of each link to a decision record. The title may be empty."""
    left_out = {*RECORDS, Path(__file__)}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".md", ".js") and path not in left_out and "_build" not in path.parts:
                for number, told in LINK.findall(path.read_text(encoding="utf-8")):
                    yield path.relative_to(ROOT).as_posix(), int(number), told


def test_numbers_have_no_gap() -> None:
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))
    assert all(re.fullmatch(r"\d{4}(-[a-z0-9]+)+\.md", path.name) for path in RECORDS)


def test_every_record_has_its_parts_and_is_short() -> None:
    for path in RECORDS:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# "), path.name
        assert [part for part in PARTS if not any(line.startswith(part) for line in lines)] == [], path.name
        assert len(lines) <= LONGEST, f"{path.name} has {len(lines)} lines"


def test_the_index_lists_every_record_once() -> None:
    index = (ROOT / "docs" / "decisions" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[([^\n]+)\]\(([^)]+)\)$", index, re.MULTILINE)
    assert sorted(listed) == [(f"{path.name[:4]}. {title(path)}", path.name) for path in RECORDS]


def test_every_record_is_linked_from_the_file_that_it_names() -> None:
    linked = {(place, number) for place, number, _ in links()}
    for path in RECORDS:
        [named] = re.findall(r"^Code: `([^`]+)`$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert (named, int(path.name[:4])) in linked, f"{named} does not say `Decision {path.name[:4]}`"


def test_every_link_leads_to_a_record_and_tells_its_title() -> None:
    titles = {int(path.name[:4]): title(path) for path in RECORDS}
    for place, number, told in links():
        assert number in titles, f"{place} names decision {number:04}, which is not there"
        assert told in ("", titles[number]), f"{place} calls decision {number:04} otherwise than its record"
