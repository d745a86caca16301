"""Test the overlay of `mcpgen grade --patch`: it mends only what the document says elsewhere, and mends it once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.retrieval.questions import TUNED, UNTUNED, of_api
from mcpgen.base.runtime import retriever
from mcpgen.emit import table
from mcpgen.grade import patch
from mcpgen.grade.grade import Grade, grade
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch
from mcpgen.retrieval.index import build
from tests.command import mcpgen
from tests.grade.faults import operations

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "dev"
CASES = yaml.safe_load((ROOT / "tests" / "cases" / "grade" / "patches.yaml").read_text(encoding="utf-8"))
PUBLISHED = ("spotify.json", "notion.json", "tmdb.json", "sendgrid.json", "box.json", "xero-accounting.json")
MOST_MORE_TOKENS = 1.05


def compiled(source: Path, *overlays: Path) -> Compiled:
    return compile_source(fetch.read(str(source)), Options(overlay=tuple(map(str, overlays))))


def written(found: Compiled, path: Path) -> Path | None:
    actions = patch.actions(found.catalog, found.sources.described_by)
    path.write_bytes(patch.overlay(actions, found.sources.described_by[0].name))
    return path if actions else None


def graded(found: Compiled) -> Grade:
    return grade(found.catalog, found.definitions)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["case"]))
def test_an_overlay_has_what_the_document_says_elsewhere(case: dict[str, Any], tmp_path: Path) -> None:
    head = {"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example"}]}
    source = tmp_path / "shop.json"
    source.write_text(json.dumps(head | case["document"]), encoding="utf-8")
    found = compiled(source)
    actions = {each.target: each.description for each in patch.actions(found.catalog, found.sources.described_by)}
    assert actions == case["actions"]
    overlay = written(found, tmp_path / "overlay.yaml")
    if overlay is not None:
        again = compiled(source, overlay)
        assert [each.code for each in again.diagnostics if "overlay" in each.code] == []
        assert patch.actions(again.catalog, again.sources.described_by) == []
        assert graded(again).score > graded(found).score


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_document_is_mended_once_and_costs_little(name: str, tmp_path: Path) -> None:
    source = CORPUS / name
    if not source.exists():
        pytest.skip(f"{name} is not there")
    found = compiled(source)
    overlay = written(found, tmp_path / "overlay.yaml")
    if overlay is None:
        return
    again = compiled(source, overlay)
    assert patch.actions(again.catalog, again.sources.described_by) == []
    first, second = graded(found), graded(again)
    assert second.score > first.score
    assert confused(second) <= confused(first)
    before, after = (sum(map(table.cost, each.catalog.tools)) for each in (found, again))
    assert after <= before * MOST_MORE_TOKENS


ASKED = {file: name for name, file in (TUNED | UNTUNED).items()}
"""File of a document → the name of its questions in `benchmarks/retrieval/questions`."""


def answered(found: Compiled, questions: Iterable[tuple[str, list[set[str]]]]) -> int:
    """Return for how many questions a search finds all needed operations, among those of ten tools and of the tools
    that return their ids.

    `questions`: each question, and for each of its needs the places of the operations that do equally.
    """
    search = retriever.Retriever(json.loads(build(found.catalog.tools, found.definitions, ()).index))
    places = {tool.name: tool.operation.where.pointer for tool in found.catalog.tools}
    count = 0
    for text, needs in questions:
        hits = search.search(text, 10, lambda _: True).hits
        shown = {search.names[number] for hit in hits for number in (hit.number, *(each for _, each in hit.sources))}
        count += all(need & {places[name] for name in shown} for need in needs)
    return count


def asked(name: str, found: Compiled) -> list[tuple[str, list[set[str]]]]:
    """Return the questions to a document of the corpus, in the form of `answered`. `found`: the compiled document."""
    places = {tool.name: tool.operation.where.pointer for tool in found.catalog.tools}
    return [
        (each.text, [{places[tool] for tool in need} for need in each.tools([*places], {})])
        for each in of_api(ASKED[name])
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_a_patch_makes_no_search_worse(name: str, tmp_path: Path) -> None:
    source = CORPUS / name
    if not source.exists():
        pytest.skip(f"{name} is not there")
    found = compiled(source)
    overlay = written(found, tmp_path / "overlay.yaml")
    questions = asked(name, found)
    if overlay is not None:
        assert answered(compiled(source, overlay), questions) >= answered(found, questions)


POOR = {"spotify.json": (51, 55), "notion.json": (16, 18), "jira.json": (54, 54), "xero-accounting.json": (26, 25)}
"""Document whose operations have lost their ids, tags and texts → how many questions a search answers then, and after
a patch. The descriptions of its responses say what the operations return.
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", POOR)
def test_a_patch_changes_the_search_of_a_poor_document_as_the_page_says(name: str, tmp_path: Path) -> None:
    if not (CORPUS / name).exists():
        pytest.skip(f"{name} is not there")
    questions = asked(name, compiled(CORPUS / name))
    poor = json.loads((CORPUS / name).read_text(encoding="utf-8"))
    for number, (_, _, operation) in enumerate(operations(poor)):
        for key in ("summary", "description", "tags"):
            operation.pop(key, None)
        operation["operationId"] = f"op{number}"
    source = tmp_path / name
    source.write_text(json.dumps(poor), encoding="utf-8")
    found = compiled(source)
    overlay = written(found, tmp_path / "overlay.yaml")
    assert overlay is not None
    again = compiled(source, overlay)
    assert graded(again).score > graded(found).score
    assert (answered(found, questions), answered(again, questions)) == POOR[name]


