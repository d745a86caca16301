"""Test resources by URI, completions and prompts: results are as the generated JSON files say, in bounded time and
size, for any request.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from package.runtime.core import features as module
from package.runtime.core.catalog import Catalog
from package.runtime.core.effects import Fetched, Send
from package.runtime.core.features import LONGEST_URI, Features
from package.runtime.core.jsonrpc import Request
from package.runtime.core.protocol import Protocol
from package.runtime.core.wire_formats import Contents

from tests.runtime.conversation import FEATURED, Conversation


class Table:
    """Fake catalog with only resources and prompts."""

    name = "db"
    private = False
    server = {"name": "db", "version": "1"}  # noqa: RUF012 (as a Catalog has it)
    header: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, resources: list[Any] | None = None, prompts: list[Any] | None = None) -> None:
        self._entries = {"resources": resources or [], "prompts": prompts or []}

    def entries(self, kind: str) -> list[Any]:
        return self._entries[kind]

    def offers(self, feature: str) -> bool:
        return bool(self._entries.get(feature))


def features(*uris: str, prompts: list[Any] | None = None) -> Features:
    listed = [{"uriTemplate" if "{" in uri else "uri": uri, "name": uri} for uri in uris]
    return Features(Table([{"listed": each, "binding": {}} for each in listed], prompts))  # type: ignore[arg-type]


def found(uri: str, *templates: str) -> dict[str, object] | None:
    there = features(*templates).find(uri)
    return there.variables if isinstance(there, Fetched) else None


def by_expression(template: str, uri: str) -> dict[str, object] | None:
    """Match the URI template by a regular expression. This is the slow reference implementation."""
    literals, names = re.split(r"\{\w+\}", template), re.findall(r"\{(\w+)\}", template)
    variables = (f"(?P<{name}>[^/?#&]+?){re.escape(end)}" for name, end in zip(names, literals[1:], strict=True))
    match = re.fullmatch(re.escape(literals[0]) + "".join(variables), uri)
    return dict(match.groupdict()) if match else None


TEMPLATES = [
    "c:{y}",
    "c:{y}-{m}-{d}/x",
    "c:{y}-{m}",
    "c:{y}--{m}-",
    "c:{y}-/-{m}",
    "c:{y}x/{m}x-x{d}",
    "c:{y}?a={m}&b={d}",
    "c:-{y}--",
]


@pytest.mark.parametrize("template", TEMPLATES)
@given(st.text("-/x", max_size=14) | st.text("-/x?&#=ab", max_size=10))
def test_a_template_takes_what_an_expression_would(template: str, rest: str) -> None:
    for uri in (f"c:{rest}", rest, re.sub(r"\{\w+\}", lambda _: rest, template)):
        assert found(uri, template) == by_expression(template, uri)


class Counted(str):
    """A string that counts how many of its characters are examined."""

    __slots__ = ()
    looked_at = 0

    def find(self, sub: str, start: int = 0) -> int:  # type: ignore[override]
        place = super().find(sub, start)
        Counted.looked_at += (len(self) if place < 0 else place) - start + len(sub)
        return place

    def __getitem__(self, place: Any) -> str:
        part = super().__getitem__(place)
        Counted.looked_at += len(part)
        return part


@pytest.mark.parametrize("template", [*TEMPLATES, "c:" + "-".join(f"{{v{n}}}" for n in range(100)) + "/x"])
@pytest.mark.parametrize("rest", ["-", "--", "x-", "-/", "x-x", "a=&b="])
def test_no_uri_is_looked_at_more_than_twice(template: str, rest: str) -> None:
    uri = Counted("c:" + rest * 2000)
    Counted.looked_at = 0
    literals, names = module.pieces(template)
    module.matched(uri, literals, names)
    assert 0 <= Counted.looked_at <= 2 * (len(uri) + len(template))


def test_a_uri_that_is_too_long_leads_nowhere() -> None:
    uri = "c:" + "x" * LONGEST_URI
    there = features("c:{y}").find(uri)
    assert isinstance(there, Contents)
    assert (there.contents, there.reason) == (
        None,
        "There is nothing at this URI: it has more than 8,192 characters.",
    )
    assert found(uri[:LONGEST_URI], "c:{y}") == {"y": uri[2:LONGEST_URI]}


@pytest.mark.parametrize(
    ("uri", "variables"),
    [
        ("db://result/25", None),
        ("db://result/999?from=5", None),
        ("db://results/25", {"table": "results", "id": "25"}),
        ("db://users/25", {"table": "users", "id": "25"}),
    ],
)
def test_no_template_takes_what_is_kept(uri: str, variables: dict[str, object] | None) -> None:
    assert found(uri, "db://{table}/{id}", "db://resul{table}/{id}?from={from}") == variables


class Compared(str):
    """A string that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Compared.compared += 1
        return super().__eq__(other)

    __hash__ = str.__hash__


def test_values_are_not_compared_with_each_other() -> None:
    values = [Compared(f"a{number}") for number in range(300)] + [Compared("Ba"), Compared("b")]
    Compared.compared = 0
    assert module.matching(values, "A") == [*values[:300], "Ba"]
    assert Compared.compared <= len(values) + 1  # also counts comparisons by `==` in the line above


def prompt(*text: Any) -> Features:
    listed = {"name": "look", "arguments": [{"name": "what", "required": False}]}
    return features(prompts=[{"listed": listed, "messages": [{"role": "user", "text": list(text)}]}])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        # the full text would have a gigabyte, and must never be built
        ([{"argument": "what"}] * 100_000, "x" * 10_000),
        ([{"argument": "what"}], "é" * 2_000_000),
        (["x" * 10_000_000], ""),
    ],
)
def test_a_prompt_that_no_client_reads_is_refused(text: list[Any], what: str) -> None:
    protocol = Protocol(Catalog.load(str(FEATURED)))
    protocol._beside = prompt(*text)
    protocol.receive(Request(0, "initialize", {"protocolVersion": "2025-11-25"}))
    [told] = protocol.receive(Request(1, "prompts/get", {"name": "look", "arguments": {"what": what}}))
    assert isinstance(told, Send)
    assert json.loads(told.line)["error"] == {
        "code": -32603,
        "message": "The answer to prompts/get is larger than clients read in one message.",
    }


@pytest.mark.parametrize(
    ("lines", "rejected"),
    [
        (['{"id":1,"method":"call_tool","params":{"name":"echo","_meta":5}}'], ["echo"]),
        (['{"id":1,"method":"call_tool","params":{"name":"wait"}}'] * 2, ["wait"]),
        (['{"id":1,"method":"list_tools","params":{"_meta":5}}'], []),
        (
            [
                '{"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
                '{"id":1,"method":"call_tool","params":{"name":"echo","_meta":5}}',
            ],
            [],
        ),
    ],
)
def test_call_tool_is_on_record_like_tools_call(lines: list[str], rejected: list[str]) -> None:
    conversation = Conversation()
    for line in lines:
        conversation.say(line.replace("{", '{"jsonrpc":"2.0",', 1).encode() + b"\n")
    assert conversation.rejected == rejected
