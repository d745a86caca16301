"""Test how long the cookie of a login lives (RFC 6265 section 5.2), by the clock of the API."""

from __future__ import annotations

import pytest
from package.runtime.http.exchange import Response
from package.runtime.oauth.login_request import Login
from package.runtime.text.addresses import parse

DATE = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
LATER = "Sun, 06 Nov 1994 08:50:37 GMT"


@pytest.mark.parametrize(
    ("attributes", "seconds"),
    [
        ("Path=/", None),
        ("Max-Age=3600", "3600"),
        (f"Expires={LATER}; HttpOnly", "60"),
        (f"expires={LATER}; MAX-AGE=3600", "3600"),
        ("Expires=soon", None),
        ("Expires=", None),
    ],
)
def test_a_cookie_lives_as_long_as_it_says(attributes: str, seconds: str | None) -> None:
    login = Login(
        {"contentType": "application/json", "fields": {}, "token": "cookie:sid"}, {}, parse("http://a.example")
    )
    found = login.content(Response(200, "OK", [DATE, ("Set-Cookie", f"sid=abc; {attributes}")]))
    assert found == {"access_token": "abc", "expires_in": seconds}


@pytest.mark.parametrize("attributes", ["Max-Age=0", "Expires=Thu, 01 Jan 1970 00:00:00 GMT", f"Expires={DATE[1]}"])
def test_a_cookie_that_has_ended_is_none(attributes: str) -> None:
    login = Login(
        {"contentType": "application/json", "fields": {}, "token": "cookie:sid"}, {}, parse("http://a.example")
    )
    with pytest.raises(ValueError, match="without an access token"):
        login.content(Response(200, "OK", [DATE, ("Set-Cookie", f"sid=abc; {attributes}")]))
