"""Test the settings for callers with access tokens: errors about wrong values, and what a server reports about them at
the start.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from package.runtime.http_server import callers

from tests.identity.guarded import METADATA, URL
from tests.identity.issuer import CLIENT, SECRET, Issuer
from tests.leaks import planted, searched
from tests.streamable.messages import calling, encoded, mirrored
from tests.streamable.servers import START, Server
from tests.streamable.upstream import PATIENCE, Upstream

CONFIG = 78
REFUSED: dict[str, tuple[str, str, str]] = {
    "an issuer that is no URL": ("issuers", "idp.internal", "must be a URL such as https://login.example.com"),
    "an issuer without TLS": ("issuers", "http://login.example.com", "must begin with https://"),
    "an issuer with a password": ("issuers", "https://a:b@login.example.com", "must be a URL"),
    "an issuer with a query": ("issuers", "https://login.example.com?x", "must be a URL"),
    "no issuer": ("issuers", ", ,,", "must hold 1 to 16 URLs"),
    "too many issuers": ("issuers", ",".join(f"https://a{n}.example" for n in range(17)), "must hold 1 to 16 URLs"),
    "a URL with a fragment": ("url", "https://mcp.example.com/mcp#x", "must be a URL such as"),
    "a scope with a quote": ("scopes", 'pets"', "must be scopes such as pets:read"),
    "a scope with a backslash": ("scopes", "pets\\", "must be scopes"),
    "an audience of two lines": ("audiences", "a\nb", "must be printable text"),
    "what is neither client nor scope": ("instead_of_audience", "client:a,user:b", "must be client:ID or scope:NAME"),
    "a client without a name": ("instead_of_audience", "client:a,client:", "must be client:ID or scope:NAME"),
    "a long claim": ("claim", "c" * 600, "must be printable text of at most 512 characters"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_setting_says_what_it_must_be(name: str) -> None:
    parser, value, said = REFUSED[name]
    with pytest.raises(ValueError, match=r"^must ") as problem:
        getattr(callers, parser)(value)
    assert said in str(problem.value)
    assert value not in str(problem.value)


def test_settings_are_read_as_they_are_written() -> None:
    assert callers.issuers("https://a.example/, http://localhost:1/x") == ("https://a.example/", "http://localhost:1/x")
    assert callers.url("https://mcp.example.com/mcp/") == "https://mcp.example.com/mcp"
    assert callers.host("https://mcp.example.com:8443/mcp") == "mcp.example.com:8443"
    assert callers.scopes("a, b a  c") == ("a", "b", "c")
    assert callers.audiences("api://x, y") == {"api://x", "y"}


@pytest.mark.parametrize("door", ["aiohttp", "asgi"])
def test_a_server_that_cannot_know_its_url_does_not_start(project: Path, door: str) -> None:
    command = [sys.executable, str(START), door, "caller_mcp", "{}"]
    if door == "aiohttp":
        command = [sys.executable, "-m", "caller_mcp", "--http", "0.0.0.0:0"]
    environ = {**planted("CALLER"), "CALLER_AUTH_ISSUER": "https://login.example.com"}
    done = subprocess.run(command, cwd=project, env=environ, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == CONFIG
    assert b"CALLER_AUTH_ISSUER needs CALLER_HTTP_URL" in done.stderr
    assert b"Traceback" not in done.stderr
    searched(done.stderr)


def test_a_public_url_is_an_allowed_host_and_the_place_of_the_metadata(project: Path, upstream: Upstream) -> None:
    """Check that the server's public URL is an allowed host, and that its metadata is found there, behind a proxy that
    changes the path.

    If the operator sets an audience, tokens must be for it instead of the URL.
    """
    public = "https://mcp.example.com/pets/mcp"
    with Issuer() as issuer:
        trusted = {"HTTP_URL": public, "AUTH_ISSUER": issuer.name, "AUTH_AUDIENCE": "api://pets"}
        with Server(project, upstream, "aiohttp", None, (), **trusted) as server:
            host = {"Host": "mcp.example.com"}
            for path in ("/.well-known/oauth-protected-resource/pets/mcp", METADATA):
                answer = server.ask("GET", path, host)
                assert answer.message["resource"] == public
            message = calling("echo", text="hi")
            refused = server.ask("POST", "/mcp", {**mirrored(message), **host}, encoded(message))
            told = "https://mcp.example.com/.well-known/oauth-protected-resource/pets/mcp"
            assert f'resource_metadata="{told}"' in (refused.field("www-authenticate") or "")
            for audience, status in (("api://pets", 200), (public, 401), (URL, 401)):
                bearer = {"Authorization": f"Bearer {issuer.token(audience)}", **host}
                assert server.ask("POST", "/mcp", {**mirrored(message), **bearer}, encoded(message)).status == status


@pytest.mark.parametrize(
    ("scp", "status"), [("mcp.call", 200), ("api://pets/mcp.call", 200), ("call", 403), ("pets/mcp.call", 403)]
)
def test_scopes_of_entra_are_asked_for_in_full_and_held_in_short(
    entra: tuple[Server, Issuer], scp: str, status: int
) -> None:
    server, issuer = entra
    message = calling("echo", text="hi")
    bearer = {"Authorization": f"Bearer {issuer.token('application-id', scp=scp)}"}
    answer = server.ask("POST", "/mcp", {**mirrored(message), **bearer}, encoded(message))
    assert answer.status == status
    assert status == 200 or 'scope="api://pets/mcp.call"' in (answer.field("www-authenticate") or "")


@pytest.fixture(scope="module")
def entra(project: Path) -> Iterator[tuple[Server, Issuer]]:
    """Yield a server with settings for Microsoft Entra."""
    upstream = Upstream()
    trusted = {"AUTH_AUDIENCE": "application-id, api://pets", "AUTH_SCOPES": "api://pets/mcp.call", "HTTP_URL": URL}
    with (
        Issuer("RS256", "/tenant/v2.0") as issuer,
        Server(project, upstream, "aiohttp", None, (), AUTH_ISSUER=issuer.name, **trusted) as server,
    ):
        yield server, issuer
    upstream.close()


def test_the_secret_of_introspection_comes_from_a_file(project: Path, upstream: Upstream, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    token = "opaque-token-of-alice"
    with Issuer() as issuer:
        issuer.introspected[token] = {"active": True, "sub": "alice", "aud": URL}
        login = {
            "AUTH_INTROSPECTION_CLIENT_ID": CLIENT,
            "AUTH_INTROSPECTION_CLIENT_SECRET_FILE": str(tmp_path / "secret"),
        }
        trusted = {"AUTH_ISSUER": issuer.name, "HTTP_URL": URL, **login}
        with Server(project, upstream, "aiohttp", None, (), **trusted) as server:
            message = calling("echo", text="hi")
            bearer = {"Authorization": f"Bearer {token}"}
            assert server.ask("POST", "/mcp", {**mirrored(message), **bearer}, encoded(message)).status == 200
        assert SECRET.encode() not in b"".join(server.written)
        assert b"unknown" not in b"".join(server.written)


def test_the_start_says_how_callers_are_known(project: Path, upstream: Upstream) -> None:
    with Issuer() as issuer, Server(project, upstream, "aiohttp", AUTH_ISSUER=issuer.name) as server:
        line = next(line for line in server.written if b'"listening"' in line)
        assert f"access tokens of {issuer.name}".encode() in line
        url = f"http://127.0.0.1:{server.port}/mcp"
        assert server.ask("GET", METADATA).message["resource"] == url
        message = calling("echo", text="hi")
        bearer = {"Authorization": f"Bearer {issuer.token(url)}"}
        assert server.ask("POST", "/mcp", {**mirrored(message), **bearer}, encoded(message)).status == 200
