"""Test the measurements of `benchmarks.surface`: each measurement detects its kind of defect, and reports none in a
correct project.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.surface import coverage, descriptions, documents, names
from benchmarks.surface.documents import Surface, emitted, of_document
from benchmarks.surface.words import strangers
from mcpgen.read import fetch

FACTS = Path(__file__).with_name("facts.openapi.yaml")

WORDS = [
    ("repos_get_branch", ["repos/get-branch"], []),
    ("reposget_branch", ["repos/get-branch"], ["reposget"]),
    ("list_pet", ["findPets"], []),
    ("get_oauth_app", ["GetOAuthApp"], []),
    ("get_o_auth2_app", ["GetOAuth2App"], []),
    ("list_policies", ["/policy/{id}"], []),
    ("lst_usr", ["listUsers"], ["lst", "usr"]),
    ("get_org", ["getOrganization"], []),
    ("get_org", ["getOrder"], ["org"]),
    ("get_pet_5n8t", ["getPet", "/pets/{petId}"], ["5n8t"]),
    ("get_user_by_id", ["/users/{id}"], []),
    ("call_github", ["Call GitHub"], []),
]


@pytest.mark.parametrize(("name", "texts", "expected"), WORDS, ids=lambda value: str(value))
def test_words_that_the_document_does_not_say(name: str, texts: list[str], expected: list[str]) -> None:
    assert strangers(name, texts) == expected


MARKUP = [
    ("See <b>this</b>.", "HTML tag"),
    ("One<br/>two.", "HTML tag"),
    ("Q&amp;A.", "HTML reference"),
    ("See [the docs](https://example.com/a).", "Markdown link"),
    ("See ![a picture](a.png).", "Markdown link"),
    ("See [the docs][1].", "Markdown link"),
    ("This is **important**.", "Markdown strong"),
    ("This is *important*.", "Markdown emphasis"),
    ("This is _important_.", "Markdown emphasis"),
    ("```json\n{}\n```", "Markdown fence"),
    ("The `id` of it.", "Markdown code"),
    ("# Heading\nText.", "Markdown heading"),
    ("| a | b |\n|---|---|", "Markdown table"),
]
PLAIN = [
    "The snake_case of a_b and _id, __init__ and user__name.",
    "Files *.txt and **/*.py, a * b * c, 2*3*4.",
    "At https://example.com/<id>, a List<String>, x < y > z.",
    "The filter[name] (a text), ids[0][1], map[string][]string.",
    "Matches ^[a-zA-Z0-9][a-zA-Z0-9_.-]+$.",
    "Issue #5 & others; C# too; either a|b or c.",
]


@pytest.mark.parametrize(("text", "kind"), MARKUP)
def test_markup(text: str, kind: str) -> None:
    assert kind in dict(descriptions.markup(text))


@pytest.mark.parametrize("text", PLAIN)
def test_text_without_markup(text: str) -> None:
    assert not list(descriptions.markup(text))


LISTED: dict[str, Any] = {
    "name": "get_pet",
    "title": "Get a pet",
    "description": "Gets one pet.",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "description": "Which."}}},
    "annotations": {
        "title": "Get a pet",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": True,
    },
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"description": " "}, ["empty", "a first sentence of under 3 words"]),
        ({"description": "Gets one pet. " + "x" * 1000}, ["over 1,000 characters"]),
        ({"description": "Get pet."}, ["equal to the name", "a first sentence of under 3 words"]),
        ({"description": "Deprecated. Gets a pet."}, []),
        ({"description": "Gets a pet, see https://example.com."}, ["a URL"]),
        ({"description": "Gets\u200b one pet."}, ["characters that are not seen"]),
        ({"description": "Gets one \U000e0041pet."}, ["characters that are not seen"]),
        ({"title": ""}, ["no title"]),
        ({"annotations": {**LISTED["annotations"], "openWorldHint": None}}, ["hints missing"]),
    ],
)
def test_what_is_wrong_with_a_tool(change: dict[str, Any], expected: list[str]) -> None:
    assert [what for what, _ in descriptions.findings({**LISTED, **change})] == expected


# -- Tests of the measurement of tool names ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def petstore() -> Surface:
    path = Path(__file__).parents[2] / "specs" / "petstore.openapi.yaml"
    return of_document(path, path.name, *emitted(fetch.read(str(path))))


def test_names_that_depend_on_their_operation_alone(petstore: Surface) -> None:
    row = names.measure(petstore)
    assert (row.legal, row.faithful, row.moved, row.renamed) == (24, 24, 0, 0)
    assert row.survivors == 19


def test_names_that_depend_on_what_stands_around(petstore: Surface, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give tools numbered names, which change if operations are reordered or removed.

    The measurement must report both causes.
    """
    requests = documents.names(fetch.read(str(petstore.path))).keys()

    def numbered(paths: list[str], among: Iterable[documents.Request]) -> dict[documents.Request, str]:
        ordered = sorted(among, key=lambda request: (paths.index(request[1]), request[0]))
        return {request: f"tool_{number}" for number, request in enumerate(ordered)}

    def after(fetched: fetch.Fetched) -> dict[documents.Request, str]:
        paths = json.loads(fetched.data)["paths"]
        return numbered(list(paths), [each for each in requests if each[0].lower() in paths[each[1]]])

    before = numbered(petstore.root["paths"].keys(), requests)
    tools = [replace(tool, listed={**tool.listed, "name": before[tool.request]}) for tool in petstore.tools]
    monkeypatch.setattr(documents, "names", after)
    row = names.measure(replace(petstore, tools=tuple(tools)))
    assert row.moved
    assert row.renamed


