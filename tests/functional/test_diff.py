"""Test `mcpgen diff` as a user runs it: its output and its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.command import mcpgen

ROOT = Path(__file__).parents[2]
PATIENCE = 120
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
SHAPE = json.loads((ROOT / "mcpgen" / "cli" / "diff" / "shape.schema.json").read_text(encoding="utf-8"))
BOOKS = """
openapi: 3.1.0
info: {title: Books, version: "1"}
servers: [{url: https://books.example}]
paths:
  /books: {get: {operationId: listBooks, summary: List books}}
  /books/{id}: {get: {operationId: getBook, summary: Get a book}}
"""


def changes(*arguments: str, folder: Path) -> list[dict[str, Any]]:
    told = mcpgen("diff", *arguments, "--format", "json", folder=folder)
    document = json.loads(told.stdout)
    jsonschema.validate(document, SHAPE)
    found: list[dict[str, Any]] = document["changes"]
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old.yaml").write_text(BOOKS, encoding="utf-8")
    (tmp_path / "new.yaml").write_text(BOOKS.replace("/books:", "/all-books:"), encoding="utf-8")
    return tmp_path


def test_a_project_does_not_differ_from_the_document_that_it_was_made_of() -> None:
    command = [sys.executable, "-m", "mcpgen", "diff", "generated/petstore", str(PETSTORE), "--fail-on", "any"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (told.returncode, told.stdout, told.stderr) == (0, "Nothing changed.\n", "")


@pytest.mark.parametrize(("grade", "code"), [("breaking", 0), ("additive", 1), ("any", 1)])
def test_what_is_graver_than_asked_for_fails_too(grade: str, code: int, folder: Path) -> None:
    (folder / "new.yaml").write_text(BOOKS + "  /readers: {get: {}}\n", encoding="utf-8")
    told = mcpgen("diff", "old.yaml", "new.yaml", "--fail-on", grade, folder=folder)
    assert told.returncode == code
    assert told.stdout.endswith("0 breaking, 1 additive, 0 cosmetic. The minor version moves.\n")


def test_one_side_is_standard_input(folder: Path) -> None:
    told = mcpgen("diff", "old.yaml", "-", given=BOOKS, folder=folder)
    assert (told.returncode, told.stdout) == (0, "Nothing changed.\n")
    assert mcpgen("diff", "-", "-", given=BOOKS, folder=folder).returncode == 2


def test_what_the_owner_of_a_project_decided_holds_for_the_document_beside_it(folder: Path) -> None:
    assert mcpgen("generate", "old.yaml", "-o", "out", folder=folder).returncode == 0
    own = "mcpgen: 1\ntools: [{name: ask, description: Asks., request: GET /ask}]\n"
    (folder / "out" / "mcpgen.yaml").write_text(own, encoding="utf-8")
    found = changes("out", "old.yaml", folder=folder)
    assert [(change["code"], change["tool"]) for change in found] == [("tool-added", "ask")]


def test_an_operation_that_moved_keeps_the_name_that_a_project_promised(folder: Path) -> None:
    assert mcpgen("generate", "old.yaml", "-o", "out", folder=folder).returncode == 0
    for old in ("out", "old.yaml"):
        found = changes(old, "new.yaml", folder=folder)
        moved = [(change["tool"], change["after"]) for change in found if change["code"] == "tool-moved"]
        assert moved == [("list_books", "GET /all-books")]
        assert {change["grade"] for change in found} == {"cosmetic"}


@pytest.mark.parametrize("broken", ["", "{", "[" * 100_000])
def test_tables_that_cannot_be_read_are_one_sentence(broken: str, folder: Path) -> None:
    assert mcpgen("generate", "old.yaml", "-o", "out", folder=folder).returncode == 0
    (folder / "out" / "books_mcp" / "tools.json").write_text(broken, encoding="utf-8")
    told = mcpgen("diff", "out", "new.yaml", folder=folder)
    assert (told.returncode, told.stdout) == (2, "")
    assert "The tools.json or bindings.json of the project in out cannot be read." in told.stderr
    (folder / "out" / "books_mcp" / "tools.json").unlink()
    assert "cannot be read" in mcpgen("diff", "new.yaml", "out", folder=folder).stderr


def test_an_operation_that_is_no_tool_any_more_is_gone_and_said(folder: Path) -> None:
    path = "/books/{id}: {get: {operationId: getBook"
    refused = BOOKS.replace(path, path.replace("{id}", "{id}/../{id}"))
    (folder / "new.yaml").write_text(refused, encoding="utf-8")
    told = mcpgen("diff", "old.yaml", "new.yaml", folder=folder)
    assert "The tool get_book was removed." in told.stdout
    assert "1 operation of new.yaml could not be compiled" in told.stderr


def test_text_of_a_document_cannot_begin_a_line_or_move_the_cursor(folder: Path) -> None:
    evil = BOOKS.replace("title: Books", 'title: "Books\\n\\e[31m### x <b>|`"')
    (folder / "new.yaml").write_text(evil, encoding="utf-8")
    told = mcpgen("diff", "old.yaml", "new.yaml", "--name", "books", folder=folder)
    assert told.returncode == 0
    assert "\x1b" not in told.stdout
    assert not [line for line in told.stdout.splitlines() if line.startswith("#")]
    marked = mcpgen("diff", "old.yaml", "new.yaml", "--name", "books", "--format", "markdown", folder=folder).stdout
    assert "<b>" not in marked
    assert "\x1b" not in marked
