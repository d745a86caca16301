"""Test the argument `fields` with a table of JSON responses.

Notes, stored results and members that the output schema requires must remain.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from package.runtime.core.catalog import Tool
from package.runtime.core.wire_formats import Result
from package.runtime.http.exchange import Response, Sent
from package.runtime.result.projection import MOST_PATHS, mark, shortened
from package.runtime.result.response import LARGEST_PARSED, interpret, is_large
from package.runtime.results.structured import OutputChecker
from package.runtime.text.redaction import Redactor

from mcpgen.lower.inputs.arguments import FIELDS_SCHEMA as ARGUMENT
from tests.function_calls import function_calls
from tests.runtime.parts import part

TABLE = json.loads((Path(__file__).parent / "responses" / "fields.json").read_text(encoding="utf-8"))
REDACTOR = Redactor(["hunter22"])
BINDING: dict[str, Any] = {"method": "GET", "path": ["/a"], "fields": "fields"}
PAGED = [{"argument": "page", "name": "page"}, {"argument": "limit", "name": "limit"}]
SHOWN = 400


def asked(
    body: bytes, arguments: dict[str, Any], binding: dict[str, Any] = BINDING, kept: bool = False, shown: int = SHOWN
) -> list[str]:
    response = Response(200, "", [("Content-Type", "application/json; charset=utf-8")], body)
    response.kept = response.size if kept else 0
    sent = Sent(Tool("get_a", {}, part(binding)), "GET", "/a", [], "x://1", arguments)
    return [str(block.get("text") or block.get("uri")) for block in interpret(response, sent, REDACTOR, shown).content]


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: f"{case['fields']} of {case['body'][:40]}")
def test_parts_of_an_answer(case: dict[str, Any]) -> None:
    shown, *notes = asked(case["body"].encode(), {"fields": case["fields"]}, shown=8000)
    assert shown == case["shown"]
    assert "\n".join(notes) == "\n".join(case["notes"])


def test_a_tool_without_it_has_an_argument_of_that_name_for_itself() -> None:
    assert asked(b'{"a": 1, "b": 2}', {"fields": "a"}, {"method": "GET", "path": ["/a"]}) == ['{"a": 1, "b": 2}']
    assert asked(b'{"a": 1, "b": 2}', {"": "a"}, {"method": "GET", "path": ["/a"]}) == ['{"a": 1, "b": 2}']


def test_what_comes_next_is_told_though_it_was_not_asked_for() -> None:
    body = {"items": [{"id": 1, "x": 2}], "next_page": 3, "note": "hunter22"}
    text, note = asked(json.dumps(body).encode(), {"fields": "items.id,note,hunter22"}, {**BINDING, "query": PAGED})
    assert text == '{"items":[{"id":1}],"note":"[redacted]"}'
    assert note == (
        'Next page: page="3"\n[redacted] of fields is not in the answer; in the answer there is items, next_page, note.'
    )


ROWS = [{"id": number, "text": "x" * 90} for number in range(20)]


def test_what_fits_in_parts_is_not_cut_and_all_of_it_is_still_kept() -> None:
    text, note, link = asked(json.dumps(ROWS).encode(), {"fields": "id"}, kept=True)
    assert json.loads(text) == [{"id": number} for number in range(20)]
    assert note == f"All that came, {len(json.dumps(ROWS)):,} bytes, is kept: resources/read of x://1."
    assert link == "x://1"


def test_what_does_not_fit_in_parts_either_is_cut_by_items() -> None:
    text, note, _ = asked(json.dumps(ROWS).encode(), {"fields": "text"}, {**BINDING, "query": PAGED}, kept=True)
    assert json.loads(text) == [{"text": "x" * 90}] * 3
    assert note.startswith("Cut: 17 of 20 items of the answer are left out. To see more, call again with limit=3, ")
    assert " resources/read of x://1." in note


def test_a_cut_names_fields_where_the_api_has_nothing_of_its_own() -> None:
    body = json.dumps(ROWS).encode()
    assert "To see more, call again with fewer fields." in asked(body, {})[1]
    own = {**BINDING, "query": [{"argument": "select", "name": "$select"}]}
    assert "To see more, call again with a shorter select." in asked(body, {}, own)[1]


def test_of_an_answer_too_long_to_be_read_the_parts_of_its_beginning_are_shown() -> None:
    rows = [{"id": number, "text": "x" * 900} for number in range(LARGEST_PARSED // 900 + 50)]
    body = json.dumps({"rows": rows, "n": 1}).encode()
    text, note, _ = asked(body, {"fields": "rows.id"}, {**BINDING, "query": PAGED}, kept=True, shown=32_000)
    ids = [row["id"] for row in json.loads(text)["rows"]]
    assert ids == [*range(len(ids))]
    assert 500 < len(ids) < len(rows)
    assert f"what follows in the answer; all but the first {len(ids)} items of rows are left out." in note
    assert f"call again with limit={len(ids)}, the next page, fewer fields." in note


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}},
}


@pytest.mark.parametrize("fields", ["id", "items.id"])
def test_a_promise_of_a_derived_schema_is_kept_by_parts(fields: str) -> None:
    tool = Tool("get_a", {}, part({**BINDING, "output": "items"}), output_schema=SCHEMA)
    response = Response(200, "", [("Content-Type", "application/json")], b'[{"id": 1, "x": 1.10}, {"x": 2}]')
    sent = Sent(tool, "GET", "/a", [], "x://1", {"fields": fields})
    result: Result = OutputChecker().keep(tool, interpret(response, sent, REDACTOR))
    assert str(result) == '[{"id":1},{}]'
    assert result.structured == {"items": [{"id": 1}, {}]}
    assert Draft202012Validator(SCHEMA).is_valid(result.structured)


def test_an_error_is_told_whole() -> None:
    sent = Sent(Tool("get_a", {}, part(BINDING)), "GET", "/a", [], "x://1", {"fields": "id"})
    result = interpret(Response(400, "", [("Content-Type", "application/json")], b'{"message": "no"}'), sent, REDACTOR)
    assert result.is_error
    assert "no" in str(result)


def test_parts_are_taken_whether_or_not_the_answer_is_large() -> None:
    response = Response(200, "", [("Content-Type", "application/json")], json.dumps(ROWS).encode())
    assert is_large(response, SHOWN)


def test_the_mark_is_in_no_text() -> None:
    assert mark("a\ue000\\uE001") == "\ue002"


def test_as_many_paths_are_read_as_the_description_says_and_more_are_told() -> None:
    assert f"up to {MOST_PATHS} dotted paths" in str(ARGUMENT["description"])
    body = {f"a{number}": number for number in range(MOST_PATHS + 3)}
    text, *notes = asked(json.dumps(body).encode(), {"fields": ",".join(body)}, shown=8000)
    assert len(json.loads(text)) == MOST_PATHS
    assert notes == [f"Only the first {MOST_PATHS} paths of fields were read."]


@pytest.mark.parametrize("item", [{}, {"a": {"b": 1}, "x.y": 2}, [[{"k": None}]], {"k0": {"k0": {}}}])
@pytest.mark.parametrize("path", ["k{}", "a.b{}.c", "k0.k0.k{}", "x.y.z{}"])
def test_many_paths_take_about_the_time_of_one(item: Any, path: str) -> None:
    def taken(paths: int) -> int:
        asked = ",".join(path.format(number) for number in range(paths))
        sent = Sent(Tool("get_a", {}, part(BINDING)), "GET", "/a", [], "x://1", {"fields": asked})
        return function_calls(lambda: shortened([item] * 2000, sent, 1000, True), ("call", "c_call")).total()

    assert taken(MOST_PATHS) < 1.1 * taken(1)
