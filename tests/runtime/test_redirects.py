"""Test which redirects are followed, step by step. tests/functional/test_redirects.py tests the requests
that are sent.
"""

from __future__ import annotations

import pytest
from package.runtime.http.sending import Trail
from package.runtime.settings.origins import Listed, Rules
from package.runtime.text.addresses import parse

HOME = "https://api.example/v1"
NAMED = frozenset({"files.example", "169.254.169.254", "localhost", "api.example"})
OTHER_HOST = "it leads to a host that T_ALLOW_HOSTS does not name"
DOWN = "it leads from https to http"
UNREADABLE = "its Location cannot be read"


def trail(home: str = HOME, *, insecure: bool = False, certificate: bool = False) -> Trail:
    rules = Rules("T", Listed([]), insecure=insecure, hosts=NAMED, certificate=certificate)
    return Trail(parse(home), "/log?key=1", rules)


@pytest.mark.parametrize(
    ("location", "leads"),
    [
        ("/b?c=d%20e", "https://api.example/b?c=d%20e"),
        ("b", "https://api.example/v1/b"),
        ("../b/", "https://api.example/b/"),
        ("?page=2", "https://api.example/v1/log?page=2"),
        ("https://API.example:443/x", "https://api.example/x"),
        ("//files.example/x#part", "https://files.example/x"),
        ("https://files.example", "https://files.example/"),
        ("https://files.example:8443/x", "https://files.example:8443/x"),
    ],
)
def test_it_leads_where_a_url_does(location: str, leads: str) -> None:
    at = trail()
    assert at.go(location) == ""
    assert at.address.origin + at.target == leads
    assert at.left == (at.address.origin != "https://api.example")


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        *[(each, UNREADABLE) for each in ("", "ftp://files.example/", "https://u:p@api.example/", "/a b")],
        *[(each, UNREADABLE) for each in ("/ü", "javascript:alert(1)", "/" + "a" * 9000, "https://api.example\\x")],
        *[(each, UNREADABLE) for each in ("https://[::1", "https://0xA9FEA9FE/", "https://api.example:0/", "/\x01")],
        ("http://api.example/x", DOWN),
        ("http://files.example/x", DOWN),
        ("http://localhost/x", DOWN),
        ("https://other.example/x", OTHER_HOST),
        ("https://files.example.evil.example/x", OTHER_HOST),
        ("https://169.254.169.254/latest", "it leads to an address that nothing is sent to"),
        ("/v1/log?key=1", "it leads in a circle"),
        ("https://", "it leads in a circle"),
        ("/v1/log?key=1#again", "it leads in a circle"),
    ],
)
def test_it_leads_nowhere_else(location: str, reason: str) -> None:
    at = trail()
    assert at.go(location) == reason
    assert (at.address.origin, at.left) == ("https://api.example", False)


def test_hard_05_another_port_or_scheme_is_another_origin() -> None:
    at = trail()
    assert at.go("https://api.example:8443/x") == ""
    assert at.left
    at = trail("http://localhost:8080")
    assert at.go("http://localhost:8081/x") == ""
    assert at.left
    at = trail("http://one.example")
    assert at.go("http://files.example/") == "it leads to an address that nothing is sent to"
    assert trail("http://one.example", insecure=True).go("http://files.example/") == ""


def test_nothing_is_followed_elsewhere_that_would_see_the_certificate() -> None:
    at = trail(certificate=True)
    assert at.go("/b") == ""
    assert at.go("https://files.example/x") == (
        "it leads to another origin, to which this server would show its certificate"
    )
    assert Trail(parse(HOME), "/", None).go("https://files.example/x") == "it leads to another origin"


def test_who_has_left_stays_without_what_the_call_carried() -> None:
    at = trail()
    assert [at.go(each) for each in ("https://files.example/x", "https://api.example/admin")] == ["", ""]
    assert at.left


def test_a_call_takes_three_steps_at_most_and_none_twice() -> None:
    at = trail()
    steps = [at.go(each) for each in ("/a", "/b", "/a", "/c", "/d")]
    assert steps == ["", "", "it leads in a circle", "", "it is one more than 3 in a row"]
