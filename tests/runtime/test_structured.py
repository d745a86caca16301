"""Test results of tools with an output schema: a table of responses, changes by hooks, and truncation."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from package import hooks as users_file
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.catalog import Tool
from package.runtime.core.wire_formats import ABSENT, Result, call_result
from package.runtime.http.exchange import Response, Sent
from package.runtime.result.response import LARGEST_PARSED, SHOWN, interpret
from package.runtime.results import structured
from package.runtime.results.structured import OutputChecker
from package.runtime.settings import settings
from package.runtime.text.redaction import Redactor
from package.runtime.text.sanitize import Shortened, beginning, written

from tests.runtime.parts import part
from tests.runtime.table_stub import Catalog
from tests.runtime.upstream import Upstream, answer, serving

TABLE = json.loads((Path(__file__).parent / "responses" / "structured.json").read_text())
FORMS = {"object": "object", "items": "items", "value": "value", "either": "value"}
REDACTOR = Redactor(["hunter22", "8675309"])
JSON = [("Content-Type", "application/json")]


def tool(name: str) -> Tool:
    form = FORMS.get(name, "written")
    return Tool(name, {}, part({"path": ["/"], "output": form}), output_schema=TABLE["schemas"][name])


def kept(name: str, response: Response) -> Any:
    called = tool(name)
    return OutputChecker().keep(called, interpret(response, Sent(called, "GET", "/", [], "x://1"), REDACTOR))


def fits(name: str, result: Result) -> bool:
    """Return True if an independent validator accepts the structured value of the result."""
    return bool(Draft202012Validator(TABLE["schemas"][name]).is_valid(result.structured))


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: f"{case['to']}-{case['status']}")
def test_what_is_promised_holds_and_nothing_is_lost(case: dict[str, Any]) -> None:
    body = base64.b64decode(case["base64"]) if "base64" in case else case.get("body", "").encode()
    result = kept(case["to"], Response(case["status"], "", [(name, value) for name, value in case["headers"]], body))
    assert result.is_error == case.get("isError", False)
    assert [block["text"] for block in result.content if block["type"] == "text"] == case["text"]
    if not result.is_error:
        assert result.structured == case["structured"]
        assert fits(case["to"], result)
    else:
        assert result.structured is ABSENT


def test_a_misfit_is_logged_by_its_place_alone(capfd: pytest.CaptureFixture[str]) -> None:
    kept("object", Response(200, "", JSON, json.dumps({"tags": [*range(30)]}).encode()))
    line = json.loads(capfd.readouterr().err)
    assert (line["event"], line["tool"]) == ("output_misfit", "object")
    assert line["at"] == [f"/tags/{index}" for index in range(5)]


def test_many_misfits_are_all_kept_and_twenty_are_named() -> None:
    result = kept("object", Response(200, "", JSON, json.dumps({"tags": [*range(30)]}).encode()))
    assert result.structured == {
        "tags": [None] * 30,
        "_unexpected": {f"/tags/{index}": index for index in range(30)},
    }
    assert str(result.content[-1]["text"]).endswith("/tags/19 and 10 more.")


def test_where_nearly_nothing_fits_all_of_it_is_moved_at_once() -> None:
    answered = {"id": 1, "tags": [*range(201)]}
    result = kept("object", Response(200, "", JSON, json.dumps(answered).encode()))
    assert result.structured == {"_unexpected": {"": answered}}
    assert str(result.content[-1]["text"]).endswith("/tags/19 and many more.")
    assert fits("object", result)


def test_of_a_long_answer_the_first_misfit_with_a_schema_written_by_hand_is_told() -> None:
    short, long = ({"id": "x", **{f"m{index}": 1 for index in range(count)}} for count in (3, 3000))
    told_of = [kept("closed", Response(200, "", JSON, json.dumps(each).encode())) for each in (short, long)]
    assert ["4 problems." in str(each.content[0]["text"]) for each in told_of] == [True, False]
    assert all(each.is_error for each in told_of)


def test_a_tool_without_an_output_schema_pays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(structured, "read_json")
    monkeypatch.delattr("package.runtime.result.response.presentable")
    plain = Sent(Tool("plain", {}, part({"path": ["/"]})), "GET", "/", [], "x://1")
    result = interpret(Response(200, "", JSON, b'{"a": 1.10}'), plain, REDACTOR)
    assert (result.content, result.structured) == ([{"type": "text", "text": '{"a": 1.10}'}], ABSENT)


def line_of(result: Result) -> bytes:
    """Return the output line that the server writes for a result."""
    return b"".join(call_result(result, "2025-11-25", part({"name": "x", "version": "1"})))


@pytest.mark.parametrize(
    ("to", "body", "told"),
    [
        ("object", r'{"a": 1.10, "b": 1E5, "c": "\"\\"}', r'{"a": 1.10, "b": 1E5, "c": "\"\\"}'),
        ("items", '[{"a":1.10}]', '{"items":[{"a":1.10}]}'),
        ("either", '{"a":1.10}', '{"value":{"a":1.10}}'),
        ("items", '{"a":1.10}', '{"a":1.10}'),
        ("object", '{"a":1.10,\n"b":1}', '{"a":1.1,"b":1}'),
        ("object", '{"a":1.10,"a":1.20}', '{"a":1.2}'),
        ("object", '{"a":1.10,"b":"hunter22"}', '{"a":1.1,"b":"[redacted]"}'),
        ("object", r'{"a":1.10,"b":"hunter\u00322"}', '{"a":1.1,"b":"[redacted]"}'),
        ("object", r'{"a":1.10,"b":"\u202e"}', '{"a":1.1,"b":""}'),
        ("object", '{"a":1.10,"b":"\x7f"}', '{"a":1.1,"b":""}'),
        ("object", '{"a":1.10,"b":"\u00e9"}', r'{"a":1.10,"b":"\u00e9"}'),
        ("items", '[{"a":1.10, "\u4e2d":"\U0001f600"}]', r'{"items":[{"a":1.10, "\u4e2d":"\ud83d\ude00"}]}'),
        ("object", '{"a":1.10,"b":"\\\\\u00e9\\"\\n"}', r'{"a":1.10,"b":"\\\u00e9\"\n"}'),
        ("object", '{"a":1.10,\t"b":"\u00e9"}', r'{"a":1.1,"b":"\u00e9"}'),
        ("object", '{"a":1.10,\n"b":"\u00e9"}', r'{"a":1.1,"b":"\u00e9"}'),
        ("object", r'{"a":1.10,"b":"\u00e9"}', r'{"a":1.1,"b":"\u00e9"}'),
        ("object", '{"a":1.10,"b":"\u00e9\u202e"}', r'{"a":1.1,"b":"\u00e9"}'),
        ("object", '{"a":1.10,"b":"\u00e9 hunter22"}', r'{"a":1.1,"b":"\u00e9 [redacted]"}'),
        ("closed", '{"id":7,"_text":"x"}', '{"id":7}'),
        ("object", '{"a":1.10,"id":"x"}', '{"a":1.1,"_unexpected":{"/id":"x"}}'),
    ],
)
def test_a_value_is_written_as_it_came_where_nothing_in_it_is_changed(to: str, body: str, told: str) -> None:
    result = kept(to, Response(200, "", JSON, body.encode()))
    line = line_of(result)
    assert json.loads(line)["structuredContent"] == result.structured
    assert b'"structuredContent":' + told.removesuffix("}").encode() in line
    assert b"\n" not in line


def test_a_value_with_something_told_beside_it_says_that_too() -> None:
    result = kept("object", Response(200, "", [*JSON, ("ETag", '"5"')], b'{"a":1.10}'))
    assert json.loads(line_of(result))["structuredContent"] == {"a": 1.1, "_text": 'ETag: "5"'}


def test_a_failed_call_promises_nothing() -> None:
    called = tool("closed")
    result = interpret(Response(500, "", JSON, b"{}"), Sent(called, "GET", "/", [], "x://1"), REDACTOR)
    assert (result.is_error, result.structured) == (True, ABSENT)


# -- Long responses ---------------------------------------------------------------------------------------------------


def test_a_long_answer_is_cut_alike_in_both() -> None:
    answered: dict[str, Any] = {
        "id": 1,
        "rows": [{"n": index} for index in range(20_000)],
        "note": "é" * 30_000,
        "last": True,
    }
    result = kept("object", Response(200, "", JSON, json.dumps(answered, ensure_ascii=False).encode()))
    text, note = (str(block["text"]) for block in result.content)
    shown = json.loads(text)
    assert 0.95 * SHOWN < len(text.encode()) <= SHOWN
    assert result.structured == {**shown, "_text": note}
    assert list(shown) == list(answered)
    assert shown["rows"] == answered["rows"][: len(shown["rows"])]
    kept_of_note, _, more = shown["note"].partition("…[+")
    assert (set(kept_of_note), more) == ({"é"}, f"{30_000 - len(kept_of_note)} chars]")
    assert note == (
        f"Cut: {30_000 - len(kept_of_note):,} characters of note; {20_000 - len(shown['rows']):,} of 20,000 items of "
        "rows are left out."
    )


def test_up_07_of_a_huge_answer_the_beginning_is_parsed() -> None:
    rows = b",".join(b'{"n":%d}' % index for index in range(60_000))
    assert len(rows) > LARGEST_PARSED
    result = kept("object", Response(200, "", JSON, b'{"id":1,"rows":[' + rows + b'],"last":1}'))
    shown = json.loads(str(result.content[0]["text"]))
    count = len(shown["rows"])
    assert shown == {"id": 1, "rows": [{"n": index} for index in range(count)]}
    assert 0.95 * SHOWN < len(str(result.content[0]["text"])) <= SHOWN
    assert result.structured == {
        **shown,
        "_text": f"Cut: what follows in the answer; all but the first {count:,} items of rows are left out.",
    }


def test_of_an_answer_that_was_not_read_to_its_end_whole_items_are_shown() -> None:
    result = kept("items", Response(200, "", JSON, b'[{"id":1},{"id":2},{"id":3,"na', cut=True))
    note = str(result.content[1]["text"])
    assert result.structured == {"items": [{"id": 1}, {"id": 2}], "_text": note}
    assert note == (
        "Cut: all but the first 2 items of the answer are left out.\n"
        "Only the first 30 bytes of the answer were read; then the connection was closed."
    )


@pytest.mark.parametrize(
    ("value", "limit", "left", "said"),
    [
        ([1, 2, 3], 7, [1, 2, 3], ""),
        ([11, 22, 33], 8, [11, 22], "1 of 3 items of the answer"),
        (["x" * 50], 40, ["x" * 16 + "…[+34 chars]"], "34 characters of the first of the answer"),
        (
            ["x" * 50, "y"],
            40,
            ["x" * 16 + "…[+34 chars]"],
            "1 of 2 items of the answer; 34 characters of the first of the answer",
        ),
        ({"a": "x" * 50, "b": 1}, 50, {"a": "x" * 16 + "…[+34 chars]", "b": 1}, "34 characters of a"),
        ({"a": [[1, 2], [3, 4]], "b": "y"}, 22, {"a": [[1, 2]], "b": "y"}, "1 of 2 items of a"),
        ({"k" * 30: 1, "l" * 30: 2}, 50, {"k" * 30: 1}, "1 of 2 members of the answer"),
        ("é" * 40, 42, "é" * 10 + "…[+30 chars]", "30 characters of the answer"),
        ({"a": {"b": [1, 2, 3, 4]}}, 17, {"a": {"b": [1, 2]}}, "2 of 4 items of b"),
    ],
)
def test_a_value_is_cut_along_its_structure(value: Any, limit: int, left: Any, said: str) -> None:
    cut = Shortened(value, limit)
    assert (cut.value, cut.told()) == (left, said)
    assert len(written(cut.value).encode()) <= limit


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"a":[1,2', {"a": [1]}),
        ('[{"a":1},{"b":"x,]}', [{"a": 1}, {"b": "x,]}…[+more]"}]),
        ('["\\"],", "a', ['"],', "a…[+more]"]),
        ("[1,[2],", [1, [2]]),
        ('{"a":"x', {"a": "x…[+more]"}),
        ('{"a" : "x\\\\\\u00e', {"a": "x\\…[+more]"}),
        ('{"a":"\\\\u00e', {"a": "\\u00e…[+more]"}),
        ('["x\\', ["x…[+more]"]),
        ('{"a":1,"b', {"a": 1}),
        ('{"a":{"b":tru', {"a": {}}),
        ('{"a":1}', {"a": 1}),
    ],
)
def test_what_is_open_at_the_end_of_a_beginning_is_closed(text: str, left: Any) -> None:
    assert json.loads(beginning(text)) == left


@pytest.mark.parametrize("text", ['{"a":1}\n{"a":2}', "]", "[}", "word", ""])
def test_what_is_not_one_value_has_no_beginning(text: str) -> None:
    assert beginning(text) == ""


@pytest.mark.parametrize(
    ("value", "left", "said"),
    [
        ([1, 2, 3], [1, 2], "all but the first 2 items of the answer"),
        ({"a": 1, "b": [[1], [2]]}, {"a": 1, "b": [[1]]}, "what follows in the answer; all but the first item of b"),
        ([{"a": [1, 2]}], [{"a": [1]}], None),
        ({"a": {}}, {"a": {}}, "what follows in the answer"),
        ([], [], ""),
    ],
)
def test_the_last_item_of_a_beginning_is_only_a_part_and_goes(value: Any, left: Any, said: str | None) -> None:
    cut = Shortened(value, 1000, complete=False)
    assert cut.value == left
    assert said is None or cut.told() == said


def test_a_text_whose_end_nobody_saw_is_cut_without_a_count() -> None:
    cut = Shortened({"a": "x" * 1000 + "…[+more]", "b": 1}, 100)
    assert (cut.value, cut.told()) == ({"a": "x" * 65 + "…[+more]", "b": 1}, "the end of a")


def test_places_beyond_the_first_five_are_counted() -> None:
    cut = Shortened({str(index): "x" * 1000 for index in range(8)}, 1000)
    assert cut.told().endswith("characters of 4; and more in 3 places")


# -- Hooks that change results ----------------------------------------------------------------------------------------

OUTPUTS = {
    "object": TABLE["schemas"]["object"],
    "items": TABLE["schemas"]["items"],
    "closed": TABLE["schemas"]["closed"],
}
TOOLS: dict[str, dict[str, Any]] = {
    name: {
        "binding": {"method": "GET", "path": ["/"], "output": FORMS.get(name, "written")},
        "output_schema": schema,
    }
    for name, schema in OUTPUTS.items()
}
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n"


def called(name: str) -> Any:
    """Make a call through the complete runtime, with the user's hooks, and return its result."""

    async def main() -> Result:
        async with serving(answer(ANSWER + b'{"id":7}')) as upstream:
            return await _call(upstream)

    async def _call(upstream: Upstream) -> Result:
        catalog: Any = Catalog(TOOLS)
        caller = ToolExecutor(
            catalog, settings.load(catalog, {"PETSTORE_TOKEN": "s3cret-token"}, str(upstream.address("")))
        )
        try:
            return await caller.call(name, {}, lambda phase: None)
        finally:
            await caller.close()

    return asyncio.run(main())


