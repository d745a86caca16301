"""Test the tool list of each caller, without a process: what the list contains, what is cached, and what changes after
the tools are reloaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.core.jsonrpc import Request
from package.runtime.http_server.streamable import access as module
from package.runtime.http_server.streamable import admission
from package.runtime.http_server.streamable.access import Access, View, is_met, nearest, needed, roles_in
from package.runtime.http_server.streamable.admission import Peer
from package.runtime.identity.identity import Identity
from package.runtime.search.search_listing import inner
from package.runtime.search.tools import ToolSearch

from mcpgen.emit import emit
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch

TOOLS = 20


def table(folder: Path, count: int = TOOLS, extra: str = "", tools: str = "all") -> Catalog:
    """Return a catalog of the tools t0, t1, … and `r0`. Each tN needs a scope with its own name, and `r0` needs
    a role.
    """
    paths = {
        f"/t{n}": {"get": {"x-mcp": {"name": f"t{n}"}, "security": [{"o": [f"t{n}{extra}"]}]}} for n in range(count)
    }
    paths["/r0"] = {"get": {"security": [], "x-mcp": {"name": "r0", "roles": ["staff"]}}}
    flows = {"implicit": {"authorizationUrl": "https://login.example.com/a", "scopes": {}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "components": {"securitySchemes": {"o": {"type": "oauth2", "flows": flows}}},
        "paths": paths,
    }
    folder.mkdir(exist_ok=True)
    (folder / "api.json").write_text(json.dumps(document))
    catalog = compile_source(fetch.read(str(folder / "api.json")), Options(tools=tools)).catalog
    tree = emit(catalog)
    for name in ("tools.json", "bindings.json", "search.json"):
        if (path := f"{catalog.identity.package}/{name}") in tree:
            (folder / name).write_bytes(tree[path])
    return Catalog.load(str(folder))


def test_an_alias_needs_what_its_tool_needs(catalog: Catalog) -> None:
    catalog.aliases = {"old": "t2", "old_role": "r0"}
    access = Access(catalog, frozenset(), "roles", checks=True)
    assert access.lacking(caller("t1"), call("old")) == frozenset(["t2"])
    assert access.lacking(caller("t2"), call("old")) is None
    assert access.lacking(caller("t1"), call("old_role")) is None
    offered = access.catalog(caller("t1"))
    assert not offered.has(offered.resolve_alias("old"))
    assert not offered.has(offered.resolve_alias("old_role"))


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return table(tmp_path / "first")


def caller(*scopes: str, **claims: object) -> Identity:
    return Identity("https://issuer.example.com", "someone", "app", frozenset(scopes), 2e9, claims, "")


def listed(access: Access, identity: Identity | None) -> list[str]:
    return [tool["name"] for tool in json.loads(b"".join(access.catalog(identity).tools))]


def call(name: str) -> Request:
    return Request(1, "tools/call", {"name": name, "arguments": {}})


def test_each_caller_sees_its_own(catalog: Catalog) -> None:
    access = Access(catalog, frozenset(["staff"]), "roles", checks=True)
    assert listed(access, caller("t1", "t7", "else")) == ["t1", "t7"]
    assert listed(access, caller("t1", roles=["staff"])) == ["r0", "t1"]
    assert listed(access, None) == sorted(catalog.names())
    assert [access.catalog(each).private for each in (caller(), None)] == [True, True]
    assert access.lacking(caller("t1"), call("t1")) is None
    assert access.lacking(caller("t1"), call("t2")) == frozenset(["t2"])
    assert access.lacking(caller("t1"), call("nothing")) is None
    assert access.catalog(caller("t1")).tools is access.catalog(caller("t1", "x")).tools, "made once"


def test_without_tokens_nothing_changes(catalog: Catalog) -> None:
    access = Access(catalog, frozenset(), "", checks=False)
    assert access.catalog(None) is catalog
    assert not catalog.private
    assert access.first_scopes() == frozenset()


def test_views_are_bounded(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    access = Access(catalog, checks=True)
    kept = access._views
    monkeypatch.setattr(module, "MOST_VIEWS", 5)
    for n in range(TOOLS):
        assert listed(access, caller(f"t{n}")) == ["r0", f"t{n}"]
        assert len(kept) <= 5
    assert access.catalog(caller(f"t{TOOLS - 1}")) in kept.values(), "the latest stay"
    monkeypatch.setattr(module, "MOST_VIEWS", 256)
    monkeypatch.setattr(module, "MOST_BYTES", 3000)
    for n in range(TOOLS):
        access.catalog(caller(f"t{n}", f"t{n - 1}"))
        assert sum(view.size for view in kept.values()) <= 3000


def test_scopes_that_allow_the_same_share_one_list(tmp_path: Path) -> None:
    catalog = table(tmp_path / "alike", 2)
    access = Access(catalog, frozenset(), "roles", checks=True)
    first, second = access.catalog(caller("t0")), access.catalog(caller("t0", roles=["other"]))
    assert first is second


def test_another_table_drops_the_views(catalog: Catalog, tmp_path: Path) -> None:
    access = Access(catalog, checks=True)
    assert listed(access, caller("t1")) == ["r0", "t1"]
    alike = table(tmp_path / "alike")
    access.renew(alike, frozenset())
    view = access.catalog(caller("t1"))
    assert isinstance(view, View)
    assert view.whole is alike
    access.renew(table(tmp_path / "second", 3, "-now"), frozenset())
    assert listed(access, caller("t1")) == ["r0"]
    assert listed(access, caller("t1-now")) == ["r0", "t1"]
    assert access.lacking(caller("t1"), call("t1")) == frozenset(["t1-now"])
    assert Access(access.whole, checks=True, first=("*",)).first_scopes() == {"t0-now", "t1-now", "t2-now"}


A, B, C = "abc"
SETS = [
    ([], "", True, ""),
    (["a"], "", False, "a"),
    (["a"], "a b", True, "a"),
    (["ab"], "a", False, "ab"),
    (["ab", "c"], "c", True, "c"),
    (["ab", "c"], "a", False, "ab"),
    (["ab", "c"], "", False, "c"),
    (["ab", "ac"], "c", False, "ac"),
]


@pytest.mark.parametrize(("alternatives", "held", "met", "asked"), SETS)
def test_the_nearest_alternative(alternatives: list[str], held: str, met: bool, asked: str) -> None:
    required, scopes = tuple(map(frozenset, alternatives)), frozenset(held.split())
    assert is_met(required, scopes) is met
    assert nearest(required, scopes) == frozenset(asked)


def test_what_is_asked_at_first() -> None:
    every = [(frozenset([A]),), (frozenset([A, B]), frozenset([C])), (frozenset(["offline_access"]),)]
    assert needed(every) == {A, B}, "of the alternatives the one that begins with what is needed anyway"
    assert needed([]) == frozenset()


CLAIMS = [
    ("roles", {"roles": ["a", "b"]}, {"a", "b"}),
    ("roles", {"roles": "a b"}, {"a", "b"}),
    ("roles", {"roles": ["a", 7, None, ["b"]]}, {"a"}),
    ("roles", {"roles": {"a": True}}, set()),
    ("roles", {}, set()),
    ("/realm_access/roles", {"realm_access": {"roles": ["a"]}}, {"a"}),
    ("/realm_access/roles", {"realm_access": ["a"]}, set()),
    ("/realm_access/roles", {"/realm_access/roles": ["a"], "roles": ["b"]}, set()),
    ("https://example.com/roles", {"https://example.com/roles": ["a"]}, {"a"}),
    ("/https:~1~1example.com~1roles", {"https://example.com/roles": ["a"]}, {"a"}),
    ("/a~01", {"a~1": ["a"]}, {"a"}),
]


@pytest.mark.parametrize(("claim", "claims", "roles"), CLAIMS)
def test_roles_of_a_claim(claim: str, claims: dict[str, object], roles: set[str]) -> None:
    assert roles_in(claims, claim) == roles


def test_a_search_finds_what_its_caller_may_call(tmp_path: Path) -> None:
    """Check that a search counts and finds only tools that the caller may call.

    A call of another tool gets an error with the scopes that it needs.
    """
    access = Access(table(tmp_path / "searched", tools="search"), checks=True, gate=cast(admission.TokenGate, Gate()))
    asked = {"queries": ["get t1", "get t2"]}
    for identity, seen in ((caller("t1"), ["t1"]), (caller("t1", "t2"), ["t1", "t2"]), (caller(), [])):
        offered = access.catalog(identity)
        entries = json.loads(b"".join(offered.tools))
        assert [entry["name"] for entry in entries] == [
            "search_tools",
            "describe_tools",
            "call_tool",
            "call_writing_tool",
        ]
        count = "1 tool that is" if not seen else f"{len(seen) + 1} tools that are"
        assert f"has {count} not listed" in entries[0]["description"], "and r0, for which nothing is needed"
        told = str(ToolSearch(access.whole).seen_by(offered).answer("search_tools", asked))
        assert sorted(name for name in ("t1", "t2", "t3") if f"{name}(" in told) == seen
        described = str(ToolSearch(access.whole).seen_by(offered).answer("describe_tools", {"names": ["t3"]}))
        assert "There is no tool 't3'" in described
    peer = Peer("alice", identity=caller("t1"))
    for name in ("t2", "t3"):
        refusal = access.refusal(peer, called("call_tool", name))
        assert refusal is not None
        assert (refusal.status, dict(refusal.fields)["WWW-Authenticate"]) == (403, name)
    assert access.refusal(peer, called("call_tool", "t1")) is None
    assert access.refusal(peer, Request(1, "tools/call", {"name": "search_tools", "arguments": asked})) is None


def called(through: str, name: str) -> Request:
    """Return a call of a tool through `call_tool` or `call_writing_tool`."""
    return Request(1, "tools/call", {"name": through, "arguments": {"name": name, "arguments": {}}})


class Gate:
    """Fake of the check of access tokens. Its challenge is only the list of scopes."""

    metadata_paths: frozenset[str] = frozenset()

    def tell(self, first: object) -> None:
        """Ignore the scopes of all tools, which only the challenges of the real check name."""

    def insufficient(self, scopes: Iterable[str]) -> str:
        """Return the scopes, separated by spaces, instead of a real challenge that names them as missing."""
        return " ".join(scopes)


def test_an_alias_through_a_search_is_its_tool(tmp_path: Path) -> None:
    whole = table(tmp_path / "searched", tools="search")
    whole.aliases = {"old": "t2"}
    access = Access(whole, checks=True, gate=cast(admission.TokenGate, Gate()))
    assert inner(whole, "call_tool", {"name": "old", "arguments": {}}) == ("t2", {})
    refusal = access.refusal(Peer("alice", identity=caller("t1")), called("call_tool", "old"))
    assert refusal is not None
    assert refusal.status == 403
    search = ToolSearch(access.whole).seen_by(access.catalog(caller("t2")))
    assert "t2" in str(search.answer("describe_tools", {"names": ["old"]}))
    hidden = str(
        ToolSearch(access.whole).seen_by(access.catalog(caller("t1"))).answer("describe_tools", {"names": ["old"]})
    )
    assert "There is no tool 'old'" in hidden
    assert "t2" not in hidden


SKILLS = """
mcpgen: 1
server: {name: t}
base_url: https://api.example.com
security: none
tools:
- {name: list_pets, description: List the pets., request: GET /pets}
- {name: refund, description: Refund an order., roles: [staff], request: POST /refunds}
- {name: audit, description: Audit all orders., roles: [staff], steps: [{id: a, call: list_pets}]}
skills: [{from: tags}, {from: workflows}]
"""


def test_a_caller_sees_the_skills_whose_tools_he_may_call(tmp_path: Path) -> None:
    """Check lists, methods and the search, for a skill all of whose tools need a role, and one with another tool."""
    (tmp_path / "t.tools.yaml").write_text(SKILLS, encoding="utf-8")
    found = compile_source(fetch.read(str(tmp_path / "t.tools.yaml")), Options(tools="search")).catalog
    for path, data in emit(found).items():
        if path.endswith(".json") and path.startswith(found.identity.package):
            (tmp_path / Path(path).name).write_bytes(data)
    access = Access(Catalog.load(str(tmp_path)), frozenset(), "roles", checks=True)
    everybody = ["skill://t/SKILL.md"]
    for roles, expected in (([], everybody), (["staff"], [*everybody, "skill://t-audit/SKILL.md"])):
        offered = access.catalog(caller(roles=roles))
        assert [each["listed"]["uri"] for each in offered.entries("resources")] == expected
        asked = {"queries": ["audit all orders"]}
        told = str(ToolSearch(access.whole).seen_by(offered).answer("search_tools", asked))
        assert ("Skill skill://t-audit/SKILL.md" in told) == bool(roles)
