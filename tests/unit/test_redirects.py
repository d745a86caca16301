"""Test which redirects are followed when a document is fetched, with a table of cases (HARD-15)."""

from __future__ import annotations

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.read.fetch.redirects import Redirect, resolve_redirect

OWN = [
    ("http://a.example/x", "/y", "http://a.example/y"),
    ("http://a.example/x/z", "y?b=1#c", "http://a.example/x/y?b=1"),
    ("http://a.example/x", "//a.example/y", "http://a.example/y"),
    ("http://a.example/x", "http://A.Example:80/y", "http://A.Example:80/y"),
    ("http://a.example./x", "http://a.example/y", "http://a.example/y"),
    ("http://a.example/x", "https://a.example/x", "https://a.example/x"),
    ("http://a.example:80/x", "https://a.example:443/x", "https://a.example:443/x"),
    ("https://a.example:8443/x", "https://a.example:8443/y", "https://a.example:8443/y"),
    ("http://127.0.0.1:8000/x", "/y", "http://127.0.0.1:8000/y"),
    ("http://[::1]:8000/x", "http://[::1]:8000/y", "http://[::1]:8000/y"),
]


@pytest.mark.parametrize(("url", "location", "target"), OWN)
def test_hard_15_on_the_same_server_no_flag_is_needed(url: str, location: str, target: str) -> None:
    assert resolve_redirect(url, location, ()) == Redirect(target, is_own=True)


ALLOWED = [
    ("http://a.example/x", "http://b.example/y", "b.example"),
    ("http://a.example/x", "https://b.example/y", "B.Example"),
    ("https://a.example/x", "https://b.example:8443/y", "b.example:8443"),
    ("http://a.example:8080/x", "https://a.example/y", "a.example"),
    ("http://a.example/x", "http://127.0.0.1:80/y", "127.0.0.1"),
    ("http://a.example/x", "http://[::1]:8000/y", "[::1]:8000"),
]


@pytest.mark.parametrize(("url", "location", "value"), ALLOWED)
def test_hard_15_another_server_needs_the_flag(url: str, location: str, value: str) -> None:
    assert resolve_redirect(url, location, ("c.example", value)) == Redirect(location, is_own=False)
    with pytest.raises(FatalError, match="to another server") as refused:
        resolve_redirect(
            url, location, ("c.example", f"x.{value}", "b.example:9", "a.example:9", "127.0.0.1:9", "[::1]")
        )
    assert f"give --allow-redirect {value.lower()}. Otherwise" in refused.value.diagnostic.hint


NEVER = [
    ("https://a.example/x", "http://a.example/x", "without TLS"),
    ("https://a.example/x", "http://b.example/x", "without TLS"),
    ("http://a.example/x", "http://169.254.169.254/", "link-local or metadata"),
    ("http://169.254.169.254/x", "/y", "link-local or metadata"),
    ("http://a.example/x", "http://metadata.google.internal/y", "link-local or metadata"),
    ("http://a.example/x", "http://0xa9fea9fe/y", "link-local or metadata"),
    ("http://a.example/x", "http://0.0.0.0/y", "link-local or metadata"),
    ("http://a.example/x", "file:///etc/passwd", "mcpgen does not fetch documents"),
    ("http://a.example/x", "javascript:alert(1)", "mcpgen does not fetch documents"),
    ("http://a.example/x", "http://me:SECRET@b.example/y", "mcpgen does not fetch documents"),
    ("http://a.example/x", "http://@b.example/y", "mcpgen does not fetch documents"),
    ("http://a.example/x", "http://[::1/y", "mcpgen does not fetch documents"),
    ("http://a.example/x", "http://b.example:99999/y", "mcpgen does not fetch documents"),
]


@pytest.mark.parametrize(("url", "location", "message"), NEVER)
def test_hard_15_what_no_flag_allows(url: str, location: str, message: str) -> None:
    everything = ("a.example", "b.example", "169.254.169.254", "metadata.google.internal", "0xa9fea9fe", "0.0.0.0")
    with pytest.raises(FatalError, match=message):
        resolve_redirect(url, location, everything)
