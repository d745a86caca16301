"""Test a GraphQL document in a tools file: what is sent, and which answers are errors. The API is a raw socket."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.functional.test_redirects import Site, told
from tests.functional.test_removed import answer
from tests.runtime.process import Server

QUERY = "query ($login: String!, $after: String) {\n  user(login: $login, after: $after) { name {full} }\n}\n"
TOOLS = """\
mcpgen: 1
server: {name: users}
base_url: %s
tools:
  - name: find_user
    description: Finds a user.
    request: POST /graphql
    arguments: {login: string required, after: string}
    send:
      graphql: |
        %s
  - {name: ping, description: Asks., request: POST /graphql, send: {graphql: "{ __typename }"}}
"""


def test_the_document_is_sent_as_it_is_and_errors_are_known(tmp_path: Path) -> None:
    api = Site("127.0.0.1")
    (tmp_path / "users.tools.yaml").write_text(TOOLS % (api.url, QUERY.replace("\n", "\n        ").rstrip()))
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(tmp_path / "users.tools.yaml"), "-o", str(tmp_path / "out")])
    assert ended.value.code == 0
    good, bad = b'{"data": {"user": {"name": "Ann"}}}', b'{"data": null, "errors": [{"message": "no such user"}]}'
    with api.listening, Server(tmp_path / "out", package="users_mcp") as server:
        api.says["/graphql"] = answer(good)
        assert "Ann" in told(server.result("find_user", login='a"} {b}$login'))
        api.says["/graphql"] = answer(bad)
        for result in (server.result("find_user", login="a", after="c"), server.result("ping")):
            assert result["isError"]
            assert "no such user" in told(result)
    sent = [json.loads(asked.partition("\r\n\r\n")[2]) for asked in api.asked]
    assert sent == [
        {"query": QUERY, "variables": {"login": 'a"} {b}$login'}},
        {"query": QUERY, "variables": {"login": "a", "after": "c"}},
        {"query": "{ __typename }"},
    ]
