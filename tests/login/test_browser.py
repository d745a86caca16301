"""Test a login with a browser, from the command to a call that carries the token, with real processes and sockets."""

from __future__ import annotations

import json
import os
import re
import stat

import pytest

from tests.login.station import Station


def test_a_login_serves_calls_and_nothing_secret_is_written(store: Station) -> None:
    said = store.log_in("--no-browser")
    assert "Logged in for user." in said
    form = store.authority.grants("authorization_code")[0]
    assert form["client_id"] == "the-client"
    assert "client_secret" not in form
    results = store.call("list_items", "add_item")
    assert [each["isError"] for each in results] == [False, False]
    assert store.api.tokens == ["Bearer access-3", "Bearer access-3"]
    assert [each["refresh_token"] for each in store.authority.grants("refresh_token")] == ["refresh-2"]
    assert "refresh-3" in store.file.read_text()
    for secret in ("access-", "refresh-", "code-1"):
        assert secret not in said + store.written
    if os.name == "posix":
        assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(store.file.parent.stat().st_mode) == 0o700


@pytest.mark.slow
def test_the_scopes_are_those_of_the_offered_tools(store: Station) -> None:
    with store.command("login", "--no-browser") as command:
        assert "&scope=items%3Aread+items%3Awrite" in command.url()
    with store.command("login", "--no-browser", "--scopes", "one,two") as command:
        assert "&scope=one+two" in command.url()


@pytest.mark.slow
def test_whoami_doctor_and_logout(store: Station) -> None:
    code, out, _ = store.run("whoami")
    assert (code, "nobody" in out, "run store-mcp login user" in out) == (1, True, True)
    code, out, _ = store.run("--doctor")
    assert code == 1
    assert re.search(r"store-mcp login user +not logged in ", out)
    store.log_in("--no-browser")
    code, out, _ = store.run("whoami")
    assert code == 0
    assert "items:read items:write" in out
    assert str(store.file) in out
    assert "the provider ends it" in out
    code, out, _ = store.run("--doctor")
    assert code == 0, out
    assert re.search(r"store-mcp login user +logged in ", out)
    code, _, said = store.run("logout")
    assert (code, said) == (0, "Logged out of user.\n")
    assert store.authority.requests[-1][0] == "/revoke"
    assert json.loads(store.file.read_text()) == {}
    assert store.run("whoami")[0] == 1


def test_a_call_without_a_login_says_what_to_run(store: Station) -> None:
    result = store.call("list_items")[0]
    assert result["isError"]
    assert "run `store-mcp login user` on the machine of this server, or set STORE_USER" in result["content"][0]["text"]


def test_two_instances_with_names_keep_their_logins_apart(store: Station) -> None:
    store.env["STORE_LOGIN_NAME"] = "work"
    store.log_in("--no-browser")
    assert not store.call("list_items")[0]["isError"]
    work = json.loads(store.file.read_text())
    store.env["STORE_LOGIN_NAME"] = "home"
    said = store.call("list_items")[0]["content"][0]["text"]
    assert "run `STORE_LOGIN_NAME=home store-mcp login user` on the machine of this server" in said
    store.log_in("--no-browser")
    assert work.keys() < json.loads(store.file.read_text()).keys()
    del store.env["STORE_LOGIN_NAME"]
    assert store.call("list_items")[0]["isError"]
