"""Test HTTP requests with tables of cases: a tool's request description and arguments give exact bytes or an error. Add
a row to a table, not a test.

`credentials` in a request description: names of API keys by place. A case expects `target` ("/p" by default), `headers`
besides Accept and Content-Type, `content_type` and `body` (text, `body_base64`, or `body_lines` joined by CRLF). If the
arguments are wrong, the case instead lists the expected error texts in `refused`. `id`: the attack case that the row
covers.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Tool
from package.runtime.files.files import Files
from package.runtime.request.argument_errors import Refused
from package.runtime.request.request import Request, _compare, build, skeleton

from tests.runtime.parts import part

TABLE = sorted((Path(__file__).parent / "requests").glob("*.json"))
NO_FILES = Files(None, "PETSTORE_FILES_DIR")

PLACES = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "headers": ("simple",),
    "cookies": ("form", "cookie"),
}


def cases() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for file in TABLE:
        for at, group in enumerate(json.loads(file.read_text())["groups"]):
            for number, case in enumerate(group["cases"]):
                yield f"{file.stem}-{at}-{number}", group["binding"], case


def built(binding: dict[str, Any], arguments: dict[str, Any], files: Files = NO_FILES) -> Request:
    tool = Tool("t", {}, part({"method": "GET", "path": ["/p"], **binding}), credentials=binding.get("credentials"))
    return build(tool, arguments, files, bytes)


def body_of(case: dict[str, Any]) -> bytes | None:
    if "body_base64" in case:
        return base64.b64decode(case["body_base64"])
    if "body_lines" in case:
        return "\r\n".join(case["body_lines"]).encode()
    return None if case.get("body") is None else str(case["body"]).encode()


@pytest.mark.parametrize(("binding", "case"), [pytest.param(*each[1:], id=each[0]) for each in cases()])
def test_a_request_is_exactly_what_the_table_says(binding: dict[str, Any], case: dict[str, Any]) -> None:
    if "refused" in case:
        with pytest.raises(Refused) as refused:
            built(binding, case["arguments"])
        assert [str(problem) for problem in refused.value.problems] == case["refused"]
        return
    request = built(binding, case["arguments"])
    headers = [["Accept", "*/*"]]
    if "content_type" in case:
        headers.append(["Content-Type", case["content_type"]])
    assert request.method == binding.get("method", "GET")
    assert request.target == case.get("target", "/p")
    assert [list(field) for field in request.fields] == headers + case.get("headers", [])
    assert request.body == body_of(case)


@pytest.mark.parametrize(
    "cell",
    [(place, style, explode) for place in PLACES for style, explode in product(PLACES[place], (False, True))],
    ids=str,
)
def test_the_table_has_every_cell_of_the_style_table(cell: tuple[str, str, bool]) -> None:
    place, style, explode = cell
    kinds = {
        type(case["arguments"].get(parameter.get("argument")))
        for _, binding, case in cases()
        for parameter in binding.get(place, ())
        if isinstance(parameter, dict) and parameter.get("style") == style and parameter.get("explode") is explode
    }
    assert {str, list, dict} <= kinds


ATTACKS = [f"ARG-{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 22)]


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_table_shows_every_attack_on_a_request(attack: str) -> None:
    assert any(case.get("id") == attack for _, _, case in cases())


LONG = {"path": ["/p/", {"argument": "v", "name": "v", "style": "simple"}]}
MANY = {"query": [{"argument": "v", "name": "v", "style": "form", "explode": True}]}


@pytest.mark.parametrize(
    ("binding", "value", "length"), [(LONG, "x" * 2**20, 2**20 + 3), (MANY, ["1"] * 20_000, 80_002)]
)
def test_arg_11_a_target_beyond_32_kib_is_refused(binding: dict[str, Any], value: Any, length: int) -> None:
    with pytest.raises(Refused) as refused:
        built(binding, {"v": value})
    assert [str(each) for each in refused.value.problems] == [
        f"the request target is longer than 32 KiB ({length} bytes)"
    ]


def test_the_longest_target_is_still_sent() -> None:
    assert len(built(LONG, {"v": "x" * (32 * 1024 - 3)}).target) == 32 * 1024


def test_all_problems_of_all_places_are_reported_at_once() -> None:
    binding = {
        "path": ["/", {"argument": "p", "name": "p", "style": "simple"}],
        "query": [{"argument": "q", "name": "q", "style": "form"}],
        "headers": [{"argument": "h", "name": "H", "style": "simple"}],
        "cookies": [{"argument": "c", "name": "c", "style": "form", "explode": False}],
        "body": {"contentType": "x/y", "encoding": "binary", "argument": "b"},
    }
    with pytest.raises(Refused) as refused:
        built(binding, {"p": "", "q": "\0", "h": "\n", "c": [","], "b": "*"})
    assert [problem.argument for problem in refused.value.problems] == ["p", "q", "h", "c", "b"]


@pytest.mark.parametrize("hook_made", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_cannot_hold_is_refused_wherever_it_comes_from(hook_made: Any) -> None:
    body = {"contentType": "application/json", "encoding": "json", "argument": "v"}
    for binding in (LONG, MANY, {"method": "POST", "body": body}):
        with pytest.raises(Refused) as refused:
            built(binding, {"v": hook_made})
        assert [str(problem) for problem in refused.value.problems] == ["v: expected a value that JSON can hold"]


HOLE = {"argument": "id", "name": "id", "style": "simple"}


@pytest.mark.parametrize(
    ("path", "query", "problem"),
    [
        ("/a/x/b/c", [], "the arguments would make another path"),
        ("/a/x", [], "the arguments would make another path"),
        ("/z/x/b", [], "the arguments would make another path"),
        ("/a//b", [], "id: the arguments would make another path"),
        ("/a/../b", [], "id: expected text that cannot be read as a step to another path"),
        ("/a/%2e%2E/b", [], "id: expected text that cannot be read as a step to another path"),
        ("/a/%25252e/b", [], "id: expected text that cannot be read as a step to another path"),
        ("/a/x\r\n/b", [], "the request target holds characters that no URL has"),
        ("/a/%zz/b", [], "the request target holds characters that no URL has"),
        ("/a/x/b", ["a=b c"], "the request target holds characters that no URL has"),
        ("/a/x/b", ["a=#"], "the request target holds characters that no URL has"),
        ("/a/x/b", ["a=|"], "the request target holds characters that no URL has"),
        ("/a/é/b", [], "the request target holds characters that no URL has"),
    ],
)
def test_roundtrip_what_was_built_is_compared_whoever_built_it(path: str, query: list[str], problem: str) -> None:
    request = Request("GET", path, template=skeleton(["/a/", part(HOLE), "/b"]))
    request.query = query
    with pytest.raises(Refused) as refused:
        _compare(request)
    assert [str(each) for each in refused.value.problems] == [problem]


def test_the_server_is_the_bindings_or_the_first() -> None:
    assert (built({}, {}).server, built({"server": 3}, {}).server) == (0, 3)
    assert built({"accept": "text/csv"}, {}).fields == [("Accept", "text/csv")]
