"""Test logins at a real authorization server (npm oidc-provider), whose forms a browser submits over HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.identity import provider
from tests.interop import environments
from tests.login.station import DOCUMENT, PATIENCE, Api, Authority, Station, generate, listening, visit
from tests.runtime.process import Server

pytestmark = pytest.mark.slow

OPENID = "{type: openIdConnect, openIdConnectUrl: '@/.well-known/openid-configuration'}"


@contextmanager
def served(folder: Path, **options: Any) -> Iterator[tuple[Station, provider.Provider]]:
    """Yield a generated server whose users log in at the authorization server, and the authorization server."""
    api = Api()
    clients = [provider.client("app", redirects=["http://127.0.0.1/callback"])]
    given = {"scopes": ("items:read", "items:write"), "clients": clients, **options}
    try:
        with provider.serve(**given) as server, listening(api.answer) as origin:
            scheme = OPENID.replace("@", server.issuer)
            project = generate(folder, DOCUMENT % {"api": origin, "scheme": scheme})
            station = Station(folder, api, Authority(), project)
            station.env["STORE_USER_CLIENT_ID"] = "app"
            yield station, server
    except environments.Missing as reason:
        pytest.skip(str(reason))


def log_in(store: Station, server: provider.Provider, *arguments: str, user: str = "alice") -> str:
    with store.command("login", "--no-browser", *arguments) as command:
        assert visit(server.log_in(command.url(), user)).status_code == 200
        code, said = command.end()
    assert code == 0, said
    return said


def test_code_with_pkce_then_calls_refresh_whoami_and_logout(tmp_path: Path) -> None:
    with served(tmp_path, claims={"alice": {"email": "alice@example.com"}}) as (store, server):
        said = log_in(store, server)
        assert "Logged in as alice" in said
        results = store.call("list_items", "add_item")
        assert [each["isError"] for each in results] == [False, False]
        assert len(server.grants("refresh_token")) == 1
        assert store.call("list_items")[0]["isError"] is False
        assert len(server.grants("refresh_token")) == 2
        assert [each["status"] for each in server.grants("refresh_token")] == [200, 200]
        code, out, _ = store.run("whoami")
        assert (code, "alice" in out, "items:read" in out) == (0, True, True)
        code, out, _ = store.run("--doctor")
        assert code == 0, out
        assert store.run("logout") == (0, "", "Logged out of user.\n")
        assert store.call("list_items")[0]["isError"] is True
    tokens = {each for each in store.api.tokens if each}
    assert all(each.startswith("Bearer ") for each in tokens)
    assert len(tokens) == 3


def test_a_client_registers_itself_and_is_used_again(tmp_path: Path) -> None:
    with served(tmp_path) as (store, server):
        del store.env["STORE_USER_CLIENT_ID"]
        log_in(store, server)
        assert not store.call("list_items")[0]["isError"]
        log_in(store, server)
        assert not store.call("list_items")[0]["isError"]
        registered = [each for each in server.requests if each["path"] == "/reg"]
        assert len(registered) == 1


def test_device_code(tmp_path: Path) -> None:
    with served(tmp_path) as (store, server):
        with store.command("login", "--device") as command:
            found = command.find(r"Open (\S+ on any device, and type the code \S+)")
            url, code = re.fullmatch(r"(\S+) on any device, and type the code (\S+)", found).groups()  # type: ignore[union-attr]
            server.enter_code(f"{url}?user_code={code}")
            status, said = command.end()
        assert status == 0, said
        assert not store.call("list_items")[0]["isError"]


def test_a_user_who_aborts_ends_the_login(tmp_path: Path) -> None:
    with served(tmp_path) as (store, server), store.command("login", "--no-browser") as command:
        redirect = server.log_in(command.url(), agrees=False)
        assert "error=access_denied" in redirect
        visit(redirect)
        code, said = command.end()
        assert code == 1
        assert "No token was given: the login was refused." in said


def test_two_servers_that_renew_at_once_keep_one_login(tmp_path: Path) -> None:
    """Let two servers renew the same login at once.

    Without a lock, one would use a refresh token twice and end the login.
    """
    with served(tmp_path, seconds=3600) as (store, server):
        log_in(store, server)
        for _ in range(3):
            with (
                Server(store.project, package="store_mcp", env=store.env) as one,
                Server(store.project, package="store_mcp", env=store.env) as other,
            ):
                for each in (one, other):
                    each.request("tools/call", name="list_items", arguments={})
                for each in (one, other):
                    while "result" not in (message := each.message()):
                        pass
                    assert not message["result"]["isError"], message
        kinds = [each["status"] for each in server.grants("refresh_token")]
        assert kinds == [200] * 6


def test_a_refresh_token_that_has_expired_says_what_to_run(tmp_path: Path) -> None:
    with served(tmp_path) as (store, server):
        log_in(store, server)
        kept = json.loads(store.file.read_text())
        broken = {key: re.sub(r'("refresh_token": ")[^"]+', r"\1gone", text) for key, text in kept.items()}
        store.file.write_text(json.dumps(broken))
        results = store.call("list_items", "list_items")
        for result in results:
            assert "run `store-mcp login user` on the machine of this server" in result["content"][0]["text"]
        assert len(server.grants("refresh_token")) == 1


def test_over_http_the_login_is_the_servers_own_credential(tmp_path: Path) -> None:
    with served(tmp_path) as (store, server):
        log_in(store, server)
        pytest.importorskip("cryptography")
        program = [sys.executable, "-m", "store_mcp", "--http", "127.0.0.1:0"]
        with subprocess.Popen(program, cwd=store.project, env=store.env, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                line = next(each for each in process.stderr if "http://" in each)
                url = re.search(r"http://[^\s\"]+", line)
                assert url is not None
                answer = _over_http(url[0])
            finally:
                process.terminate()
                process.wait(PATIENCE)
        assert not answer["result"]["isError"]
        assert store.api.tokens[-1].startswith("Bearer ")


def _over_http(url: str) -> dict[str, Any]:
    import httpx

    from tests.login.station import META

    fields = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "list_items",
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    params = {"name": "list_items", "arguments": {}, "_meta": META}
    with httpx.Client(trust_env=False, timeout=PATIENCE) as client:
        answer = client.post(url, json={**message, "params": params}, headers=fields)
    found: dict[str, Any] = answer.json()
    return found
