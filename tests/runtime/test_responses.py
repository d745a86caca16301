"""Test results with tables of cases: a response gives content blocks or an error text. Add a row to a table, not a
test.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Tool
from package.runtime.core.wire_formats import ABSENT
from package.runtime.http.client import Failure
from package.runtime.http.exchange import Response, Sent
from package.runtime.result import response as module
from package.runtime.result.failures import explain, no_answer
from package.runtime.result.response import interpret, is_large
from package.runtime.settings.sizes import INLINE, LEAST_INLINE, MOST_INLINE, inline
from package.runtime.text.redaction import Redactor

from tests.runtime.parts import part

TABLE = Path(__file__).parent / "responses"
PET = ["/pets/", {"argument": "pet_id", "name": "petId", "style": "simple"}]
CREATE = {
    "path": ["/pets"],
    "query": [{"argument": "tag", "name": "tag", "style": "form"}],
    "body": {"contentType": "application/json", "encoding": "json", "argument": "body"},
}
UPDATE = {
    "path": PET,
    "query": [{"argument": "dry_run", "name": "dry run", "style": "form"}],
    "headers": [{"argument": "if_match", "name": "If-Match", "style": "simple"}],
    "cookies": [{"argument": "seen", "name": "seen", "style": "form"}],
    "body": {
        "contentType": "application/json",
        "encoding": "json",
        "fields": [
            {"argument": "new_name", "name": "name"},
            {"argument": "address", "name": "address"},
            {"value": 1, "name": "version"},
        ],
        "rest": "more",
    },
}
BODY_SCHEMA = {"type": "object", "properties": {"body": {}, "tag": {}}, "required": ["body"]}
SIZE = 5 * 2**20 + 1
URI = "petstore://result/1"
REQUESTS = {
    "get": Sent(Tool("get_pet", {}, part({"path": PET})), "GET", "/pets/7", ["PETSTORE_API_KEY"], URI),
    "delete": Sent(Tool("delete_pet", {}, part({"path": PET})), "DELETE", "/pets/7", [], URI),
    "create": Sent(Tool("create_pet", BODY_SCHEMA, part(CREATE)), "POST", "/pets", [], URI),
    "update": Sent(Tool("update_pet", {}, part(UPDATE)), "PATCH", "/pets/7", [], URI),
}
SOURCED = {
    "type": "object",
    "properties": {
        "pet_id": {"type": "integer", "description": "The pet. From list_pets."},
        "size": {"enum": ["small", "large", 3]},
    },
}
SIZED = {"path": PET, "query": [{"argument": "size", "name": "pet-size", "style": "form"}]}
REQUESTS["sourced"] = Sent(Tool("size_pet", SOURCED, part(SIZED)), "GET", "/pets/7", [], URI)
DECLARED = {"path": PET, "accept": "application/json, */*;q=0.1", "redirects": ["302", "303"]}
REQUESTS["query"] = Sent(Tool("query_pets", {}, part(CREATE)), "QUERY", "/pets", [], URI)
REQUESTS["declared"] = Sent(Tool("read_log", {}, part(DECLARED)), "GET", "/pets/7", [], URI)
REQUESTS["moving"] = Sent(Tool("drop", {}, part({**DECLARED, "redirects": ["3XX"]})), "POST", "/pets/7", [], URI)
REQUESTS["paged"] = Sent(
    Tool("page", {}, part({"path": PET, "accept": "application/json, text/html, */*;q=0.1"})), "GET", "/", [], URI
)
SHOWING = {"path": PET, "shows": ["X-Checksum", "x-total-count"]}
REQUESTS["head"] = Sent(Tool("check_pet", {}, part(SHOWING)), "HEAD", "/pets/7", [], URI)
REDACTOR = Redactor(["hunter22"])


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((TABLE / f"{name}.json").read_text())["cases"]
    return found


def received(case: dict[str, Any]) -> Response:
    content = base64.b64decode(case["base64"]) if "base64" in case else case.get("body", "").encode()
    return Response(case["status"], case.get("reason", ""), [(name, value) for name, value in case["headers"]], content)


@pytest.mark.parametrize("case", cases("successes"), ids=lambda case: f"{case['status']}")
def test_a_success_becomes_blocks(case: dict[str, Any]) -> None:
    result = interpret(received(case), REQUESTS[case.get("to", "get")], REDACTOR)
    assert result.content == case["content"]
    assert (result.is_error, result.structured) == (False, ABSENT)


@pytest.mark.parametrize("case", cases("failures"), ids=lambda case: f"{case['status']}")
def test_a_failure_becomes_one_text(case: dict[str, Any]) -> None:
    result = interpret(received(case), REQUESTS[case["to"]], REDACTOR)
    assert result.is_error
    assert [block["type"] for block in result.content] == ["text"]
    assert str(result.content[0]["text"]).split("\n") == case["text"]


def text_of(response: Response) -> tuple[str, list[str]]:
    block, *notes = [str(block["text"]) for block in interpret(response, REQUESTS["get"], REDACTOR).content]
    return block, notes


JSON = [("Content-Type", "application/json")]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"x" * 32_001, "x" * 32_000),
        ("\u20ac".encode() * 10_667, "\u20ac" * 10_666),
        (b"a,b\n" * 8_001, "a,b\n" * 7_999 + "a,b"),
        (b"a,b\n" + b"x" * 32_000, "a,b\n" + "x" * 31_996),
        (b"[" * 40_000, "[" * 32_000),
        (b'{"a":NaN}' * 4_000, '{"a":NaN}' * 3_555 + '{"a":'),
    ],
)
def test_a_long_text_is_cut_in_whole_lines_and_says_so(content: bytes, shown: str) -> None:
    text, notes = text_of(Response(200, "", JSON, content))
    assert text == f"{shown}\n[Cut: the first {len(shown.encode()):,} of {len(content):,} bytes are shown.]"
    assert not notes


@pytest.mark.parametrize(
    ("charset", "content", "size"),
    [
        ("windows-1251", "\u043f".encode("cp1251") * 16_001, 32_002),
        ("utf-16", "\u4f60".encode("utf-16-le") * 10_667, 32_001),
        ("utf-8", b"\xff" * 10_667, 32_001),
    ],
)
def test_a_text_is_as_large_as_its_utf_8(charset: str, content: bytes, size: int) -> None:
    answer = Response(200, "", [("Content-Type", f"text/plain; charset={charset}")], content)
    assert f" of {size:,} bytes are shown." in text_of(answer)[0]
    assert is_large(answer, 32_000)
    assert not is_large(answer, size)


def test_what_fits_stays_byte_for_byte() -> None:
    assert text_of(Response(200, "", JSON, b" " * 31_990 + b"[1.10,2 ]\n")) == (" " * 31_990 + "[1.10,2 ]\n", [])


def test_json_that_does_not_fit_is_cut_in_whole_items_or_only_loses_its_blanks() -> None:
    rows = [{"id": number, "name": f"n{number}"} for number in range(2000)]
    text, (note,) = text_of(Response(200, "", JSON, json.dumps(rows, indent=1).encode()))
    assert json.loads(text) == rows[: len(json.loads(text))]
    assert 31_900 < len(text) <= 32_000
    assert note == f"Cut: {2000 - len(json.loads(text)):,} of 2,000 items of the answer are left out."
    rows = rows[:1000]
    response = Response(200, "", JSON, json.dumps(rows, indent=4).encode())
    # the whole response is stored, but no note says so: without whitespace it fits, so nothing is cut
    response.kept = response.size
    assert text_of(response) == (json.dumps(rows, separators=(",", ":")), [])


@pytest.mark.parametrize(
    ("status", "media_type", "size", "large"),
    [
        (200, "text/plain", 100, False),
        (200, "text/plain", 101, True),
        (500, "text/plain", 101, False),
        (200, "image/png", LEAST_INLINE, False),
        (200, "image/png", LEAST_INLINE + 1, True),
    ],
)
def test_what_is_not_shown_whole_is_worth_keeping(status: int, media_type: str, size: int, large: bool) -> None:
    assert is_large(Response(status, "", [("Content-Type", media_type)], b"x" * size), 100) is large


@pytest.mark.parametrize(
    ("number", "promised"),
    [(b"9" * 40_000, False), (b"9" * 40_000, True), (b"1e400", False), (b"1e400", True), (b"-0." + b"1" * 9000, False)],
    ids=["integer", "a promised integer", "exponent", "a promised exponent", "fraction"],
)
def test_up_09_a_number_that_no_double_holds_stays_text(number: bytes, promised: bool) -> None:
    tool = Tool(
        "get_pet", {}, part({"path": PET, "output": "object"}), output_schema={"type": "object"} if promised else None
    )
    body = b'{"id":' + number + b"}"
    result = interpret(Response(200, "", JSON, body), Sent(tool, "GET", "/pets/7", [], URI), REDACTOR)
    assert str(result.content[0]["text"]).startswith(body[:1000].decode())
    assert len(str(result.content[0]["text"])) < 32_200
    assert result.structured is ABSENT


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"[" * 8_000_000, "[[[["),
        (b"[" + b"[]," * 2_000_000 + b"[]]", "[[],[],"),
        (b"[" + b'{"a":1},' * 1_000_000 + b"{}]", '[{"a":1},{"a":1},'),
        (b'{"a":' * 1_000_000, '{"a":{"a":'),
        (b'"' + b"x" * 8_000_000, '"xxxx'),
        (b'{"a":"' + b'\\"' * 4_000_000 + b'"}', '{"a":"\\"\\"'),
        (b'{"a":{"b":["' + b"x" * 8_000_000 + b'"]}}', '{"a":{"b":["xxxx'),
        (b"," * 8_000_000, ",,,,"),
    ],
    ids=["open", "empty lists", "small objects", "deep", "a text", "escapes", "inner", "commas"],
)
def test_up_07_of_megabytes_of_any_json_a_bounded_part_is_shown(body: bytes, expected: str) -> None:
    text = str(interpret(Response(200, "", JSON, body), REQUESTS["get"], REDACTOR).content[0]["text"])
    assert text.startswith(expected)
    assert len(text) < 32_200


QUERY = {
    "list_pets": ["limit", "page", "fields"],
    "find_pets": ["page[size]", "$skip", "$select"],
    "all_pets": ["tag"],
}


@pytest.mark.parametrize(
    ("name", "way", "following"),
    [
        ("list_pets", "To see more, call again with limit={}, the next page, fewer fields. ", ""),
        ("find_pets", "To see more, call again with a1={}, the next a2, a shorter a3. ", "Next page: a2={}\n"),
        ("all_pets", "To see more, narrow the call by its other arguments. ", ""),
    ],
)
def test_what_was_cut_is_said_with_how_to_get_it(name: str, way: str, following: str) -> None:
    names = {wire: wire if wire.isalpha() else f"a{index}" for index, wire in enumerate(QUERY[name], 1)}
    query = [{"name": wire, "argument": argument, "style": "form"} for wire, argument in names.items()]
    sent = Sent(Tool(name, {}, part({"path": ["/pets"], "query": query})), "GET", "/pets", [], URI)
    response = Response(200, "", JSON, json.dumps({"pets": [{"id": number} for number in range(5000)]}).encode())
    response.kept = response.size
    text, note, link = interpret(response, sent, REDACTOR).content
    count = len(json.loads(str(text["text"]))["pets"])
    assert note["text"] == (
        f"{following.format(count)}Cut: {5000 - count:,} of 5,000 items of pets are left out. {way.format(count)}"
        f"All that came, {response.size:,} bytes, is kept: resources/read of petstore://result/1."
    )
    assert link == {
        "type": "resource_link",
        "uri": URI,
        "name": f"The whole answer of {name}",
        "mimeType": "application/json",
    }


@pytest.mark.parametrize("case", cases("paging"), ids=lambda case: case["next"] or "nothing")
def test_what_comes_next_is_said_by_the_names_of_the_arguments(case: dict[str, Any]) -> None:
    query = [{"name": name, "argument": name, "style": "form"} for name in case["takes"]]
    tool = Tool("list_pets", {"properties": case["takes"]}, part({"path": ["/pets"], "query": query}))
    fields = [*JSON, ("Link", case["link"])] if "link" in case else JSON
    fields = [*fields, *map(tuple, case.get("headers", ()))]
    body = json.dumps(case.get("body", [])).encode()
    _, *notes = interpret(
        Response(200, "", fields, body), Sent(tool, "GET", "/pets", [], URI, case["sent"]), REDACTOR
    ).content
    assert [note["text"] for note in notes] == ([f"Next page: {case['next']}"] if case["next"] else [])


def test_a_text_that_was_not_read_to_its_end_says_so() -> None:
    assert text_of(Response(200, "", [("Content-Type", "text/event-stream")], b"data: 1\n\n", cut=True)) == (
        "data: 1\n\n",
        ["Only the first 9 bytes of the answer were read; then the connection was closed."],
    )


def test_cred_06_a_secret_is_redacted_before_the_text_is_cut() -> None:
    text, _ = text_of(Response(200, "", JSON, b"x" * 31_996 + b"hunter22"))
    assert "hunt" not in text


PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("shown", [2_000, 8_000, 32_000, 1_000_000])
def test_hard_18_a_file_of_just_the_limit_is_passed_on(shown: int) -> None:
    """Pass on an image of exactly the size limit.

    The size limit grows with the limit for text, but stays between 64 KiB and 5 MiB of base64 (UP-14).
    """
    limit = inline(shown)
    image = Response(200, "", [("Content-Type", "image/png")], PNG.ljust(limit, b"\0"))
    result = interpret(image, REQUESTS["get"], REDACTOR, shown)
    assert result.content[0]["type"] == "image"
    assert len(str(result.content[0]["data"])) <= 5 * 2**20
    image.content += b"\0"
    [text] = interpret(image, REQUESTS["get"], REDACTOR, shown).content
    assert "too large to be passed on" in str(text["text"])
    assert limit == {2_000: LEAST_INLINE, 1_000_000: MOST_INLINE}.get(shown, INLINE * shown)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (0, ""),
        (SIZE, f" All that came, {SIZE:,} bytes, is kept: resources/read of petstore://result/1."),
        (
            131_072,
            " The first 131,072 of 5,242,881 bytes are kept, for which there was time: resources/read of "
            "petstore://result/1.",
        ),
    ],
)
def test_up_14_a_file_that_is_too_large_is_described_and_can_be_read(kept: int, told: str) -> None:
    response = Response(200, "", [("Content-Type", "image/png")], PNG.ljust(SIZE, b"\0"))
    response.kept = kept
    text, *link = interpret(response, REQUESTS["get"], REDACTOR).content
    assert text["text"] == f"The answer is a file: image/png, 5,242,881 bytes, too large to be passed on.{told}"
    assert [each["uri"] for each in link] == ([URI] if kept else [])


def test_up_14_a_file_that_was_not_read_to_its_end_says_so() -> None:
    assert text_of(Response(200, "", [("Content-Type", "image/png")], PNG, cut=True)) == (
        "The answer is a file: image/png, 8 bytes, too large to be passed on.",
        ["Only the first 8 bytes of the answer were read; then the connection was closed."],
    )


def test_up_12_an_excerpt_is_short_and_a_huge_error_is_not_parsed() -> None:
    body = json.dumps({"message": "m" * 70_000}).encode()
    [headline, advice, excerpt] = explain(Response(500, "", JSON, body), REQUESTS["get"], REDACTOR).split("\n")
    assert headline == "HTTP 500 Internal Server Error from GET /pets/7."
    assert len(excerpt) == len("The upstream said: ") + 1000 + len("…")
    assert advice == "Calling again is safe."


@pytest.mark.parametrize(
    "body", [b"[" * 60_000, b'{"errors":' * 6_000, b"9" * 60_000, b"\xff\xfe{", b'{"message":"\\ud800"}']
)
def test_up_07_no_body_breaks_the_explanation(body: bytes) -> None:
    assert explain(Response(500, "", JSON, body), REQUESTS["get"], REDACTOR).startswith("HTTP 500")


def test_up_12_markup_that_never_closes_costs_little() -> None:
    body = b"<script>" * 100_000
    assert explain(Response(500, "", [("Content-Type", "text/html")], body), REQUESTS["get"], REDACTOR)


def test_at_most_twenty_findings_are_shown() -> None:
    errors = [{"pointer": f"/x{index}", "detail": "d"} for index in range(30)]
    text = explain(
        Response(422, "", JSON, json.dumps({"title": "t", "errors": errors}).encode()), REQUESTS["get"], REDACTOR
    )
    assert len(text.split("\n")) == 21


@pytest.mark.parametrize(
    ("to", "sent", "text"),
    [
        ("get", False, "GET /pets/7 failed: api.example refused the connection. Nothing was sent."),
        ("get", True, "GET /pets/7 failed: api.example refused the connection. Calling again is safe."),
        (
            "create",
            True,
            "POST /pets failed: api.example refused the connection. "
            "It may have been carried out all the same: look before calling again.",
        ),
        ("query", True, "QUERY /pets failed: api.example refused the connection. Calling again is safe."),
    ],
)
def test_a_request_without_an_answer_is_explained(to: str, sent: bool, text: str) -> None:
    assert no_answer(Failure("api.example refused the connection", sent), REQUESTS[to]) == text


def test_the_limits_are_what_the_table_shows() -> None:
    assert (module.SHOWN, LEAST_INLINE, MOST_INLINE) == (32_000, 64 * 1024, 3_932_160)


def test_the_uri_of_an_answer_is_made_once_and_only_where_it_is_wanted() -> None:
    made = iter(["x://1", "x://2"])
    sent = Sent(Tool("get_pet", {}, part({"path": PET})), "GET", "/pets/7", [], lambda: next(made))
    interpret(Response(200, "", JSON, b"{}"), sent, REDACTOR)
    assert next(made) == "x://1"
    assert [sent.uri, sent.uri] == ["x://2"] * 2
