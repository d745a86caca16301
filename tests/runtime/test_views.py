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
from package.runtime.result.result_rules import ResultRules
from package.runtime.text.redaction import Redactor

from tests.runtime.parts import part

REDACTOR = Redactor(["hunter22"])
JSON = "application/json"
ITEMS = '[{"id": 7, "name": "a", "b/c": {"~": 1}}, {"id": 8}]'
ANSWER = f'{{"total": 1.10, "items": {ITEMS}, "next": null, "who": "hunter22 \\u00e9"}}'


PRIVATE = "".join(map(chr, range(0xE000, 0xF8FF)))


def shown(rules: dict[str, Any], body: str, kind: str = JSON, status: int = 200, **arguments: Any) -> Result:
    tool = Tool("t", {}, part({"path": ["/p"], "result": rules, "defaults": {"n": 7}}))
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
        ("/none", "Of the answer only /none is shown, and there is no such part in it."),
        ("/total/*", "Of the answer only /total/* is shown, and there is no such part in it."),
        ("/items/2", "Of the answer only /items/2 is shown, and there is no such part in it."),
        ("/items/00", "Of the answer only /items/00 is shown, and there is no such part in it."),
        ({"x": "/none"}, "Of the answer only /none is shown, and there is no such part in it."),
    ],
)
def test_a_part_is_selected_and_never_the_whole_is_shown(select: Any, text: str) -> None:
    assert texts(shown({"select": select}, ANSWER))[0] == text


@pytest.mark.parametrize(
    ("body", "kind", "why"),
    [
        ("<p>", "text/html", "it is no JSON"),
        ("{", JSON, "it is no JSON"),
        ("[" * 600_000, JSON, "it is too large to be looked through"),
    ],
)
def test_of_what_is_no_json_no_part_is_selected(body: str, kind: str, why: str) -> None:
    assert texts(shown({"select": "/a"}, body, kind)) == [
        f"Of the answer only /a is shown, and nothing can be taken from it, since {why}."
    ]


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
