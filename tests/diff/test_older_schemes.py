"""Test that security schemes of format 1 of `bindings.json` are read as the schemes that mcpgen writes today."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.base.jsonvalue import as_object
from mcpgen.model import Login, UserFlow
from tests import scheme_entries
from tests.diff.surfaces import compared, surface, tool

OAUTH = {"value": "T", "client_id": "T_CLIENT_ID", "client_secret": "T_CLIENT_SECRET", "token_url": "T_TOKEN_URL"}
LOGIN = {"value": "T", "email": "T_EMAIL", "password": "T_PASSWORD", "token_url": "T_TOKEN_URL"}
USER = {"value": "T", "client_id": "T_CLIENT_ID", "client_secret": "T_CLIENT_SECRET"}
FIELDS = {"email": {"role": "email"}, "password": {"role": "password"}, "kind": {"value": "api"}}

WRITTEN = {
    "key": scheme_entries.api_key("query", "key", "T"),
    "token": scheme_entries.bearer("T"),
    "basic": scheme_entries.basic("T_USERNAME", "T_PASSWORD"),
    "header": scheme_entries.any_header("T"),
    "setting": scheme_entries.setting("alt", "T"),
    "oauth": scheme_entries.oauth(OAUTH, token_url="/t"),
    "discovered": scheme_entries.oauth(OAUTH, discovery_url="/.well-known/openid-configuration"),
    "login": scheme_entries.login(
        Login(
            "application/json",
            (("email", "email", ""), ("password", "password", ""), ("kind", "", "api")),
            "/token",
            "/expires",
        ),
        LOGIN,
    ),
    "user": scheme_entries.user(UserFlow("/authorize", "/token"), USER),
}
OLDER: dict[str, Any] = {
    "key": {"type": "apiKey", "in": "query", "name": "key", "variables": {"value": "T"}},
    "token": {"type": "bearer", "variables": {"value": "T"}},
    "basic": {"type": "basic", "variables": {"username": "T_USERNAME", "password": "T_PASSWORD"}},
    "header": {"type": "header", "variables": {"value": "T"}},
    "setting": {"type": "setting", "in": "query", "name": "alt", "variables": {"value": "T"}},
    "oauth": {"type": "oauth2", "tokenUrl": "/t", "variables": OAUTH},
    "discovered": {
        "type": "oauth2",
        "openIdConnectUrl": "/.well-known/openid-configuration",
        "variables": OAUTH,
    },
    "login": {
        "type": "login",
        "tokenUrl": "/token",
        "login": {"contentType": "application/json", "fields": FIELDS, "token": "/token", "expires": "/expires"},
        "variables": LOGIN,
    },
    "user": {
        "type": "bearer",
        "user": {"authorizationUrl": "/authorize", "tokenUrl": "/token"},
        "variables": USER,
    },
}


@pytest.mark.parametrize("name", sorted(OLDER))
def test_a_scheme_of_the_older_format_is_that_of_today(name: str) -> None:
    old, new = (surface(tool(), security={name: table[name]}) for table in (OLDER, WRITTEN))
    before, after = (as_object(as_object(each.header["security"])[name]) for each in (old, new))
    purposes = [as_object(each.pop("purposes")).keys() for each in (before, after)]
    assert purposes[0] == purposes[1], "their texts contain the scheme's name"
    assert before == after
    assert [compared(old, new).changes, compared(new, old).changes] == [(), ()]


def test_a_renamed_scheme_of_the_older_format_is_the_same_scheme() -> None:
    old = surface(tool(), bindings={"get_x": {"security": [["token"]]}}, security={"token": OLDER["token"]})
    renamed = scheme_entries.bearer("T_RENAMED")
    new = surface(tool(), bindings={"get_x": {"security": [["Token"]]}}, security={"Token": renamed})
    assert [change.code for change in compared(old, new).changes] == ["variable-renamed"]
