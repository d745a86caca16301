"""Test names in documents that a server could take for the environment variable of a credential.

Such names are refused or renamed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.hostile.subject import compiled, playing, started
from tests.hostile.test_rows import Subject
from tests.leaks import SECRET
from tests.runtime.upstream import answer_ok

GUARDED = {
    "openapi": "3.1.0",
    "info": {"title": "Hostile", "version": "1"},
    "servers": [{"url": "https://api.hostile.example"}],
    "security": [{"key": [], "crumb": [], "head": []}],
    "paths": {
        "/items": {
            "post": {
                "operationId": "search",
                "parameters": [
                    {"name": "filter", "in": "query", "schema": {"type": "object", "additionalProperties": True}},
                    {"name": "more", "in": "cookie", "schema": {"type": "object", "additionalProperties": True}},
                    {"name": "API-KEY", "in": "query", "schema": {"type": "string"}},
                    {"name": "api_key[]", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "X_Api_Key", "in": "header", "schema": {"type": "string"}},
                    {"name": "Auth", "in": "cookie", "schema": {"type": "string"}},
                    {"name": "q", "in": "query", "schema": {"type": "string"}},
                ],
                "requestBody": {
                    "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}},
                },
            }
        }
    },
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "query", "name": "api_key"},
            "crumb": {"type": "apiKey", "in": "cookie", "name": "auth"},
            "head": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
    },
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "openapi.json").write_text(json.dumps(GUARDED))
    project = compiled(folder, folder / "openapi.json")
    environ = {"HOSTILE_KEY": SECRET, "HOSTILE_CRUMB": "crumb-of-ours", "HOSTILE_HEAD": "head-of-ours"}
    with playing(answer_ok) as upstream, started(project, upstream, **environ) as server:
        yield Subject(server, upstream)


@pytest.mark.parametrize(
    "arguments",
    [
        *({"filter": {name: "x"}} for name in ("API_KEY", "api_key[]", "api-key", "%61pi_key", " api_key", "api_key")),
        *({"more": {name: "x"}} for name in ("Auth", "auth[]", "AUTH", "auth")),
        *({"body": {name: "x"}} for name in ("API_KEY", "api_key[0]", "Api.Key")),
    ],
    ids=json.dumps,
)
def test_hard_20_no_argument_writes_a_name_that_is_read_as_a_credential(
    guarded: Subject, arguments: dict[str, Any]
) -> None:
    answer, requests = guarded.called("search_items", arguments)
    assert answer["result"]["isError"] is True
    assert "which servers may read as a credential" in answer["result"]["content"][0]["text"]
    assert requests == []


def test_hard_20_no_argument_is_declared_under_such_a_name(guarded: Subject) -> None:
    [tool] = guarded.server.ask("tools/list")["result"]["tools"]
    assert set(tool["inputSchema"]["properties"]) == {"filter", "more", "q", "body"}
    answer, [request] = guarded.called("search_items", {"filter": {"api": "1"}, "more": {"author": "2"}, "q": "3"})
    assert answer["result"]["isError"] is False
    first, *fields = request.decode().partition("\r\n\r\n")[0].split("\r\n")
    named = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
    assert sorted(re.findall(r"[?&]([^=]+)=", first)) == ["api", "api_key", "q"]
    assert sorted(re.findall(r"([^=; ]+)=", named["cookie"])) == ["auth", "author"]
    assert [name for name in named if "api" in name] == ["x-api-key"]
