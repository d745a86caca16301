"""Test access tokens of a stored login: renewed, rotated, shared by processes, and replaced if the API refuses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.login.station import Station, told
from tests.runtime.process import Server

pytestmark = pytest.mark.slow


def test_two_servers_with_rotating_tokens_keep_one_login(store: Station) -> None:
    """Let two servers use one login with rotating refresh tokens.

    The mock authorization server ends the login if a refresh token is used twice (RFC 9700).
    """
    store.log_in("--no-browser")
    for _ in range(3):
        with (
            Server(store.project, package="store_mcp", env=store.env) as one,
            Server(store.project, package="store_mcp", env=store.env) as other,
        ):
            both = [(server, server.request("tools/call", name="list_items", arguments={})) for server in (one, other)]
            for server, id_ in both:
                while (message := server.message()).get("id") != id_:
                    pass
                assert not message["result"]["isError"], message
    assert not store.authority.ended
    assert len(store.authority.grants("refresh_token")) == 6


def test_many_calls_share_one_renewal(store: Station) -> None:
    store.log_in("--no-browser")
    results = store.call(*["list_items"] * 20)
    assert not any(each["isError"] for each in results)
    assert len(store.authority.grants("refresh_token")) == 1


def test_a_token_that_the_api_refuses_is_renewed_once(store: Station) -> None:
    store.log_in("--no-browser")
    store.api.refused.add("access-3")
    assert not store.call("list_items")[0]["isError"]
    assert store.api.tokens == ["Bearer access-3", "Bearer access-4"]


def test_a_refused_refresh_token_is_asked_once_and_a_new_login_counts_at_once(store: Station) -> None:
    store.log_in("--no-browser")
    store.authority.answer("POST", "/revoke", {}, b"token=refresh-2")
    with Server(store.project, package="store_mcp", env=store.env) as server:
        for _ in range(3):
            result = server.result("list_items")
            assert "The login is no longer valid: run `store-mcp login user`" in result["content"][0]["text"]
        assert len(store.authority.grants("refresh_token")) == 1
        store.log_in("--no-browser")
        assert not server.result("list_items")["isError"]


def test_a_server_that_runs_hears_of_a_login(store: Station) -> None:
    with Server(store.project, package="store_mcp", env=store.env) as server:
        assert server.result("list_items")["isError"]
        store.log_in("--no-browser")
        assert not server.result("list_items")["isError"]
        assert store.run("logout")[0] == 0


def test_a_server_in_trouble_is_a_sentence_and_the_login_stays(store: Station) -> None:
    store.log_in("--no-browser")
    for answer, said in (
        (told({"error": "server_error"}, 503), "HTTP 503, server_error"),
        ((200, {"Content-Type": "text/html"}, b"<html>"), "without an access token"),
        ((302, {"Location": "https://evil.example/"}, b""), "redirects the request"),
        (told({"access_token": "a", "x": "x" * 100_000}), "without an access token"),
        (told({"error": "invalid_client"}, 401), "with STORE_USER_CLIENT_ID: HTTP 401, invalid_client"),
    ):
        store.authority.instead["/token"] = answer
        text = store.call("list_items")[0]["content"][0]["text"]
        assert said in text
        assert "evil" not in text
    store.authority.instead.clear()
    assert not store.call("list_items")[0]["isError"]


def test_without_a_refresh_token_the_access_token_is_kept(store: Station) -> None:
    store.authority.refreshes, store.authority.life = False, 0
    assert "the access token itself is kept" in store.log_in("--no-browser")
    assert not store.call("list_items")[0]["isError"]
    assert store.api.tokens == ["Bearer access-2"]


def test_an_access_token_that_has_ended_needs_a_login(store: Station) -> None:
    store.authority.refreshes = False
    store.log_in("--no-browser")
    content = json.loads(store.file.read_text())
    old = {key: json.dumps({**json.loads(text), "access_ends": 1.0}) for key, text in content.items()}
    store.file.write_text(json.dumps(old))
    assert "The login has ended: run `store-mcp login user`" in store.call("list_items")[0]["content"][0]["text"]


def test_a_token_in_the_environment_wins(store: Station) -> None:
    store.log_in("--no-browser")
    store.env["STORE_USER"] = "token-of-the-environment"
    assert "STORE_USER in the environment win" in store.log_in("--no-browser")
    assert not store.call("list_items")[0]["isError"]
    assert store.api.tokens == ["Bearer token-of-the-environment"]
    assert store.authority.grants("refresh_token") == []


@pytest.mark.parametrize("in_body", [False, True])
def test_a_client_with_a_secret(store: Station, in_body: bool) -> None:
    store.authority.secret = "s3cret of the client"
    store.env["STORE_USER_CLIENT_SECRET"] = store.authority.secret
    store.authority.takes_basic = not in_body
    said = store.log_in("--no-browser")
    assert not store.call("list_items")[0]["isError"]
    assert store.authority.secret not in store.file.read_text() + said + store.written


def test_another_client_and_another_host_have_no_login(store: Station) -> None:
    store.log_in("--no-browser")
    store.env["STORE_USER_CLIENT_ID"] = "another"
    assert "run `store-mcp login user`" in store.call("list_items")[0]["content"][0]["text"]
    del store.env["STORE_USER_CLIENT_ID"]
    assert not store.call("list_items")[0]["isError"]


def test_the_keyring_serves_calls(store: Station, tmp_path: Path) -> None:
    (tmp_path / "ring.py").write_text(RING)
    del store.env["STORE_TOKEN_STORE"]
    kept = str(tmp_path / "ring.json")
    store.env |= {"PYTHON_KEYRING_BACKEND": "ring.Ring", "PYTHONPATH": str(tmp_path), "RING": kept}
    pytest.importorskip("keyring")
    assert "Kept in the system's keyring." in store.log_in("--no-browser")
    assert not store.call("list_items")[0]["isError"]
    assert "refresh-3" in Path(kept).read_text()
    assert not store.file.exists()
    assert store.run("logout")[0] == 0
    assert json.loads(Path(kept).read_text()) == {}


def test_without_a_usable_keyring_nobody_is_asked_in_vain(store: Station) -> None:
    del store.env["STORE_TOKEN_STORE"]
    store.env["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    code, _, said = store.run("login", "--no-browser")
    assert (code, "set STORE_TOKEN_STORE=file" in said) == (1, True)
    assert store.authority.requests == []
    assert "run `store-mcp login user`" in store.call("list_items")[0]["content"][0]["text"]


RING = """
import json, os
from keyring.backend import KeyringBackend

class Ring(KeyringBackend):
    priority = 1
    def _all(self):
        try:
            return json.load(open(os.environ["RING"]))
        except FileNotFoundError:
            return {}
    def _put(self, held):
        with open(os.environ["RING"], "w") as file:
            json.dump(held, file)
    def get_password(self, service, key):
        with open(os.environ["RING"]) if os.path.exists(os.environ["RING"]) else open(os.devnull) as file:
            return json.loads(file.read() or "{}").get(f"{service} {key}")
    def set_password(self, service, key, text):
        self._put({**self._all(), f"{service} {key}": text})
    def delete_password(self, service, key):
        self._put({name: text for name, text in self._all().items() if name != f"{service} {key}"})
"""
