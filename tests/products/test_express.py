"""Log in to a session of Express, and ask a GraphQL server, both of npm, by a server that a tools file describes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.doors import DOORS, generated, served
from tests.products import installs

pytestmark = pytest.mark.world

PACKAGES = {"express": "5.1.0", "express-session": "1.18.2", "graphql": "16.12.0", "graphql-http": "1.22.4"}
PROGRAM = Path(__file__).with_name("express.js")
PASSWORD = "pass-0123456789"
LOGIN = {"SESSION_USERNAME": "anna", "SESSION_PASSWORD": PASSWORD}
TOOLS = """\
base_url: http://127.0.0.1:9
security: {session: {type: apiKey, in: cookie, name: connect.sid}}
tools:
  - {name: log_in, description: Logs in., request: POST /login, security: none}
  - {name: list_orders, description: Lists., request: GET /orders}
  - {name: order, description: Orders., request: POST /orders, arguments: {item: string}}
  - {name: forget, description: Ends the session., request: POST /forget}
  - name: find_user
    description: Finds a user.
    request: POST /graphql
    arguments: {login: string required}
    send:
      graphql: |
        query ($login: String!) { user(login: $login) { name } }
login:
  operation: POST /login
  token: cookie:connect.sid
  csrf: {from: 'header:X-Csrf-Token', header: X-Csrf-Token}
  fields: {user: USERNAME, password: PASSWORD}
"""


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    """Yield the URL of a running API."""
    modules = installs.npm("express", PACKAGES) / "node_modules"
    variables = {**os.environ, "NODE_PATH": str(modules), "PASSWORD": PASSWORD}
    with subprocess.Popen(["node", str(PROGRAM)], env=variables, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        port = program.stdout.readline().split()[1]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            program.kill()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("express"), TOOLS)


@pytest.mark.parametrize("door", DOORS)
def test_a_session_is_kept_renewed_and_guarded(door: str, project: Path, api: str) -> None:
    with served(project, door, **LOGIN, BASE_URL=f"{api}/") as call:
        assert "anna" in call("list_orders")
        assert "tea" in call("order", item="tea")
        call("forget")
        assert "anna" in call("list_orders"), "the server has logged in again"
        assert "tea" in call("order", item="tea")
        assert "anna of GraphQL" in call("find_user", login="anna")
        assert "no such user" in call("find_user", login="nobody")
    with served(project, door, **{**LOGIN, "SESSION_PASSWORD": "wrong-0123456789"}, BASE_URL=f"{api}/") as call:
        assert "CALLER_SESSION_USERNAME" in call("list_orders")