def confused(found: Grade) -> int:
    """Return for how many tools a search for their own words finds another tool first."""
    return sum(fault.rule.name == "looks-like-another" for each in found.tools for fault in each.faults)


def test_a_search_finds_a_tool_whose_text_was_mended(tmp_path: Path) -> None:
    responses = ("A page of open invoices with their due dates.", "The shipments that left the warehouse.")
    paths = {
        f"/v1/{letter}": {"get": {"operationId": f"op{letter}", "responses": {"200": {"description": text}}}}
        for letter, text in zip("ab", responses, strict=True)
    }
    source = tmp_path / "poor.json"
    source.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "X", "version": "1"}, "paths": paths}))
    found = compiled(source)
    overlay = written(found, tmp_path / "overlay.yaml")
    assert overlay is not None
    assert answers(found, "list unpaid invoices by due date") == []
    assert answers(compiled(source, overlay), "list unpaid invoices by due date") == ["opa"]


def answers(found: Compiled, query: str) -> list[str]:
    search = retriever.Retriever(json.loads(build(found.catalog.tools, found.definitions, ()).index))
    return [search.names[hit.number] for hit in search.search(query, 1, lambda _: True).hits]


def test_an_overlay_replaces_only_an_overlay_of_mcpgen(tmp_path: Path) -> None:
    document = {"openapi": "3.1.0", "info": {"title": "X", "version": "1"}}
    operation = {"responses": {"200": {"description": "All open invoices of the shop."}}}
    (tmp_path / "api.json").write_text(json.dumps(document | {"paths": {"/v1/a": {"get": operation}}}))
    (tmp_path / "mine.yaml").write_text("overlay: 1.0.0\n")
    refused = mcpgen("grade", "api.json", "--patch", "mine.yaml", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "mine.yaml already exists and is not an overlay that mcpgen wrote" in refused.stderr
    assert (tmp_path / "mine.yaml").read_text() == "overlay: 1.0.0\n"
    for _ in range(2):
        assert mcpgen("grade", "api.json", "--patch", "made.yaml", folder=tmp_path).returncode == 0
    last = mcpgen("grade", "api.json", "--overlay", "made.yaml", "--patch", "made.yaml", folder=tmp_path)
    assert "so no overlay was written" in last.stderr


def test_only_one_openapi_document_can_be_patched(tmp_path: Path) -> None:
    tools = (
        "mcpgen: 1\nbase_url: https://s.example\ntools:\n  - {name: read_a, description: Read a., request: GET /a}\n"
    )
    (tmp_path / "tools.yaml").write_text(tools, encoding="utf-8")
    refused = mcpgen("grade", "tools.yaml", "--patch", "made.yaml", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--patch needs one OpenAPI document" in refused.stderr
