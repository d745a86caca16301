"""Test which base URLs are valid, and which hosts count as special (loopback, private)."""

from __future__ import annotations

import pytest
from package.runtime.text.addresses import parse

HOST = "must name a host: a name in ASCII, or an address such as 192.0.2.1 or [2001:db8::1]"
PORT = "must have a port from 1 to 65535, or none"
PATH = "must have a percent-encoded path without dot segments"
USER = "must not hold a user name or password: credentials have variables of their own"


@pytest.mark.parametrize(
    ("text", "origin", "path"),
    [
        ("https://api.example", "https://api.example", ""),
        ("https://api.example/", "https://api.example", ""),
        ("https://api.example:65535/-._~!$&'()*+,;=:@%41", "https://api.example:65535", "/-._~!$&'()*+,;=:@%41"),
        ("https://api.example:443/v1/", "https://api.example", "/v1"),
        ("http://api.example:443/v1%20a", "http://api.example:443", "/v1%20a"),
        ("http://API.Example./a/B", "http://api.example.", "/a/B"),
        ("http://my_host-1:8080", "http://my_host-1:8080", ""),
        ("http://192.0.2.1", "http://192.0.2.1", ""),
        ("http://[2001:DB8::1]:81/x", "http://[2001:db8::1]:81", "/x"),
    ],
)
def test_an_address_is_its_origin_and_its_path(text: str, origin: str, path: str) -> None:
    address = parse(text)
    assert (address.origin, address.path, str(address)) == (origin, path, origin + path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must be a URL that begins with https:// or http://"),
        ("api.example", "must be a URL that begins with https:// or http://"),
        ("//api.example", "must be a URL that begins with https:// or http://"),
        ("file:///etc/passwd", "must be a URL that begins with https:// or http://"),
        ("https://", HOST),
        ("https:///path", HOST),
        ("https://exämple.de", HOST),
        ("https://a b.example", HOST),
        ("https://a\\b", HOST),
        ("https://a..b", HOST),
        ("https://2852039166/", HOST),
        ("https://0xA9FEA9FE/", HOST),
        ("https://0251.0376.0251.0376/", HOST),
        ("https://169.254.43518/", HOST),
        ("https://1.2.3.256/", HOST),
        ("https://[::1", HOST),
        ("https://[zz]/", HOST),
        ("https://[fe80::1%25eth0]/", HOST),
        ("https://[::1]x/", HOST),
        ("https://a:0", PORT),
        ("https://a:65536", PORT),
        ("https://a:x", PORT),
        ("https://a:1:2", PORT),
        ("https://a:٣", PORT),
        ("https://user@a/", USER),
        ("https://user:pass@a/", USER),
        ("https://a/?q", "must not hold a query or a fragment"),
        ("https://a#f", "must not hold a query or a fragment"),
        ("https://a/../b", PATH),
        ("https://a/%2E%2e/b", PATH),
        ("https://a/.", PATH),
        ("https://a/b c", PATH),
        ("https://a/\u00e9", PATH),
        ("https://a/b\r\nc", PATH),
    ],
)
def test_what_is_no_base_url_is_told_why(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r"^must") as refused:
        parse(text)
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("host", "loopback", "forbidden"),
    [
        ("localhost", True, False),
        ("api.localhost", True, False),
        ("127.0.0.1", True, False),
        ("127.8.9.1", True, False),
        ("[::1]", True, False),
        ("localhost.", True, False),
        ("evillocalhost", False, False),
        ("localhost.evil.example", False, False),
        ("127.evil.example", False, False),
        ("169.254.169.254", False, True),
        ("169.254.1.1", False, True),
        ("[fe80::1]", False, True),
        ("[fd00:ec2::254]", False, True),
        ("[::ffff:169.254.169.254]", False, True),
        ("[::]", False, True),
        ("0.0.0.0", False, True),
        ("100.100.100.200", False, True),
        ("[::ffff:100.100.100.200]", False, True),
        ("[fd00:0ec2:0::254]", False, True),
        ("[fd20:ce::254]", False, True),
        ("168.63.129.16", False, True),
        ("metadata", False, True),
        ("metadata.goog", False, True),
        ("metadata.google.internal", False, True),
        ("metadata.google.internal.", False, True),
        ("10.0.0.1", False, False),
        ("api.example", False, False),
    ],
)
def test_special_hosts_are_known(host: str, loopback: bool, forbidden: bool) -> None:
    address = parse(f"http://{host}")
    assert (address.loopback, address.forbidden) == (loopback, forbidden)
