"""Test a header that a gateway sets. It is used only if the operator names it.

Its value counts only for the call with which it came, and for no other caller.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.delegation.authority import Authority, callers
from tests.delegation.servers import Api, Server, exchange
from tests.streamable.messages import calling, encoded, mirrored


def test_each_call_has_the_value_that_came_with_it(project: Path, tmp_path: Path, api: Api) -> None:
    settings = {"OAUTH_AS": "header:X-Api-Token", "KEY_AS": "header:X-Api-Key"}
    with Server(project, tmp_path, api, None, settings) as server:
        for user, word in (("alice", ""), ("bob", "Bearer "), ("alice", "bearer  ")):
            given = {"X-Api-Token": f"{word}gateway-token-of-{user}", "x-api-key": f"gateway-key-of-{user}"}
            server.as_user(user, "list_pets", fields=given)
            server.as_user(user, "read_keyed", fields=given)
        without = server.as_user("alice", "list_pets")["result"]
        both = _with_two(server)
        server.terminate()
        server.ended()
        assert b"gateway-token-of" not in b"".join(server.written) + server.audit.read_bytes()
    for result in (without, both):
        assert result["isError"] is True
        assert "gave no usable x-api-token for this call" in result["content"][0]["text"]
    tokens = [each.fields.get("authorization") for each in api.requests if each.path == "/pets"][:3]
    assert tokens == [f"Bearer gateway-token-of-{user}" for user in ("alice", "bob", "alice")]
    keys = [each.fields.get("x-key") for each in api.requests if each.path == "/keyed"]
    assert keys == [f"gateway-key-of-{user}" for user in ("alice", "bob", "alice")]


def test_a_key_and_a_tenant_come_with_the_same_call(project: Path, tmp_path: Path, api: Api) -> None:
    settings = {"KEY_AS": "header:X-Api-Key", "TENANT_AS": "header:X-For-Tenant"}
    with Server(project, tmp_path, api, None, settings) as server:
        for user in ("alice", "bob", "alice"):
            given = {"X-Api-Key": f"gateway-key-of-{user}", "X-For-Tenant": f"tenant-of-{user}"}
            server.as_user(user, "read_rented", fields=given)
        without = server.as_user("alice", "read_rented", fields={"X-Api-Key": "gateway-key"})["result"]
        server.terminate()
        server.ended()
        assert b"gateway-key" not in b"".join(server.written) + server.audit.read_bytes()
    sent = [(each.fields.get("x-key"), each.fields.get("x-tenant")) for each in api.requests]
    assert sent == [(f"gateway-key-of-{user}", f"tenant-of-{user}") for user in ("alice", "bob", "alice")]
    assert "gave no usable x-for-tenant for this call" in without["content"][0]["text"]


def test_a_tenant_comes_beside_an_exchanged_token(
    project: Path, tmp_path: Path, api: Api, authority: Authority
) -> None:
    settings = {**exchange(), "TENANT_AS": "header:X-For-Tenant"}
    with Server(project, tmp_path, api, authority, settings) as server:
        for user in ("alice", "bob", "alice"):
            server.as_user(user, "read_shared", fields={"X-For-Tenant": f"tenant-of-{user}"})
        assert len(authority.forms) == 2, "one token a caller"
        api.unaccepted = {api.requests[-1].fields["authorization"].removeprefix("Bearer ")}
        server.as_user("alice", "read_shared", fields={"X-For-Tenant": "tenant-of-alice"})
        assert len(authority.forms) == 3, "a refused token is fetched again"
    assert callers(api.requests) == ["alice", "bob", "alice", "alice", "alice"]
    assert [each.fields["x-tenant"] for each in api.requests] == [
        f"tenant-of-{user}" for user in ("alice", "bob", "alice", "alice", "alice")
    ]


def test_two_tokens_to_fetch_are_refused(project: Path, tmp_path: Path, api: Api, authority: Authority) -> None:
    code = {f"CODE_{name.removeprefix('OAUTH_')}": value for name, value in exchange().items()}
    with Server(project, tmp_path, api, authority, {**exchange(), **code}) as server:
        told = server.as_user("alice", "read_both")["result"]["content"][0]["text"]
    assert "It needs two access tokens for one request" in told
    assert not api.requests


def _with_two(server: Server) -> Any:
    """Return the result of a call whose request has the gateway's header twice."""
    message = calling("list_pets")
    body = encoded(message)
    fields = [
        *mirrored(message).items(),
        ("Authorization", "Bearer token-of-alice"),
        ("Host", f"127.0.0.1:{server.port}"),
        ("X-Api-Token", "a" * 8),
        ("x-api-token", "b" * 8),
        ("Content-Length", str(len(body))),
    ]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    with server.connect() as connection:
        connection.write(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        return connection.answer().message["result"]


def test_a_header_that_nobody_named_changes_nothing(project: Path, tmp_path: Path, api: Api) -> None:
    settings = {"OAUTH": "the-token-of-the-server", "KEY_AS": "header:X-Api-Key"}
    with Server(project, tmp_path, api, None, settings) as server:
        for name in ("X-Api-Token", "X-Key", "X-Forwarded-Authorization"):
            server.as_user("alice", "list_pets", fields={name: "the-token-of-mallory"})
        server.as_user("alice", "read_keyed", fields={"X-Key": "the-token-of-mallory"})
    assert [each.fields["authorization"] for each in api.requests] == ["Bearer the-token-of-the-server"] * 3
    assert all(b"mallory" not in each.raw for each in api.requests)
