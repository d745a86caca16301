"""Test the list of origins that a server may send requests to: which origins a URL adds, how each compile changes the
list, and who may accept a new origin.
"""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model.options import Options
from mcpgen.pipeline import Project, compile_source
from mcpgen.read.fetch import Fetched, Folder


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.example/v1", "https://a.example"),
        ("HTTPS://A.Example:443", "https://a.example"),
        ("http://a.example:80/", "http://a.example"),
        ("http://a.example:443/", "http://a.example:443"),
        ("https://a.example?x=//b", "https://a.example"),
        ("https://a.example#//b", "https://a.example"),
        ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443"),
        ("https://{region}.a.example/{path}", "https://{region}.a.example"),
        ("/v1", ""),
        ("", ""),
    ],
)
def test_the_origin_of_a_url(url: str, origin: str) -> None:
    assert origins.of_url(url) == origin
    assert origins.is_origin(origin) is bool(origin)


@pytest.mark.parametrize("text", ["", "https://", "a.example", "ftp://a.example", "https://u@a.example", "https://a b"])
def test_what_is_no_origin(text: str) -> None:
    assert not origins.is_origin(text)


@pytest.mark.parametrize(
    ("url", "defaults", "expected"),
    [
        ("https://a.example/{v}", {"v": "1"}, ("https://a.example",)),
        ("https://{r}.a.example", {"r": "eu"}, ("https://{r}.a.example", "https://eu.a.example")),
        ("{u}/v1", {"u": "https://a.example"}, ("https://a.example",)),
        ("{s}://{h}/v1", {"s": "https", "h": "a.example"}, ("{s}://{h}", "https://a.example")),
        ("https://{h}/v1", {"h": ""}, ("https://{h}",)),
        ("/v1", {}, ()),
    ],
)
def test_a_server_counts_as_it_is_written_and_with_its_defaults(
    url: str, defaults: dict[str, str], expected: tuple[str, ...]
) -> None:
    assert origins.of_server(url, defaults) == expected


A, B, C = "https://a", "https://b", "https://c"


@pytest.mark.parametrize(
    ("named", "before", "owned", "expected"),
    [
        ({A, B}, None, (), {A: True, B: True}),
        ({A}, {A: True}, (), {A: True}),
        # An origin that no URL uses any more is removed from the lock file. It stays while the owner must still accept
        # another origin, since the source may name it again.
        ({A}, {A: True, B: True}, (), {A: True}),
        ({A, C}, {A: True, B: True}, (), {A: True, B: True, C: False}),
        ({A, C}, {A: True, B: True, C: False}, (), {A: True, B: True, C: False}),
        ({A}, {A: True, B: True, C: False}, (), {A: True}),
        # Origins that the project's owner lists in `accept_origin` are accepted, even if no URL uses them yet.
        ({A, C}, {A: True, B: True, C: False}, (C,), {A: True, C: True}),
        ({A}, {A: True}, (C,), {A: True, C: True}),
        ({A, C}, {A: True, C: True}, (), {A: True, C: True}),
        ({A}, {}, (), {A: False}),
    ],
)
def test_hard_05_what_becomes_of_the_list(
    named: set[str], before: dict[str, bool] | None, owned: tuple[str, ...], expected: dict[str, bool]
) -> None:
    assert origins.decided(frozenset(named), before, owned) == expected


TOOLS_FILE = b"""
mcpgen: 1
base_url: https://%(host)s/v1
accept_origin: [https://more.example]
security: {machine: {type: oauth2, flows: {clientCredentials: {tokenUrl: "https://login.%(host)s/t", scopes: {}}}}}
tools: [{name: look, description: Looks., request: GET /look}]
"""


def compiled(host: bytes, project: Project, **fetched: Any) -> dict[str, bool]:
    source = Fetched("store.tools.yaml", TOOLS_FILE % {b"host": host}, **fetched)
    found = compile_source(source, Options(), project).lock.origins
    assert found is not None
    return dict(found)


@pytest.mark.parametrize(
    ("fetched", "accepted"),
    [({"folder": Folder((".",))}, True), ({"url": "https://x.example/store.tools.yaml"}, False), ({}, False)],
    ids=["on disk", "by URL", "from standard input"],
)
def test_hard_05_a_tools_file_accepts_what_it_names_only_if_it_lies_on_disk(
    fetched: dict[str, Any], accepted: bool
) -> None:
    before = compile_source(Fetched("f", TOOLS_FILE % {b"host": b"old.example"}, folder=Folder((".",))), Options())
    found = compiled(b"new.example", Project(lock=before.lock), **fetched)
    new = ["https://login.new.example", "https://new.example"]
    assert [found[origin] for origin in new] == [accepted] * 2
    assert found.get("https://old.example", False) is not accepted


def test_the_words_to_accept_an_origin_with_can_be_copied_to_a_shell() -> None:
    diagnostics = Diagnostics()
    header: JsonObject = {"servers": [{"url": "https://a;touch${IFS}x.example/v1"}], "security": {}}
    origins.report(header, dict.fromkeys(origins.described(header), False), diagnostics)
    [found] = diagnostics
    assert "--accept-origin 'https://a;touch${ifs}x.example'," in found.hint
