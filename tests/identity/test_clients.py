"""Test that official clients get from the URL of a server to a call: 401, metadata, registration, login with PKCE.

The authorization server is real (npm `oidc-provider`), and a browser submits its forms. The tool `large` needs one more
scope than the first login requests. So a client must request it after the 403. Clients that call `large` are registered
beforehand: a client that registers itself names its scopes at that time, and this authorization server grants no others
later.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.identity import provider
from tests.identity.provider import Provider
from tests.interop import environments
from tests.interop.clients import ENVIRONMENTS
from tests.leaks import planted, searched
from tests.streamable.upstream import Upstream

HERE = Path(__file__).parent
BACK = "http://127.0.0.1:4444/callback"
PATIENCE = 120
pytestmark = pytest.mark.slow

START = """
import importlib, os, runpy, sys
sys.path.insert(0, os.getcwd())
access = importlib.import_module("caller_mcp.runtime.http_server.streamable.access").Access
access._required = lambda self, request, caller: (
    (frozenset(["pets:write"]),) if request.params.get("name") == "large" else ()
)
sys.argv = ["caller_mcp", "--http", "0"]
runpy.run_module("caller_mcp", run_name="__main__")
"""
CALL: list[Any] = ["echo", {"text": "hi"}]
MORE: list[Any] = ["large", {"size": 3}]
CLIENTS = [
    ("python-1", ""),
    ("python-2", "auto"),
    ("python-2", "legacy"),
    ("python-2", "2026-07-28"),
    ("typescript-1", ""),
    ("typescript-2", "auto"),
    ("typescript-2", "legacy"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    """Yield the authorization server.

    It issues no refresh tokens, because the TypeScript client 1.x cannot request more scopes if it has one.
    """
    try:
        known = provider.client("app", redirects=[BACK])
        with provider.serve(scopes=("pets:read", "pets:write"), clients=[known], refresh=False) as found:
            yield found
    except environments.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def opened(server: Provider) -> Iterator[str]:
    """Yield the URL of a stub browser: it gets an authorization URL, logs in as alice, and returns the redirect."""
    with provider.browser(server, "alice") as url:
        yield url


@contextmanager
def serving(project: Path, upstream: Upstream, **variables: str) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the URL of a server, and a list that contains the lines of its output once it has ended."""
    environ = {
        **planted("CALLER"),
        "CALLER_BASE_URL": f"http://127.0.0.1:{upstream.port}",
        **{f"CALLER_{name}": value for name, value in variables.items()},
    }
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", START]
    with subprocess.Popen(command, cwd=project, env=environ, stdout=pipe, stderr=pipe) as process:
        assert process.stderr is not None
        lines: list[bytes] = []
        try:
            for line in process.stderr:
                lines.append(line)
                if b'"listening"' in line:
                    break
            assert b"listening" in lines[-1], lines
            yield json.loads(lines[-1])["url"], lines
        finally:
            process.terminate()
            printed, logged = process.communicate(timeout=PATIENCE)
            lines.append(logged)
            assert printed == b""
            searched(b"".join(lines))


def driven(name: str, job: dict[str, Any]) -> dict[str, Any]:
    """Run the driver of a client with a job, and return its report."""
    try:
        folder = ENVIRONMENTS[name]()
    except environments.Missing as missing:
        pytest.skip(str(missing))
    kind, _, major = name.partition("-")
    if kind == "python":
        command = [str(folder / "bin" / "python"), str(HERE / "drivers" / "python.py")]
    else:
        script = environments.put_beside(folder, HERE / "drivers" / "typescript.mjs", "identity.mjs")
        command = ["node", str(script)]
    told = json.dumps({**job, "major": int(major)})
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NODE_"))}
    done = subprocess.run(
        command, input=told, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize(("name", "mode"), CLIENTS, ids=lambda each: each or "")
@pytest.mark.parametrize("steps", [False, True], ids=["call", "step up"])
def test_a_client_goes_from_the_url_to_a_call(
    project: Path, upstream: Upstream, server: Provider, opened: str, name: str, mode: str, steps: bool
) -> None:
    before = len(server.requests)
    with serving(project, upstream, AUTH_ISSUER=server.issuer, AUTH_SCOPES="pets:read", AUDIT="stderr") as (url, lines):
        calls = [CALL, MORE] if steps else [CALL]
        job = {"url": url, "browser": opened, "mode": mode, "calls": calls, "issuer": server.issuer}
        report = driven(name, {**job, "client": "app" if steps else None})
    assert "echo" in report["listed"]
    assert report["results"] == ["/echo/hi", "xxx"][: len(calls)]
    asked = [set(each.split()) for each in report["scopes"]]
    assert asked[0] >= {"pets:read"}
    assert "pets:write" not in asked[0]
    assert len(asked) == len(calls)
    assert not steps or "pets:write" in asked[1]
    mine = server.requests[before:]
    assert [each["status"] for each in mine if each["path"] == "/reg"] == ([] if steps else [201])
    tokens = [each for each in mine if each["path"] == "/token"]
    assert {(each["status"], each["resource"]) for each in tokens} == {(200, url)}
    audit = [json.loads(line) for line in b"".join(lines).splitlines() if line.startswith(b'{"audit"')]
    called = [each for each in audit if each["outcome"] == "ok"]
    assert [each["tool"] for each in called] == ["echo", "large"][: len(calls)]
    assert {(each["user"], each["issuer"]) for each in called} == {("alice", server.issuer)}


def test_opaque_tokens_are_asked_about(project: Path, upstream: Upstream, opened: str) -> None:
    """Use opaque tokens, which the server checks by introspection at the authorization server, with the official Python
    client.
    """
    login = ("checker", "checker-secret-of-32-characters-x")
    settings = {
        "AUTH_SCOPES": "pets:read",
        "AUTH_INTROSPECTION_CLIENT_ID": login[0],
        "AUTH_INTROSPECTION_CLIENT_SECRET": login[1],
    }
    try:
        with (
            provider.serve(
                scopes=("pets:read",), clients=[provider.client(*login)], resources={"*": {"format": "opaque"}}
            ) as server,
            provider.browser(server, "bob") as browser,
            serving(project, upstream, AUTH_ISSUER=server.issuer, **settings) as (url, lines),
        ):
            job = {"url": url, "browser": browser, "mode": "auto", "calls": [CALL], "client": None}
            report = driven("python-2", job)
    except environments.Missing as missing:
        pytest.skip(str(missing))
    assert report["results"] == ["/echo/hi"]
    assert [each["status"] for each in server.requests if each["path"] == "/token/introspection"] == [200]
    assert login[1].encode() not in b"".join(lines)
