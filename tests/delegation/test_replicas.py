"""Test several replicas with a store: all replicas know a login made at one of them, and the store holds it
encrypted.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.delegation.authority import Authority, callers
from tests.delegation.browser import open_page
from tests.delegation.servers import Api, Server
from tests.delegation.test_login import LINKS, Client, asked_of, link, login

STORE = shutil.which("valkey-server") or shutil.which("redis-server")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(STORE is None, reason="not installed: valkey-server or redis-server"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[str]:
    """Yield the URL of a store (Valkey or Redis) that replicas share."""
    place = tmp_path / "socket"
    command = [STORE or "", "--port", "0", "--unixsocket", str(place), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert any("ready to accept connections" in line.lower() for line in process.stdout or ())
            yield f"unix://{place}"
        finally:
            process.kill()


@pytest.fixture
def two(project: Path, tmp_path: Path, api: Api, authority: Authority, store: str) -> Iterator[tuple[Server, Server]]:
    """Yield two replicas with the same redirect URI, as behind one load balancer."""
    key = base64.b64encode(os.urandom(32)).decode()
    public = {"HTTP_URL": "http://127.0.0.1:8000/mcp", "STATE_KEY": key, "STORE": store}
    settings = login(authority, **public)
    with (
        Server(project, tmp_path, api, authority, settings) as first,
        Server(project, tmp_path, api, authority, settings) as second,
    ):
        yield first, second


def test_a_call_goes_on_after_a_login_at_another_replica(
    two: tuple[Server, Server], api: Api, authority: Authority, store: str
) -> None:
    first, second = two
    client = Client(first, {"url": {}})
    with first.connect() as connection:
        client.call(connection)
        asked = asked_of(connection)
        client.answer(asked["id"], "accept", second)
        location = authority.authorize(asked["params"]["url"], "alice")
        assert open_page(second, location).status == 200
        assert connection.messages()[-1]["result"]["isError"] is False
    assert open_page(first, location).status == 400, "a state is used up for all replicas"
    assert second.as_user("alice", "list_pets", LINKS)["result"]["isError"] is False
    assert link(first, "bob")
    assert callers(api.requests) == ["alice", "alice"]
    with redis.Redis(unix_socket_path=store.removeprefix("unix://"), retry=Retry(NoBackoff(), 0)) as client_of_store:
        names = [name for name in client_of_store.scan_iter() if b":login:" in name]
        values = [value for name in names for value in client_of_store.lrange(name, 0, -1)]
    assert len(values) == 1
    assert all(text not in b"".join([*names, *values]) for text in (b"alice", b"api|", b"refresh-"))


def test_a_refresh_token_is_redeemed_once_among_replicas(
    two: tuple[Server, Server], api: Api, authority: Authority
) -> None:
    """Renew a login at two replicas at once.

    The authorization server ends the login if a refresh token is used twice.
    """
    authority.seconds = 0
    first, _ = two
    open_page(first, authority.authorize(link(first, "alice"), "alice"))
    for turn in range(4):
        assert two[turn % 2].as_user("alice", "list_pets", LINKS)["result"]["isError"] is False
    assert callers(api.requests) == ["alice"] * 4
    assert len([each for each in authority.forms if each["grant_type"] == "refresh_token"]) >= 4
