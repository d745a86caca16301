"""Test scopes and roles of callers at a raw socket, over aiohttp and ASGI: only what a token allows is listed and
served.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.corpus.published import blanked
from tests.corpus.scopes_reader import asked
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


def generated(document: Path, folder: Path, *flags: str) -> Path:
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(document), "-o", str(folder), *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def scoped_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated project."""
    return generated(TOOLS, tmp_path_factory.mktemp("scoped") / "caller")


@pytest.fixture(scope="session", params=DOORS)
def scoped(
    request: pytest.FixtureRequest, scoped_project: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guarded]:
    """Yield a server that trusts one authorization server, and reads the callers' roles from a claim of its tokens.

    It also accepts the caller `ci`, by a token from the file that HTTP_TOKENS names. This caller has the role `owner`.
    """
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
    """The scopes and roles of a token, and the tools that the server lists for a caller with this token.

    `asked`: tool → scopes in the challenge, for some tools that the caller may not call.
    """

    scopes: str
    roles: tuple[str, ...]
    listed: list[str]  # names of tools, in any order
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


def first(server: Server) -> str:
    """Return the scopes of the first challenge, which are also those of the metadata."""
    supported = server.ask("GET", METADATA).message.get("scopes_supported", [])
    told = challenge(server.ask("POST", "/mcp", mirrored(LIST), encoded(LIST)))
    found = told.partition('scope="')[2].partition('"')[0]
    assert found.split() == supported
    return found


def test_clients_are_told_the_scopes_of_tools_that_read(scoped: Guarded) -> None:
    assert first(scoped.server) == "read"
    assert names(scoped.call(bearer(scoped, "admin billing read", "staff"), LIST)) == ALL


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"AUTH_FIRST_SCOPES": "*"}, "billing read write"),
        ({"AUTH_FIRST_SCOPES": "write openid"}, "openid write"),
        ({"AUTH_FIRST_SCOPES": "openid", "AUTH_SCOPES": "mcp"}, "mcp openid"),
        ({"AUTH_SCOPES": "mcp"}, "mcp read"),
    ],
    ids=str,
)
def test_the_operator_says_what_clients_are_told(
    scoped_project: Path, upstream: Upstream, settings: dict[str, str], told: str
) -> None:
    with Issuer() as issuer:
        trusted = {"HTTP_URL": URL, "AUTH_ISSUER": issuer.name, "KEY": "upstream-key", **settings}
        with Server(scoped_project, upstream, "aiohttp", None, (), **trusted) as server:
            assert first(server) == told


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
    """Test rule A8 for scopes: in one session, the scopes of each request's own token count, first more, then fewer."""
    some, more = bearer(scoped, "read"), bearer(scoped, "read write", "staff")
    session = Session(scoped.server, fields=some)
    with scoped.connect() as stream:
        # An open stream makes the process keep the session in memory, so all requests below use the same object.
        session.listen(stream)
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


def test_with_another_table_other_scopes_count(scoped_project: Path, upstream: Upstream, tmp_path: Path) -> None:
    """Reload the project's files with other scopes. Cached tool lists are dropped, and streams are notified."""
    folder = tmp_path / "caller"
    shutil.copytree(scoped_project, folder)
    later = tmp_path / "caller.tools.yaml"
    later.write_text(TOOLS.read_text().replace("{oauth: [read]}", "{oauth: [read-all]}"))
    with Issuer() as issuer:
        settings = {"HTTP_URL": URL, "AUTH_ISSUER": issuer.name, "KEY": "k"}
        constants = {"reload.reload.SECONDS": 0.05}
        with Server(folder, upstream, "aiohttp", constants, ("--reload",), **settings) as server:
            found = Guarded(server, issuer, issuer)
            old, new = found.bearer(scope="read"), found.bearer(scope="read-all")
            assert names(found.call(old, LIST)) == ["anyone", "freed", "reading"]
            assert names(found.call(new, LIST)) == OPEN
            session = Session(server, fields=old)
            with server.connect() as first, server.connect() as second:
                listen = stateless("subscriptions/listen", "listen", notifications={"toolsListChanged": True})
                first.send("POST", fields={**mirrored(listen), **new}, body=encoded(listen))
                first.stream()
                assert first.event().message["method"].endswith("acknowledged")
                session.listen(second)
                second.stream()
                assert second.event().id
                generated(later, folder)
                for each in (first, second):
                    assert each.event().message["method"] == "notifications/tools/list_changed"
            assert names(found.call(old, LIST)) == names(session.ask(request("tools/list"))) == OPEN
            assert names(found.call(new, LIST)) == ["anyone", "freed", "reading"]
            refused = found.call(old, calling("reading"))
            assert 'scope="read-all"' in challenge(refused)
            metadata = server.ask("GET", METADATA).message
            assert metadata["scopes_supported"] == ["read", "read-all"]
        found.search()


CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dev"


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")
@pytest.mark.parametrize("document", ["small/petstore-3.0.json", "spotify.json", "xero-accounting.json"])
def test_published_documents_over_a_socket(document: str, upstream: Upstream, tmp_path: Path) -> None:
    """Compare the tools and challenges of servers for published documents, over a socket, with the results of an
    independent reader.
    """
    folder = generated(CORPUS / document, tmp_path / "caller", "--name", "caller")
    table = json.loads((folder / "caller_mcp" / "bindings.json").read_text())["bindings"]
    of_document = asked(CORPUS / document)
    wanted = {each["name"]: of_document[blanked(f"{each['method']} {each['operation']['path']}")] for each in table}
    known = frozenset(scope for each in wanted.values() for scopes in each for scope in scopes)
    assert known
    with Issuer() as issuer:
        settings = {"HTTP_URL": URL, "AUTH_ISSUER": issuer.name, "BASE_URL": f"http://localhost:{upstream.port}/"}
        with Server(folder, upstream, "aiohttp", None, (), **settings) as server:
            found = Guarded(server, issuer, issuer)
            assert known.issuperset(server.ask("GET", METADATA).message.get("scopes_supported", []))
            for scopes in (known, *(known - {scope} for scope in sorted(known))):
                fields = found.bearer(scope=" ".join(sorted(scopes)))
                allowed = {name for name, each in wanted.items() if not each or any(one <= scopes for one in each)}
                assert set(names(found.call(fields, LIST))) == allowed
                for name in sorted(wanted.keys() - allowed):
                    told = challenge(found.call(fields, calling(name)))
                    assert frozenset(told.partition('scope="')[2].partition('"')[0].split()) in wanted[name]
        found.search()
    assert upstream.requests == []


def test_a_search_finds_what_a_token_allows(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Check that a search shows only tools that the caller may call, and that `call_tool` needs the scopes of the inner
    tool.
    """
    project = generated(TOOLS, tmp_path_factory.mktemp("searched") / "caller", "--tools", "search")
    question = {"queries": [name for name in ALL if name not in ("staff", "guarded")]}

    def through(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return stateless("tools/call", name=tool, arguments=arguments)

    with Issuer() as issuer:
        settings = {"HTTP_URL": URL, "AUTH_ISSUER": issuer.name, "AUTH_ROLES_CLAIM": "roles", "KEY": "upstream-key"}
        with Server(project, upstream, "aiohttp", None, (), **settings) as server:
            found = Guarded(server, issuer, issuer)
            for scopes, seen in (("read", ["anyone", "freed", "reading"]), ("", OPEN)):
                fields = found.bearer(scope=scopes)
                told = said(found.call(fields, through("search_tools", question)).message)
                assert sorted(name for name in ALL if f"{name}(" in told) == seen
                described = said(found.call(fields, through("describe_tools", {"names": ["anyone", "owned"]})).message)
                assert "There is no tool 'owned'" in described
                assert said(found.call(fields, through("call_tool", {"name": "freed"})).message) == "/echo/freed"
                refused = found.call(fields, through("call_tool", {"name": "owned"}))
                assert (refused.status, 'scope="billing"' in challenge(refused)) == (403, True)
            listed = names(found.call(fields, LIST))
            assert listed == ["search_tools", "describe_tools", "call_tool", "call_writing_tool"]