def test_a_call_carries_what_was_promised() -> None:
    result = called("object")
    assert (result.structured, result.content) == ({"id": 7}, [{"type": "text", "text": '{"id":7}'}])


def _changed(result: Result) -> Result:
    assert result.structured == {"id": 7}
    return Result(result.content, {"id": 8, "note": "s3cret-token"})


@pytest.mark.parametrize(
    ("tool_name", "hook", "structured"),
    [
        ("object", {"after_object": _changed}, {"id": 8, "note": "[redacted]"}),
        ("object", {"after_object": lambda result: Result.text("gone")}, {"_text": "gone"}),
        ("object", {"instead_of_object": lambda arguments: {"id": "x"}}, {"_unexpected": {"/id": "x"}}),
        ("object", {"instead_of_object": lambda arguments: "words"}, {"_text": "words"}),
        ("items", {"instead_of_items": lambda arguments: [{"id": 1}]}, {"items": [{"id": 1}]}),
        ("items", {"instead_of_items": lambda arguments: Result([], [{"id": 1}])}, {"items": [{"id": 1}]}),
        ("closed", {"instead_of_closed": lambda arguments: Result([], {"id": 1})}, {"id": 1}),
    ],
)
def test_what_a_hook_makes_is_checked_as_well(
    monkeypatch: pytest.MonkeyPatch, tool_name: str, hook: dict[str, Callable[..., Any]], structured: Any
) -> None:
    for name, function in hook.items():
        monkeypatch.setattr(users_file, name, function, raising=False)
    monkeypatch.setattr("package.runtime.settings.credentials.sensitive", lambda *given: ["s3cret-token"])
    result = called(tool_name)
    assert (result.is_error, result.structured) == (False, structured)
    assert fits(tool_name, result)


