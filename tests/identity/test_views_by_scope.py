"""Test views of a server whose callers have scopes: a view shows, reads and calls only what its caller may use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.functional.test_views import UI, Shops
from tests.identity.guarded import URL, Guarded, challenge
from tests.identity.issuer import Issuer
from tests.identity.test_scopes import generated
from tests.runtime.revisions import ENVELOPE, META
from tests.streamable.client import Answer
from tests.streamable.messages import stateless
from tests.streamable.servers import DOORS, Server

FILE = """
mcpgen: 1
server: {name: caller}
base_url: http://127.0.0.1:1
views: true
tools:
  - {name: list_items, description: List all items., request: GET /items, scopes: [read]}
  - {name: get_item, description: Get one item., request: 'GET /items/{id}', arguments: {id: integer}, scopes: [read]}
  - {name: change_item, description: Change one item., request: 'PATCH /items/{id}', arguments: {id: integer},
     scopes: [write]}
  - {name: erase_item, description: Erase one item., request: 'DELETE /items/{id}', arguments: {id: integer},
     scopes: [admin]}
"""
SEEN = {
    "": [],
    "read": ["get_item", "list_items"],
    "write": ["change_item"],
    "read write": ["change_item", "get_item", "list_items"],
}
"""Scopes of a token → the tools that its caller sees."""

NEEDED = {"list_items": "read", "get_item": "read", "change_item": "write", "erase_item": "admin"}


@pytest.fixture(scope="module", params=DOORS)
def scoped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("views")
    (folder / "shop.tools.yaml").write_text(FILE, encoding="utf-8")
    project = generated(folder / "shop.tools.yaml", folder / "caller")
    shop = Shops()
    with Issuer() as issuer:
        settings = {"HTTP_URL": URL, "AUTH_ISSUER": issuer.name, "AUDIT": "stderr"}
        with Server(project, shop, request.param, None, (), **settings) as server:
            yield Guarded(server, issuer, issuer)
    shop.close()


def asked(scoped: Guarded, scopes: str, method: str, **params: Any) -> Answer:
    """Return the answer to a request of a host that shows views, with a token that has these scopes."""
    message = stateless(method, **params, _meta={**ENVELOPE, META + "clientCapabilities": UI})
    return scoped.call(scoped.bearer(scope=scopes), message)


@pytest.mark.parametrize("scopes", SEEN)
def test_a_view_shows_what_the_token_of_its_caller_allows(scoped: Guarded, scopes: str) -> None:
    listed = asked(scoped, scopes, "tools/list").message["result"]["tools"]
    assert [(each["name"], each["_meta"]["ui"]["resourceUri"]) for each in listed] == [
        (name, "ui://views") for name in SEEN[scopes]
    ]
    for name in NEEDED:
        answer = asked(scoped, scopes, "resources/read", uri=f"ui://views/{name}")
        assert ("result" in answer.message) == (name in SEEN[scopes]), answer
        assert name in SEEN[scopes] or "admin" not in json.dumps(answer.message)


@pytest.mark.parametrize("scopes", SEEN)
def test_a_call_of_a_view_needs_the_scope_of_the_tool(scoped: Guarded, scopes: str) -> None:
    for name, needed in NEEDED.items():
        before = len(scoped.server.upstream.asked)  # type: ignore[attr-defined]
        answer = asked(scoped, scopes, "tools/call", name=name, arguments={} if name == "list_items" else {"id": 1})
        if name in SEEN[scopes]:
            assert answer.message["result"]["content"][0]["_meta"]["mcpgen/view"]["tool"] == name
            continue
        assert answer.status == 403
        assert 'error="insufficient_scope"' in challenge(answer)
        assert f'scope="{needed}"' in challenge(answer)
        assert len(scoped.server.upstream.asked) == before, "nothing was sent"  # type: ignore[attr-defined]


def test_a_view_names_no_tool_that_its_caller_may_not_call(scoped: Guarded) -> None:
    """The page calls the tool that reads the state before a change by itself. So it must not know a tool that it may
    not call: a host would ask its user for the scope of that tool.
    """
    for scopes in ("write", "read write"):
        resource = asked(scoped, scopes, "resources/read", uri="ui://views/change_item").message["result"]
        called = asked(scoped, scopes, "tools/call", name="change_item", arguments={"id": 1}).message["result"]
        for told in (json.loads(resource["contents"][0]["text"]), called["content"][0]["_meta"]["mcpgen/view"]):
            assert ("before" in told) == ("given" in told) == ("read" in scopes), scopes
