"""Test that the pages of decisions and the code that they explain name each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "decisions"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in DECISIONS.glob("*.md") if path.stem != "index"}
FOLDERS = ("mcpgen", "templates", "specs", "benchmarks")
NAMED = re.compile(r"docs/decisions/([\w.-]+)\.md")
HIDDEN = "---\norphan: true\n---\n\n# "
"""Beginning of a page that is not in the sidebar, which leads to the pages of users."""


def sections(page: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the heading, the text and the files of each section of a page."""
    for section in PAGES[page].split("\n## ")[1:]:
        heading, _, rest = section.partition("\n")
        text, _, code = rest.strip().rpartition("\n\n")
        yield heading, text, re.findall(r"`([^`]+)`", code.removeprefix("Code: ")) if code.startswith("Code: ") else []


def explained() -> set[tuple[str, str]]:
    """Return each file that a section of a page explains, with the page."""
    return {(file, page) for page in PAGES for _, _, files in sections(page) for file in files}


def named() -> set[tuple[str, str]]:
    """Return each file of the code that names a page, with the page."""
    return {
        (path.relative_to(ROOT).as_posix(), page)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".png", ".webp")
        for page in NAMED.findall(path.read_bytes().decode("utf-8", "replace"))
    }


def test_every_page_is_hidden_and_its_sections_have_a_text_and_code() -> None:
    for page, text in PAGES.items():
        assert text.startswith(HIDDEN), page
        assert text.partition("\n## ")[0].partition("\n\n# ")[2].partition("\n\n")[2].strip(), (
            f"{page} has no introduction"
        )
        for heading, said, files in sections(page):
            assert said, f"{page}, {heading}: the section has no text"
            assert files, f"{page}, {heading}: the section does not end with `Code:` and its files"
    headings = [heading for page in PAGES for heading, _, _ in sections(page)]
    assert len(headings) == len(set(headings)) >= len(PAGES)


def test_the_index_lists_every_page_once_by_its_title() -> None:
    index = (DECISIONS / "index.md").read_text(encoding="utf-8")
    titles = [(text.removeprefix(HIDDEN).partition("\n")[0], f"{page}.md") for page, text in PAGES.items()]
    assert sorted(re.findall(r"^\| \[([^\n]+)\]\(([^)]+)\) \|", index, re.MULTILINE)) == sorted(titles)


def test_every_file_of_a_section_exists_and_names_its_page() -> None:
    assert [file for file, _ in sorted(explained()) if not (ROOT / file).is_file()] == []
    assert sorted(explained() - named()) == [], "give the reason in a comment that ends with the page"


def test_every_page_that_code_names_exists_and_has_a_section_about_the_file() -> None:
    assert {page for _, page in named()} == set(PAGES)
    assert sorted(named() - explained()) == [], "name the file at the end of the section"
