"""Test which server URLs a document may name, with a table of cases (SPEC-14, SPEC-15, SPEC-17)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.model import Server, ServerVariable
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import Fetched
from mcpgen.read.openapi import servers


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com", "http://api.example.com:8080/v1/", "https://API.example.com", "http://[2001:db8::1]/",
        "https://example.com./v1", "http://93.184.216.34", "https://xn--bcher-kva.example", "/v1", "v1", "",
        "http://localhost:3000", "http://10.0.0.1", "https://{region}.example.com",
    ],
)  # fmt: skip
def test_urls_that_can_be_used(url: str) -> None:
    assert servers.refusal(url) == ""


LINK_LOCAL = [
    "http://169.254.169.254/latest/meta-data/", "http://169.254.169.254./", "http://169.254.169.254:80/", "http://0/",
    "http://0.0.0.0/", "http://[::]/", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]",
    "http://2852039166/", "http://0xa9fea9fe/", "http://0xA9.0xFE.0xA9.0xFE/", "http://0251.0376.0251.0376/",
    "http://169.254.43518/", "http://169.16689662/", "HTTP://169.254.169.254/", "http://metadata/",
    "http://METADATA.google.internal/", "http://metadata.google.internal./", "http://instance-data/",
    "http://\uff11\uff16\uff19.254.169.254/", "http://169\u3002254\u3002169\u3002254/",
    "http://[fd00:ec2::254]/", "http://[fd20:ce::254]/", "http://100.100.100.200/", "http://192.0.0.192/",
    "http://168.63.129.16/", "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:a9fe:a9fe::]/", "http://metadata.goog/",
]  # fmt: skip


@pytest.mark.parametrize("url", LINK_LOCAL)
def test_spec_14_and_15_link_local_and_metadata_hosts_are_refused_however_they_are_spelled(url: str) -> None:
    assert servers.refusal(url) == "its host is a link-local or metadata address"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.com", "only http and https URLs are"),
        ("javascript:alert(1)", "only http and https URLs are"),
        ("file:///etc/passwd", "only http and https URLs are"),
        ("//evil.example", "only http and https URLs are"),
        ("http://", "only http and https URLs are"),
        ("https:///path", "only http and https URLs are"),
        ("http://user@example.com", "it holds user information"),
        ("http://u:p@example.com/", "it holds user information"),
        ("http://:@example.com/", "it holds user information"),
        ("http://169.254.169.254@example.com/", "it holds user information"),
        ("http://example.com:99999", "it is not a URL"),
        ("http://example.com:port", "it is not a URL"),
        ("http://[::1", "it is not a URL"),
        ("http://example.com/?a=b", "it has a query or a fragment"),
        ("http://example.com/#f", "it has a query or a fragment"),
        ("/v1?x", "it has a query or a fragment"),
        ("http://example.com\\@evil.example/", "it holds characters that a URL cannot hold"),
        ("http://example.com/\r\nX: 1", "it holds characters that a URL cannot hold"),
        ("http://exa\tmple.com/", "it holds characters that a URL cannot hold"),
        ("http://exa mple.com/", "it holds characters that a URL cannot hold"),
        (".", "it is relative to the URL of the document, which is not known"),
        ("../v2", "it is relative to the URL of the document, which is not known"),
        ("http://%31%36%39.254.169.254/", "it holds characters that a URL cannot hold"),
    ],
)
def test_spec_17_urls_that_could_take_credentials_elsewhere_are_refused(url: str, reason: str) -> None:
    assert servers.refusal(url) == reason


@given(st.text(st.characters(), max_size=60) | st.from_regex(r"https?://[^/]{0,30}/?.{0,10}"))
def test_any_text_is_refused_or_taken_and_never_raises(url: str) -> None:
    if servers.refusal(url) == "":
        servers.is_private(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost", "http://LOCALHOST:8080", "http://a.localhost", "http://127.0.0.1", "http://2130706433/",
        "http://0x7f.1/", "http://[::1]/", "http://10.1.2.3", "http://192.168.0.1", "http://172.16.0.1", "http://[fd00::1]",
        "http://printer.local", "http://vault.internal", "http://127.1",
    ],
)  # fmt: skip
def test_private_hosts_are_noticed(url: str) -> None:
    assert servers.is_private(url)


@pytest.mark.parametrize("url", ["https://example.com", "http://93.184.216.34", "/v1", "", "http://mylocalhost.com"])
def test_public_hosts_are_not_private(url: str) -> None:
    assert not servers.is_private(url)


def read(value: JsonValue, base_url: str | None = None) -> tuple[tuple[Server, ...], list[str]]:
    diagnostics = Diagnostics()
    found = servers.read(value, Where("openapi.json", "/servers"), base_url, diagnostics)
    return found, [diagnostic.code for diagnostic in diagnostics]


@pytest.mark.parametrize(
    ("url", "base_url", "expected"),
    [
        ("/v1", "https://x.example/docs/openapi.json", "https://x.example/v1"),
        ("v1", "https://x.example/docs/openapi.json", "https://x.example/docs/v1"),
        ("https://y.example", "https://x.example/openapi.json", "https://y.example"),
        ("//y.example/v1", "https://x.example/openapi.json", "https://y.example/v1"),
        ("/v1", None, "/v1"),
    ],
)
def test_a_relative_url_is_resolved_against_the_document(url: str, base_url: str | None, expected: str) -> None:
    assert read([{"url": url}], base_url) == ((Server(expected),), [])


@pytest.mark.parametrize("url", ["//[", "http://[", "//a:b:c"])
def test_a_url_that_cannot_be_resolved_is_refused_and_raises_nothing(url: str) -> None:
    assert read([{"url": url}], "https://x.example/openapi.json") == ((), ["invalid-server"])


@pytest.mark.parametrize("entry", [{}, {"url": None}, {"url": ["x"]}, None, "https://api.example.com", 5])
def test_an_entry_without_a_url_is_no_server(entry: JsonValue) -> None:
    good: JsonValue = {"url": "https://api.example.com"}
    assert read([entry, good]) == ((Server("https://api.example.com"),), ["invalid-server"])


def test_variables_keep_their_defaults_and_choices() -> None:
    variables: JsonValue = {"a": {"default": 1, "enum": ["1", 2]}, "unused": {"default": "x"}}
    (server,), _ = read([{"url": "https://{a}.example.com", "variables": variables}])
    assert server.variables == (ServerVariable("a", "1", ("1", "2")),)
    assert servers.with_defaults(server) == "https://1.example.com"


def test_hard_16_the_servers_of_operations_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    count, compared, equal = 300, 0, Server.__eq__

    def counting(self: Server, other: object) -> bool:
        nonlocal compared
        compared += 1
        return equal(self, other)

    monkeypatch.setattr(Server, "__eq__", counting)
    paths = {f"/a{n}": {"get": {"servers": [{"url": f"https://s{n}.example.com"}]}} for n in range(count)}
    compiled = compile_source(Fetched("f", json.dumps({"openapi": "3.1.0", "paths": paths}).encode()), Options())
    assert len(compiled.catalog.servers) == count + 1
    assert compared < 10 * count
