"""Scopes and roles of callers at a raw socket, behind both doors: what a token allows is listed, served and no more."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.identity.guarded import METADATA, URL, Guarded, challenge
from tests.identity.issuer import Issuer
from tests.streamable.client import Answer, Fields
from tests.streamable.messages import Session, call, calling, encoded, mirrored, request, said, stateless
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import PATIENCE, Upstream

TOOLS = Path(__file__).with_name("scoped.tools.yaml")
STATIC = "a-token-of-the-operators-file-with-many-letters"
ALL = ["anyone", "freed", "guarded", "owned", "reading", "staff", "writing"]
OPEN = ["anyone", "freed"]
LIST = stateless("tools/list")


def generated(document: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "mcpgen", "generate", str(document), "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def scoped_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated project."""
    return generated(TOOLS, tmp_path_factory.mktemp("scoped") / "caller")


@pytest.fixture(scope="session", params=DOORS)
def scoped(
    request: pytest.FixtureRequest, scoped_project: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guarded]:
    """A server with one issuer, roles in a claim, and one caller of the operator's file, who has the role `owner`."""
    upstream = Upstream()
    file = tmp_path_factory.mktemp("callers") / "tokens"
    file.write_text(f"ci {hashlib.sha256(STATIC.encode()).hexdigest()}\n")
    with Issuer() as issuer:
        settings = {
            "HTTP_URL": URL,
            "HTTP_TOKENS": str(file),
            "AUTH_ISSUER": issuer.name,
            "AUTH_ROLES_CLAIM": "/realm_access/roles",
            "ROLES": "owner",
            "KEY": "upstream-key",
            "AUDIT": "stderr",
        }
        with Server(scoped_project, upstream, request.param, None, (), **settings) as server:
            found = Guarded(server, issuer, issuer)
            yield found
        found.search()
    upstream.close()


def bearer(guarded: Guarded, scopes: str, *roles: str, **claims: Any) -> Fields:
    return guarded.bearer(scope=scopes, realm_access={"roles": [*roles]}, **claims)


def names(answer: Answer, kind: str = "tools", key: str = "name") -> list[str]:
    assert answer.status == 200, answer
    return [each[key] for each in answer.message["result"][kind]]


class Row(NamedTuple):
    """The scopes and roles of a token, the tools that it lists, and what those that it lacks challenge it for."""

    scopes: str
    roles: tuple[str, ...]
    listed: list[str]  # in any order
    asked: dict[str, str] = {}  # noqa: RUF012 (never changed)


ROWS = [
    Row("", (), OPEN, {"reading": "read", "writing": "admin", "owned": "billing"}),
    Row("read", (), ["anyone", "reading", "freed"], {"writing": "read write", "owned": "billing"}),
    Row("write", (), OPEN, {"writing": "read write", "reading": "read"}),
    Row("read write", (), ["anyone", "reading", "writing", "freed"], {"owned": "billing"}),
    Row("admin", (), ["anyone", "writing", "freed"], {"reading": "read"}),
    Row("billing", (), ["anyone", "owned", "freed"], {"reading": "read"}),
    Row("READ reads other", (), OPEN, {"reading": "read"}),
    Row("", ("staff",), [*OPEN, "staff"], {"guarded": "admin"}),
    Row("", ("owner",), [*OPEN, "staff"]),
    Row("admin", ("other", "staff"), ["anyone", "writing", "freed", "staff", "guarded"]),
    Row("admin read write billing", ("staff",), ALL),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.scopes}; {' '.join(row.roles)}")
def test_a_token_sees_and_calls_what_it_allows(scoped: Guarded, row: Row) -> None:
    fields = bearer(scoped, row.scopes, *row.roles)
    listed = scoped.call(fields, LIST)
    assert names(listed) == sorted(row.listed)
    assert (listed.message["result"]["cacheScope"], listed.message["result"]["ttlMs"]) == ("private", 0)
    session = Session(scoped.server, fields=fields)
    assert names(session.ask(request("tools/list"))) == sorted(row.listed)
    before = len(scoped.server.upstream.requests)
    batch = Session(scoped.server, "2025-03-26", fields=fields)
    for tool, wanted in row.asked.items():
        several = batch.ask([request("ping", 1), call(tool, 2), call("anyone", 3)])
        for answer in (scoped.call(fields, calling(tool)), session.ask(call(tool)), several):
            assert answer.status == 403
            told = challenge(answer)
            assert 'error="insufficient_scope"' in told
            assert f'scope="{wanted}"' in told
    assert len(scoped.server.upstream.requests) == before
    for tool in row.listed:
        assert said(scoped.call(fields, calling(tool)).message) == f"/echo/{tool}"
        assert said(session.ask(call(tool)).message) == f"/echo/{tool}"


