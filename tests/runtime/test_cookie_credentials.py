"""Test which credentials a cookie can hold, from the environment and from a login."""

from __future__ import annotations

import pytest
from package.runtime.request.request import Request
from package.runtime.settings import credential_env, credentials
from package.runtime.settings.settings import NotReady
from package.runtime.text import fields

from tests.runtime.test_credentials import SECURITY


@pytest.mark.parametrize("value", ["s%3Aa.b", '"quoted"', "", "a=b/c+d", "eyJpdiI6Ii9cL1wi%3D%3D"])
def test_what_the_value_of_a_cookie_may_be(value: str) -> None:
    assert fields.is_cookie_value(value)


@pytest.mark.parametrize("value", ["a b", "a,b", "a;b", 'a"b', '"', "a\\b", "ä", "a\nb", " a", '"a;b"'])
def test_what_no_cookie_can_hold_is_refused_at_the_start_and_of_a_login(value: str) -> None:
    environ = {"P_COOKIE": value}
    _, problems, _ = credential_env.read({"cookie": SECURITY["cookie"]}, environ)
    assert [problem.partition(" must be ")[0] for problem in problems] == ["P_COOKIE"]
    with pytest.raises(NotReady, match="cannot be the value of a cookie"):
        credentials._put_fetched(SECURITY["cookie"])(Request("GET", "/p"), value)
