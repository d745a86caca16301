"""Test ARG-24: a text from a model is refused, or an API that decodes the request once gets the same text."""

from __future__ import annotations

import json
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl, unquote

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from package.runtime.core.catalog import Tool
from package.runtime.files.files import Files
from package.runtime.request.argument_errors import Refused
from package.runtime.request.request import Request, build

from tests.runtime.parts import part

TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
NASTY = st.text(st.sampled_from(list("./\\%2eEfF5cC;&=#?+ ,|[]\"'\r\n\0:@é")), max_size=12)
VALUES = TEXTS | NASTY
seeded = settings(derandomize=True, max_examples=500, deadline=None)


def sent(binding: dict[str, Any], arguments: dict[str, Any]) -> Request:
    try:
        return build(
            Tool("t", {}, part({"method": "POST", "path": ["/p"], **binding})), arguments, Files(None, ""), bytes
        )
    except Refused:
        assume(False)
        raise


@seeded
@given(VALUES, VALUES)
@example("..", "x")
@example(".", ".")
def test_a_path_value_stays_in_its_segment(first: str, second: str) -> None:
    hole = {"name": "v", "style": "simple"}
    request = sent(
        {"path": ["/a/", {"argument": "a", **hole}, "/b/", {"argument": "b", **hole}]}, {"a": first, "b": second}
    )
    assert request.target.isascii()
    empty, a, one, b, two = request.target.split("/")
    assert (empty, a, unquote(one), b, unquote(two)) == ("", "a", first, "b", second)
    for segment in (one, two):
        decoded = segment
        for _ in range(4):
            assert not {".", ".."} & set(decoded.replace("\\", "/").split("/"))
            decoded = unquote(decoded)


@seeded
@given(st.lists(VALUES, min_size=1, max_size=4), VALUES, st.sampled_from([True, False]))
def test_a_query_value_comes_back_and_adds_no_name(items: list[str], single: str, explode: bool) -> None:
    query = [
        {"argument": "list", "name": "li&st", "style": "form", "explode": explode},
        {"argument": "single", "name": "single", "style": "form", "explode": explode},
    ]
    request = sent({"query": query}, {"list": items, "single": single})
    _, _, written = request.target.partition("?")
    pairs = parse_qsl(written, keep_blank_values=True, strict_parsing=True)
    assert pairs[-1] == ("single", single)
    if explode:
        assert pairs[:-1] == [("li&st", item) for item in items]
    else:
        assert [unquote(item) for item in written.partition("=")[2].partition("&")[0].split(",")] == items


@seeded
@given(VALUES)
def test_a_header_value_is_sent_as_it_is_or_not_at_all(value: str) -> None:
    request = sent({"headers": [{"argument": "h", "name": "X-H", "style": "simple"}]}, {"h": value})
    assert request.fields[1:] == [("X-H", value)]
    assert value.isascii()
    assert value.isprintable()


@seeded
@given(VALUES)
def test_a_cookie_value_is_one_pair(value: str) -> None:
    request = sent({"cookies": [{"argument": "c", "name": "sid", "style": "form"}]}, {"c": value})
    [_, (name, cookie)] = request.fields
    assert name == "Cookie"
    assert cookie.isascii()
    assert not set(cookie) & set(' ",;\\')
    assert (cookie[:4], unquote(cookie[4:])) == ("sid=", value)


@seeded
@given(st.dictionaries(VALUES, VALUES, max_size=4))
def test_a_form_comes_back(members: dict[str, str]) -> None:
    body = {"contentType": "application/x-www-form-urlencoded", "encoding": "form", "argument": "body"}
    request = sent({"body": body}, {"body": members})
    assert request.body is not None
    parsed = parse_qsl(request.body.decode("ascii"), keep_blank_values=True) if members else []
    assert dict(parsed) == members


@seeded
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | VALUES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(VALUES, inner, max_size=3),
    )
)
def test_a_json_body_comes_back(value: Any) -> None:
    body = {"contentType": "application/json", "encoding": "json", "argument": "body"}
    request = sent({"body": body}, {"body": value})
    assert request.body is not None
    assert json.loads(request.body) == value


@seeded
@given(st.lists(st.tuples(NASTY, VALUES), max_size=3), st.binary(max_size=60))
@example([("x", "--mcpgen-00000000000000000000000000000000--\r\n")], b"\r\n--mcpgen-00000000000000000000000000000000")
def test_a_multipart_body_has_exactly_its_parts(named: list[tuple[str, str]], content: bytes) -> None:
    import base64

    fields: list[dict[str, Any]] = [
        {"argument": f"a{index}", "name": name, "part": "text"} for index, (name, _) in enumerate(named)
    ]
    fields.append({"argument": "file", "name": "file", "part": "file", "filename": "file_name"})
    body = {"contentType": "multipart/form-data", "encoding": "multipart", "required": True, "fields": fields}
    arguments = {f"a{index}": value for index, (_, value) in enumerate(named)}
    request = sent({"body": body}, {**arguments, "file": base64.b64encode(content).decode()})
    [content_type] = [value for name, value in request.fields if name == "Content-Type"]
    assert request.body is not None
    boundary = content_type.partition("boundary=")[2].encode()
    opened, *parts, closed = (b"\r\n" + request.body).split(b"\r\n--" + boundary)
    assert (opened, closed) == (b"", b"--\r\n")
    found = [part.removeprefix(b"\r\n").partition(b"\r\n\r\n") for part in parts]
    assert [inner for _, _, inner in found] == [*(value.encode() for _, value in named), content]
    for head, _, _ in found:
        parsed = BytesParser(policy=HTTP).parsebytes(head)
        assert set(parsed.keys()) <= {"Content-Disposition", "Content-Type"}
