"""Test requests that hooks have changed. Values that a hook adds are encoded as their location (path, query, header or
cookie) requires, or refused. Unchanged parts keep their bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from package.runtime.hooks import Request
from package.runtime.hooks.hook_request import rewritten, shown
from package.runtime.request.argument_errors import Unsendable
from package.runtime.request.request import LONGEST_TARGET
from package.runtime.request.request import Request as Built

Change = Callable[[Request], Request]


def built() -> Built:
    """Return a request with parts that another encoder would encode differently."""
    made = Built("POST", "/pets/;id=7,8/a%2fb", server=2)
    made.query = ["tag=a%20b,c", "deep[x]=%7e", "tag=a%20b%2Cc", "raw"]
    made.headers = [("Accept", "*/*"), ("Content-Type", "application/vnd.x+json"), ("X-Own", "1")]
    made.cookies = ["sid=a%20b"]
    made.body = b'{"a": 1.10}'
    return made


def fields(made: Built) -> dict[str, Any]:
    return {name: getattr(made, name) for name in Built.__slots__}


def test_a_hook_sees_what_is_meant() -> None:
    assert shown(built()) == Request(
        "POST",
        ("pets", ";id=7,8", "a/b"),
        (("tag", "a b,c"), ("deep[x]", "~"), ("tag", "a b,c"), ("raw", "")),
        (("Accept", "*/*"), ("Content-Type", "application/vnd.x+json"), ("X-Own", "1")),
        (("sid", "a b"),),
        b'{"a": 1.10}',
    )


def test_what_is_left_alone_stays_to_the_byte() -> None:
    request = shown(built())
    assert fields(rewritten(built(), request)) == fields(built())
    made = rewritten(built(), request.with_query("new", "1").with_path(*request.segments, "more").with_cookie("b", "2"))
    assert made.query == ["tag=a%20b,c", "deep[x]=%7e", "tag=a%20b%2Cc", "raw", "new=1"]
    assert made.path == "/pets/;id=7,8/a%2fb/more"
    assert made.cookies == ["sid=a%20b", "b=2"]
    assert made.server == 2


@pytest.mark.parametrize(
    ("change", "field", "expected"),
    [
        (lambda r: r.with_path("v2", "a/b?c#d e"), "path", "/v2/a%2Fb%3Fc%23d%20e"),
        (lambda r: r.with_path("\u00e9"), "path", "/%C3%A9"),
        (lambda r: r.with_query("raw", "1", "2"), "query", [*built().query[:3], "raw=1", "raw=2"]),
        (lambda r: replace(r, query=()).with_query("$filter", "a&b=c\r\n#"), "query", ["$filter=a%26b%3Dc%0D%0A%23"]),
        (lambda r: replace(r, query=()).with_query("a&b=", "+"), "query", ["a%26b%3D=%2B"]),
        (lambda r: r.with_query("tag").with_query("deep[x]").with_query("raw"), "query", []),
        (lambda r: r.with_header("x-own", "2"), "headers", [*built().headers[:2], ("x-own", "2")]),
        (lambda r: r.with_header("X-OWN"), "headers", built().headers[:2]),
        (lambda r: r.with_header("Authorization", "Sig x"), "headers", [*built().headers, ("Authorization", "Sig x")]),
        (lambda r: r.with_cookie("sid"), "cookies", []),
        (lambda r: r.with_cookie("a;b", "c; d=e"), "cookies", ["sid=a%20b", "a%3Bb=c%3B%20d=e"]),
        (lambda r: r.with_json({"é": [1]}), "body", '{"é":[1]}'.encode()),
        (lambda r: r.with_json(1), "headers", built().headers),
        (lambda r: r.with_body(b"x"), "headers", built().headers),
        (lambda r: r.with_body(b"x", "a/b"), "headers", [built().headers[0], ("X-Own", "1"), ("Content-Type", "a/b")]),
        (lambda r: r.with_body(None), "headers", [built().headers[0], ("X-Own", "1")]),
        (lambda r: r.with_body(None), "body", None),
        (
            lambda r: r.with_body(None).with_json([]),
            "headers",
            [built().headers[0], ("X-Own", "1"), ("Content-Type", "application/json")],
        ),
    ],
)
def test_what_is_added_is_written_by_the_rules_of_its_place(change: Change, field: str, expected: Any) -> None:
    assert getattr(rewritten(built(), change(shown(built()))), field) == expected


EMPTY = "a segment of the path is empty"
MISREAD = "a segment of the path can be read as something else"
NAME = "a header has a name that a hook may not set"
VALUE = "a header is more than visible ASCII characters, or has blanks at its ends"
NO_TEXT = "a segment, a name or a value is no text"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda r: replace(r, method="DELETE"), "the method of a request stays what it is"),
        (lambda r: r.with_path(), EMPTY),
        (lambda r: r.with_path("pets", ""), EMPTY),
        (lambda r: r.with_path("pets", "  "), EMPTY),
        (lambda r: r.with_path("pets", ".."), MISREAD),
        (lambda r: r.with_path("pets", "%2e%2e"), MISREAD),
        (lambda r: r.with_path("pets", "..\\x"), MISREAD),
        (lambda r: r.with_path("pets", "a\r\nb"), MISREAD),
        (lambda r: r.with_path("//evil.example", 7), NO_TEXT),
        (lambda r: replace(r, segments="pets"), NO_TEXT),
        (lambda r: r.with_path("\ud800"), "a text holds lone surrogates"),
        (lambda r: r.with_path("x" * LONGEST_TARGET), "the request target is longer than 32 KiB"),
        (lambda r: r.with_query("n", 1), NO_TEXT),
        (lambda r: r.with_query("n", "\0"), "a query parameter has no name, or holds a NUL character"),
        (lambda r: r.with_query("", "x"), "a query parameter has no name"),
        (lambda r: replace(r, query=(("a",),)), "a name stands without its value"),
        (lambda r: replace(r, query=None), "the query, the headers or the cookies are no sequence of pairs"),
        *(
            (lambda r, name=name: r.with_header(name, "x"), NAME)
            for name in ("Host", "content-length", "COOKIE", "a b")
        ),
        *((lambda r, name=name: r.with_header(name, "x"), NAME) for name in ("Transfer-Encoding", "X\r\nY", "", "é")),
        *(
            (lambda r, value=value: r.with_header("X-A", value), VALUE)
            for value in ("a\r\nX-B: c", "\0", "é", " a", "\n")
        ),
        (lambda r: r.with_cookie("", "x"), "a cookie has no name"),
        (lambda r: r.with_body("text"), "a body is bytes"),
    ],
)
def test_what_has_no_form_is_refused_without_its_value(change: Any, reason: str) -> None:
    with pytest.raises(Unsendable) as refused:
        rewritten(built(), change(shown(built())))
    assert str(refused.value).startswith(reason)
    assert "evil" not in str(refused.value)


def test_a_path_that_ends_with_a_slash_may_go_on_doing_so() -> None:
    made = Built("GET", "/pets/")
    assert rewritten(made, shown(made).with_path("v2", "pets", "")).path == "/v2/pets/"


def test_a_request_reads_well() -> None:
    request = shown(built())
    assert request.path == "/pets/%3Bid%3D7%2C8/a%2Fb"
    assert (request.header("content-TYPE"), request.header("none")) == ("application/vnd.x+json", None)
    assert request.json() == {"a": 1.1}
    assert request.with_body(None).json() is None
    with pytest.raises(ValueError, match="Expecting value"):
        request.with_body(b"<").json()
    with pytest.raises(ValueError, match="not JSON compliant"):
        request.with_json(float("nan"))
    with pytest.raises(FrozenInstanceError):
        request.body = b""  # type: ignore[misc]
    assert json.loads(request.with_json({"a": 2}).body or b"") == {"a": 2}