# -- Tests of the measurement of facts about inputs --------------------------------------------------------------------

INPUTS = 20
"""Number of inputs in `facts.openapi.yaml` that a caller can set, counted by hand."""


@pytest.fixture(scope="module")
def surface() -> Surface:
    tools, bindings = emitted(fetch.read(str(FACTS)))
    return of_document(FACTS, FACTS.name, tools, bindings)


def test_all_inputs_of_a_document_are_shown(surface: Surface) -> None:
    row = coverage.measure(surface)
    assert (row.inputs, row.kept, dict(row.reasons)) == (INPUTS, INPUTS, {})


def _drop(*keys: str) -> Callable[[Any], None]:
    def change(schema: Any) -> None:
        for key in keys[:-1]:
            schema = schema[key]
        del schema[keys[-1]]

    return change


def _set(value: object, *keys: str) -> Callable[[Any], None]:
    def change(schema: Any) -> None:
        for key in keys[:-1]:
            schema = schema[key]
        schema[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "lost", "reason"),
    [
        (_set("integer", "properties", "kind", "type"), 1, "type: string shown as integer"),
        (_drop("properties", "kind", "enum"), 1, "values: none of them"),
        (_set(["cat"], "properties", "kind", "enum"), 1, "values: some of them"),
        (_set("Any.", "properties", "level", "description"), 0, ""),
        (_set([], "required"), 4, "required flag: should be required"),
        (_set(["id", "kind", "owner", "price", "limit"], "required"), 1, "required flag: should be optional"),
        (_drop("properties", "owner", "properties", "address"), 3, "absent: beside others that are shown"),
        (_drop("properties", "owner", "required"), 1, "required flag: should be required"),
        (_drop("properties", "tags", "items"), 1, "absent: shown as array without it"),
        (_drop("properties", "labels", "additionalProperties"), 1, "absent: shown as object without it"),
        (_set([{"type": "string"}], "properties", "size", "anyOf"), 1, "type: integer/string shown as string"),
    ],
)
def test_what_is_not_shown_is_lost(surface: Surface, change: Callable[[Any], None], lost: int, reason: str) -> None:
    (tool,) = surface.tools
    listed = copy.deepcopy(tool.listed)
    change(listed["inputSchema"])
    row = coverage.measure(replace(surface, tools=(replace(tool, listed=listed),)))
    assert (row.inputs, dict(row.reasons)) == (INPUTS, {reason: lost} if lost else {})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set([], "query"), "no argument"),
        (_set("feline", "headers"), "another constant"),
    ],
)
def test_what_is_not_bound_is_lost(surface: Surface, change: Callable[[Any], None], reason: str) -> None:
    (tool,) = surface.tools
    binding = copy.deepcopy(tool.binding)
    if reason == "another constant":
        binding["headers"][0]["value"] = "feline"
    else:
        change(binding)
    row = coverage.measure(replace(surface, tools=(replace(tool, binding=binding),)))
    assert row.reasons.keys() == {reason}
