"""Test rules on results with a table of cases: input is a tool's `result` rules and a JSON response, output is content
blocks.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from package.runtime.core.catalog import Tool
from package.runtime.core.wire_formats import Result
from package.runtime.http.exchange import Response, Sent
from package.runtime.result.response import interpret
from package.runtime.results.result_rules import ResultRules
from package.runtime.text.redaction import Redactor

from tests.runtime.parts import part

REDACTOR = Redactor(["hunter22"])
JSON = "application/json"
ITEMS = '[{"id": 7, "name": "a", "b/c": {"~": 1}}, {"id": 8}]'
ANSWER = f'{{"total": 1.10, "items": {ITEMS}, "next": null, "who": "hunter22 \\u00e9"}}'


PRIVATE = "".join(map(chr, range(0xE000, 0xF8FF)))


def shown(rules: dict[str, Any], body: str, kind: str = JSON, status: int = 200, **arguments: Any) -> Result:
    output = {"type": "object"} if rules.pop("structured", False) else None
    fields = {"fields": "fields"} if "fields" in arguments else {}
    tool = Tool("t", {}, part({"path": ["/p"], "result": rules, "defaults": {"n": 7}, **fields}), "", output)
    sent = Sent(tool, "GET", "/p", [], "s://result/1", dict(arguments))
    answer = Response(status, "", [("Content-Type", kind), ("ETag", '"e"')], body.encode())
    view = ResultRules(part(rules))
    if (instead := view.take(answer, sent, 32_000)) is not None:
        return instead
    result = interpret(answer, sent, REDACTOR, 32_000)
    return result if result.is_error else view.dressed(result, answer, sent, REDACTOR, 32_000)


def texts(result: Result) -> list[str]:
    return [str(block["text"]) for block in result.content if block["type"] == "text"]


@pytest.mark.parametrize(
    ("select", "text"),
    [
        ("/total", "1.10"),
        ("/items/0/b~1c/~0", "1"),
        ("/items/*/id", "[7,8]"),
        ("/items/*/name", '["a"]'),
        ("/items/*/none", "[]"),
        ("/next", "null"),
        ({"n": "/total", "x": "/none", "ids": "/items/*/id"}, '{"n":1.10,"ids":[7,8]}'),
    ],
)
def test_a_part_is_selected(select: Any, text: str) -> None:
    assert texts(shown({"select": select}, ANSWER))[0] == text


def test_of_what_is_too_large_no_part_is_selected() -> None:
    assert texts(shown({"select": "/a"}, "[" * 600_000)) == [
        "Of the answer only /a is shown, and nothing can be taken from it, since it is too large to be looked through."
    ]


HERO: dict[str, Any] = {"text": ["Hero ", {"pointer": "/data/name"}, " of ", {"pointer": "/data/home"}]}
FAILED = "HTTP 200 OK from GET /p: this answer means that the call has failed.\n"


@pytest.mark.parametrize(
    ("rules", "body", "missing"),
    [
        ({"select": "/none"}, ANSWER.replace("hunter22", "she"), "/none"),
        ({"select": "/total/*"}, '{"total": 1.10}', "/total/*"),
        ({"select": "/items/2"}, '{"items": [1]}', "/items/2"),
        ({"select": "/items/00"}, '{"items": [1], "errors": [], "error": null, "ok": true}', "/items/00"),
        ({"select": {"x": "/none", "y": "/no"}}, "[1]", "/none and no /no"),
        ({"select": "/a"}, "In maintenance.", "/a"),
        (HERO, '{"note": "Nobody."}', "/data/name and no /data/home"),
        ({**HERO, "select": "/note"}, '{"note": "Nobody."}', "/data/name and no /data/home"),
    ],
)
def test_an_answer_without_the_wanted_parts_is_shown_itself(rules: dict[str, Any], body: str, missing: str) -> None:
    result = shown(rules, body)
    assert texts(result) == [body, 'ETag: "e"', f"The answer has no {missing}, so it is shown itself."]
    assert not result.is_error


@pytest.mark.parametrize("rules", [{"select": "/data/name"}, {"select": {"name": "/data/name"}}, HERO])
@pytest.mark.parametrize(
    "body",
    [
        '{"errors": [{"message": "No such field."}]}',
        '{"error": "not_authed"}',
        '{"error": {"code": -32600}}',
        '{"ok": false}',
        '{"success": false, "reason": "Gone."}',
        '{"data": {}, "errors": {"name": "is unknown"}}',
    ],
)
def test_an_answer_without_the_wanted_parts_that_states_an_error_is_one(rules: dict[str, Any], body: str) -> None:
    result = shown(rules, body)
    assert (result.is_error, texts(result)) == (True, [f'{FAILED}{body}\nETag: "e"'])


def test_a_part_that_is_null_beside_an_error_is_none() -> None:
    assert shown({"select": "/data"}, '{"data": null, "error": "Gone."}').is_error
    assert texts(shown({"select": "/data"}, '{"data": null}'))[0] == "null"


@pytest.mark.parametrize(
    ("condition", "body", "failed"),
    [
        ({"pointer": "/errors"}, '{"errors": ["x"], "data": 1}', True),
        ({"pointer": "/errors"}, '{"errors": [], "data": 1}', False),
        ({"pointer": "/ok", "values": [False]}, '{"ok": false}', True),
        ({"pointer": "/ok", "values": [False]}, '{"ok": true}', False),
        ({"pointer": "/code", "values": [0], "not": True}, '{"code": 40001}', True),
        ({"pointer": "/code", "values": [0], "not": True}, '{"code": 0.00}', False),
        ({"pointer": "/code", "values": [0], "not": True}, "{}", False),
        ({"pointer": "/rest"}, '{"rest": 0.00}', False),
        ({"pointer": "/status", "values": ["error"]}, '{"status": "ERROR"}', True),
        ({"values": [200]}, "x", True),
        ({"values": [200]}, "", True),
        ({"values": [200], "not": True}, "x", False),
        ({"pointer": "/errors"}, "no JSON", False),
    ],
)
def test_a_condition_tells_that_a_good_status_is_a_failure(condition: dict[str, Any], body: str, failed: bool) -> None:
    result = shown({"failed": [{"pointer": "/none"}, condition], "text": ["fine"]}, body)
    expected = f'{FAILED}{body}\nETag: "e"' if body else FAILED.rstrip()
    assert (result.is_error, texts(result)[0]) == (failed, expected if failed else "fine")


def test_a_failed_answer_is_shown_whole_but_for_what_is_removed() -> None:
    rules = {"failed": [{"pointer": "/secret"}], "remove": ["/secret"], "select": "/a"}
    result = shown(rules, '{"secret": 1, "a": 2, "error": "hunter22"}')
    assert (result.is_error, texts(result)) == (True, [f'{FAILED}{{"a":2,"error":"[redacted]"}}'])


@pytest.mark.parametrize(
    ("body", "failed"),
    [
        ('{"errors": [{"message": "No."}]}', True),
        ('{"errors": [{"message": "No."}], "data": null}', True),
        ('{"errors": [{"message": "No."}], "data": {"name": 1}}', False),
        ('{"errors": [], "data": null}', False),
        ('{"data": null}', False),
    ],
)
def test_graphql_fails_with_errors_and_no_data(body: str, failed: bool) -> None:
    result = shown({"graphql": True}, body)
    assert (result.is_error, body in texts(result)[0]) == (failed, True)


@pytest.mark.parametrize("more", [{"select": "/data/name"}, {"text": [{"pointer": "/data/name"}]}, {"fields": "data"}])
def test_a_partial_answer_of_graphql_shows_its_errors_too(more: dict[str, Any]) -> None:
    fields = {"fields": more.pop("fields")} if "fields" in more else {}
    result = shown({"graphql": True, **more}, '{"errors": [{"message": "hunter22!"}], "data": {"name": 7}}', **fields)
    told = 'The answer is partial, and has errors: [{"message":"[redacted]!"}]'
    assert (result.is_error, "7" in texts(result)[0], texts(result)[-1]) == (False, True, told)


def test_a_text_tells_which_of_its_parts_are_missing() -> None:
    result = shown(HERO, '{"data": {"name": "Ann", "home": null}}')
    assert texts(result) == ["Hero Ann of ", 'ETag: "e"', "Missing in the answer, and in the text: /data/home."]


def test_notes_are_in_the_structured_value_too() -> None:
    result = shown({"select": "/none", "structured": True}, '{"a": 1}')
    told = 'ETag: "e"\nThe answer has no /none, so it is shown itself.'
    assert result.structured == {"a": 1, "_text": told}


TEXT = ["For ", {"argument": "q"}, ": ", {"pointer": "/total"}, " {", {"pointer": "/items/0"}, "} ", {"pointer": "/no"}]


@pytest.mark.parametrize(
    ("rules", "body", "arguments", "expected"),
    [
        ({"text": TEXT}, ANSWER, {"q": "x"}, 'For x: 1.10 {{"id":7,"name":"a","b/c":{"~":1}}} '),
        ({"text": TEXT, "select": "/items/1/id"}, ANSWER, {}, 'For : 1.10 {{"id":7,"name":"a","b/c":{"~":1}}} '),
        ({"text": [{"pointer": "/who"}]}, ANSWER, {}, "[redacted] \u00e9"),
        ({"text": [{"argument": "q"}]}, ANSWER, {"q": ["hunter22", 1]}, '["[redacted]",1]'),
        ({"text": [{"argument": "n"}]}, ANSWER, {}, "7"),
        ({"text": [{"argument": "n"}]}, ANSWER, {"n": 8}, "8"),
        ({"text": [{"pointer": "/n"}]}, f'{{"n": [-{"9" * 400}, 1e999]}}', {}, f"[-{'9' * 400},1e999]"),
        ({"text": [{"pointer": "/n"}]}, f'{{"n": 1.10, "all": "{PRIVATE}"}}', {}, "1.1"),
        ({"text": TEXT}, "no JSON", {"q": "x"}, "no JSON"),
        ({"text": ["Sent to ", {"argument": "q"}]}, "no JSON", {"q": "x"}, "Sent to x"),
        ({"text": ["Sent to ", {"argument": "q"}]}, "", {"q": "x"}, "Sent to x"),
        ({"text": TEXT}, "", {"q": "x"}, 'Done (HTTP 200 OK). ETag: "e"'),
    ],
)
def test_a_text_stands_in_place_of_the_json(
    rules: dict[str, Any], body: str, arguments: dict[str, Any], expected: str
) -> None:
    assert texts(shown(rules, body, **arguments))[0] == expected


def test_a_long_text_is_cut_and_says_so() -> None:
    text = texts(shown({"text": [{"pointer": "/a"}]}, json.dumps({"a": "x" * 40_000})))[0]
    assert text == "x" * 32_000 + "\n[Cut: the first 32,000 of 40,000 bytes are shown.]"


def test_what_cannot_be_seen_is_counted_where_a_text_shows_it() -> None:
    rules = {"text": ["A: ", {"pointer": "/a"}, {"pointer": "/a"}]}
    assert texts(shown(rules, '{"a": "\\u0007x\u202e", "b": "\\u0007"}')) == [
        "A: xx",
        'ETag: "e"\n2 invisible or control characters were taken out of the answer.',
    ]


def test_links_are_no_way_to_pass_on_more_than_is_shown() -> None:
    links: list[dict[str, Any]] = [
        {"uri": ["s://", {"pointer": "/a"}], "name": ["n"]},
        {"uri": ["s://b"], "name": [{"pointer": "/a"}], "description": [{"pointer": "/a"}], "title": ["t"]},
    ]
    blocks = shown({"text": ["x"], "links": links}, json.dumps({"a": "x" * 400_000})).content[2:]
    cut = "x" * 500 + "\u2026"
    assert blocks == [
        {"type": "resource_link", "uri": "s://b", "name": cut, "title": "t", "description": cut},
        {
            "type": "text",
            "text": "1 link is left out: an address is longer than 2,000 characters.\n"
            "Texts of links are cut to 500 characters.",
        },
    ]


def test_links_lead_to_encoded_addresses_and_those_without_a_value_are_left_out() -> None:
    links = [
        {"uri": ["s://", {"pointer": "/id"}, "/x?q=", {"argument": "q"}], "name": ["Of ", {"pointer": "/name"}]},
        {"uri": ["s://", {"pointer": "/none"}], "name": ["n"]},
        {"uri": ["s://", {"pointer": "/up"}], "name": ["n"]},
        {"uri": ["s://", {"argument": "absent"}], "name": ["n"]},
        {"uri": ["https://x.example/"], "name": [{"pointer": "/none"}], "mimeType": ["text/html"]},
    ]
    body = json.dumps({"id": "a/b c", "name": "A", "up": ".."})
    result = shown({"links": links}, body, q="1&2\u00e9")
    assert texts(result)[0] == body
    assert [block for block in result.content if block["type"] != "text"] == [
        {"type": "resource_link", "uri": "s://a%2Fb%20c/x?q=1%262%C3%A9", "name": "Of A"},
        {"type": "resource_link", "uri": "https://x.example/", "name": "https://x.example/", "mimeType": "text/html"},
    ]


@pytest.mark.parametrize(
    ("remove", "body", "left"),
    [
        (["/items/*/name", "/who"], ANSWER, '{"total":1.10,"items":[{"id":7,"b/c":{"~":1}},{"id":8}],"next":null}'),
        (["/items/*"], ANSWER, '{"total":1.10,"items":[],"next":null,"who":"[redacted] \u00e9"}'),
        (
            ["/items/0/id", "/items/0/name", "/who"],
            ANSWER,
            '{"total":1.10,"items":[{"b/c":{"~":1}},{"id":8}],"next":null}',
        ),
        (["/a/b"], '{"a": [{"b": 1, "c": 2}]}', '{"a":[{"c":2}]}'),
        (["/*/b"], '{"a": {"b": 1, "c": 2}, "d": "x", "e": null}', '{"a":{"c":2},"e":null}'),
        (["/a"], '{"b": [1, "[redacted]"]}', '{"b":[1,"[redacted]"]}'),
        (["/a"], "null", "null"),
    ],
)
def test_what_is_removed_is_removed_and_nothing_else(remove: list[str], body: str, left: str) -> None:
    assert texts(shown({"remove": remove}, body))[0] == left


def test_an_error_is_no_good_answer() -> None:
    rules = {"select": "/a", "text": ["x"], "links": [{"uri": ["https://x.example/"], "name": ["n"]}]}
    assert texts(shown(rules, '{"message": "No."}', status=404)) == ["HTTP 404 Not Found from GET /p: No."]


@pytest.mark.parametrize(
    ("rules", "body", "told"),
    [
        ({"headers": ["etag", "X-None"]}, ANSWER, 'Header fields of the answer: etag: "e".'),
        ({"headers": ["ETag"], "remove": ["/items"]}, ANSWER, 'Header fields of the answer: ETag: "e".'),
        ({"headers": ["ETag"], "text": ["T"]}, ANSWER, 'Header fields of the answer: ETag: "e".'),
        ({"headers": ["ETag"], "structured": True}, "{}", 'Header fields of the answer: ETag: "e".'),
        ({"headers": ["ETag"]}, "", 'Header fields of the answer: ETag: "e".'),
    ],
)
def test_header_fields_are_told_beside_the_answer(rules: dict[str, Any], body: str, told: str) -> None:
    result = shown(rules, body)
    assert texts(result)[-1] == told
    if isinstance(result.structured, dict):
        assert told in str(result.structured["_text"])


def test_a_failure_tells_no_header_fields() -> None:
    assert "Header fields" not in str(shown({"headers": ["ETag"], "failed": [{"pointer": "/total"}]}, ANSWER))