def test_what_a_hook_changes_in_place_is_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    assert called("object").written == '{"id":7}'
    monkeypatch.setattr(users_file, "after_object", lambda result: result.structured.update(id=8), raising=False)
    assert json.loads(line_of(called("object")))["structuredContent"] == {"id": 8}


def test_a_secret_that_was_learnt_after_the_answer_was_read_is_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("package.runtime.result.response.holds_nothing", lambda *given: True)
    monkeypatch.setattr("package.runtime.settings.credentials.sensitive", lambda *given: ['"id":7'])
    assert "id" not in called("object").written


def test_what_a_hook_keeps_of_its_result_is_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"id": "x", "inner": {"id": 1}}
    monkeypatch.setattr(users_file, "instead_of_object", lambda arguments: Result([], kept), raising=False)
    assert called("object").structured == {"inner": {"id": 1}, "_unexpected": {"/id": "x"}}
    assert kept == {"id": "x", "inner": {"id": 1}}


@pytest.mark.parametrize("made", [{"id": {1, 2}}, {"id": object()}, {1: 2}])
def test_what_json_cannot_hold_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch, made: Any) -> None:
    monkeypatch.setattr(users_file, "instead_of_object", lambda arguments: Result([], made), raising=False)
    result = called("object")
    assert result.is_error
    assert result.content[0]["text"] == "object was carried out, but its result holds what JSON cannot."


def test_a_hook_that_breaks_a_promise_written_by_hand_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "after_closed", lambda result: Result.text("gone"), raising=False)
    result = called("closed")
    assert result.is_error
    assert "- id: is required\nThe answer:\ngone" in str(result.content[0]["text"])


def test_an_error_of_a_hook_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_file, "after_closed", lambda result: Result.error("no"), raising=False)
    result = called("closed")
    assert (result.is_error, result.structured) == (True, ABSENT)