def test_clients_are_told_of_all_scopes(scoped: Guarded) -> None:
    metadata = scoped.server.ask("GET", METADATA).message
    assert metadata["scopes_supported"] == ["admin", "billing", "read", "write"]
    told = challenge(scoped.server.ask("POST", "/mcp", mirrored(LIST), encoded(LIST)))
    assert 'scope="admin billing read"' in told, "with these a caller may call every tool"
    assert names(scoped.call(bearer(scoped, "admin billing read", "staff"), LIST)) == ALL


def test_who_lacks_a_role_is_not_asked_for_scopes(scoped: Guarded) -> None:
    for scopes, roles in (("", ()), ("admin", ("owner",)), ("", ("Staff", "staf"))):
        fields = bearer(scoped, scopes, *roles)
        answer = scoped.call(fields, calling("guarded"))
        assert (answer.status, answer.message["error"]["code"]) == (400, -32602)
        assert "no role of this caller" in answer.message["error"]["message"]
        assert answer.field("www-authenticate") is None
    for claims in ({}, {"realm_access": "staff"}, {"realm_access": {"roles": {"staff": 1}}}, {"roles": ["staff"]}):
        assert "staff" not in names(scoped.call(scoped.bearer(scope="", **claims), LIST)), claims
    words = scoped.bearer(scope="", realm_access={"roles": "other staff"})
    assert "staff" in names(scoped.call(words, LIST))


def test_a_caller_of_the_file_has_the_roles_of_the_operator(scoped: Guarded) -> None:
    fields = {"Authorization": f"Bearer {STATIC}"}
    listed = scoped.call(fields, LIST)
    assert names(listed) == [each for each in ALL if each != "guarded"]
    assert listed.message["result"]["cacheScope"] == "private"
    assert said(scoped.call(fields, calling("writing")).message) == "/echo/writing"
    assert "no role of this caller" in scoped.call(fields, calling("guarded")).message["error"]["message"]


def test_a_session_goes_by_the_token_of_each_request(scoped: Guarded) -> None:
    """A8, for scopes: the same caller comes with more, and later with less."""
    some, more = bearer(scoped, "read"), bearer(scoped, "read write", "staff")
    session = Session(scoped.server, fields=some)
    with scoped.connect() as stream:
        session.listen(stream)  # so that the process holds the session
        stream.stream()
        for fields, listed in ((some, 3), (more, 5), (some, 3)):
            told = {**session.fields, **fields}
            answer = scoped.server.ask("POST", "/mcp", told, encoded(request("tools/list")))
            assert len(names(answer)) == listed
            called = scoped.server.ask("POST", "/mcp", told, encoded(call("writing")))
            assert called.status == (200 if listed == 5 else 403)


def test_resources_that_call_need_their_scopes(scoped: Guarded) -> None:
    few, enough = bearer(scoped, ""), bearer(scoped, "read")
    templates, fixed = stateless("resources/templates/list"), stateless("resources/list")
    page, guide = (stateless("resources/read", uri=f"caller://{uri}") for uri in ("page/7", "guide"))
    assert names(scoped.call(few, templates), "resourceTemplates") == []
    assert names(scoped.call(enough, templates), "resourceTemplates") == ["page"]
    for fields in (few, enough):
        listed = scoped.call(fields, fixed)
        assert (names(listed, "resources"), listed.message["result"]["cacheScope"]) == (["guide"], "private")
        assert scoped.call(fields, guide).message["result"]["contents"][0]["text"] == "A guide"
    before = len(scoped.server.upstream.requests)
    answer = scoped.call(few, page)
    assert answer.status == 403
    assert 'scope="read"' in challenge(answer)
    assert scoped.server.upstream.requests[before:] == []
    assert scoped.call(enough, page).message["result"]["contents"][0]["text"] == "/echo/7"


def test_refused_calls_are_recorded(scoped: Guarded) -> None:
    fields = bearer(scoped, "", sub="whoever-was-refused")
    assert scoped.call(fields, calling("reading")).status == 403
    assert scoped.call(fields, calling("anyone")).status == 200
    while (line := scoped.server.lines.get(timeout=PATIENCE)) is not None:
        if b"whoever-was-refused" in line:
            told = json.loads(line)
            assert (told["tool"], told["outcome"]) == ("reading", "rejected")
            return
    raise AssertionError("no line of the audit tells of the refused call")
