"""Test `mcpgen grade` as a user runs it: its formats, and its exit code."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mcpgen.grade.grade import LETTERS, letter_of
from mcpgen.grade.rules import RULES
from tests.command import mcpgen

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
SHAPE = json.loads((ROOT / "mcpgen" / "grade" / "shape.schema.json").read_text(encoding="utf-8"))
HOSTILE = 'Fish & "chips" <3'

POOR: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": HOSTILE, "version": "1"},
    "servers": [{"url": "https://poor.example"}],
    "paths": {"/a/{id}": {"post": {"operationId": "doIt", "responses": {"200": {"description": "ok"}}}}},
}


def documented(*arguments: str, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(mcpgen("grade", *arguments, "--format", "json", folder=folder).stdout)
    jsonschema.validate(found, SHAPE)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "poor.json").write_text(json.dumps(POOR), encoding="utf-8")
    return tmp_path


def test_the_json_has_the_published_shape_and_adds_up(folder: Path) -> None:
    found = documented(str(PETSTORE), folder=folder)
    weights = {rule["name"]: rule["weight"] for rule in found["rules"]}
    assert weights == {rule.name: rule.weight for rule in RULES}
    for tool in found["tools"]:
        lost = sum(fault["points"] for fault in tool["faults"])
        assert tool["score"] == pytest.approx(max(0, 100 - lost), abs=0.5)
        assert all(0 < fault["points"] <= weights[fault["rule"]] for fault in tool["faults"])
    mean = sum(tool["score"] for tool in found["tools"]) / len(found["tools"])
    assert found["score"] == pytest.approx(mean, abs=0.1)
    gains = [change["gain"] for change in found["changes"]]
    assert gains == sorted(gains, reverse=True)


def test_a_letter_is_decided_by_the_score_that_is_shown() -> None:
    assert [letter_of(score) for score in (100.0, 89.5, 89.4, 59.4, 0.0)] == ["A", "A", "B", "F", "F"]
    assert list(LETTERS.values()) == sorted(LETTERS.values(), reverse=True)


def test_the_text_names_the_letter_the_changes_and_the_worst_tools(folder: Path) -> None:
    told = mcpgen("grade", "poor.json", folder=folder).stdout
    found = documented("poor.json", folder=folder)
    assert told.startswith(f"{HOSTILE}: {found['letter']} ({found['score']:.0f} of 100 points, 1 tool)\n")
    assert "Write a summary that says what the operation does and when to use it. [no-purpose]" in told
    assert f"Badge: {found['badge']}" in told


def test_a_letter_below_the_limit_fails(folder: Path) -> None:
    assert documented("poor.json", folder=folder)["letter"] in ("D", "F")
    assert mcpgen("grade", "poor.json", "--fail-under", "C", folder=folder).returncode == 1
    assert mcpgen("grade", "poor.json", "--fail-under", "F", folder=folder).returncode == 0
    assert mcpgen("grade", "nowhere.json", "--fail-under", "F", folder=folder).returncode == 2


def test_sarif_has_a_result_at_the_line_of_each_fault(folder: Path) -> None:
    (run,) = json.loads(mcpgen("grade", str(PETSTORE), "--format", "sarif", folder=folder).stdout)["runs"]
    found = documented(str(PETSTORE), folder=folder)
    faults = [fault["rule"] for tool in found["tools"] for fault in tool["faults"]]
    assert [result["ruleId"] for result in run["results"]] == faults
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        (place,) = result["locations"]
        assert place["physicalLocation"]["region"]["startLine"] > 1
        assert place["logicalLocations"][0]["fullyQualifiedName"].startswith("/paths/")


TABLE = {"table", "tr", "th", "td"}


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_shows_text_of_a_document_as_text(folder: Path) -> None:
    page = _Texts()
    page.feed(mcpgen("grade", "poor.json", "--format", "html", folder=folder).stdout)
    assert HOSTILE in page.texts
    assert (
        page.tags <= {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "span", "div", "code"} | TABLE
    )
    assert any("no-purpose" in text for text in page.texts)


def test_a_project_is_graded_by_its_stored_source(folder: Path) -> None:
    assert mcpgen("generate", "poor.json", "-o", "out", folder=folder).returncode == 0
    found, direct = (documented(source, folder=folder) for source in ("out", "poor.json"))
    assert found["tools"] == direct["tools"]
