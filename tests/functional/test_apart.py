"""Test that several documents in one server stay separate: above all, credentials are sent only to their own API."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.read.fetch import read
from mcpgen.regenerate.regenerate import compile_after
from tests.functional.test_documents import errors, served
from tests.wire.upstream import listening

BEARER = "{type: http, scheme: bearer}"
KEY = "{type: apiKey, in: header, name: X-Key}"


def document(host: str, schemes: dict[str, str] | None = None) -> str:
    """Return a document at `host` (with port).

    It has an operation for each of `schemes`, or one without security if there is none.
    """
    declared = schemes or {}
    items = [f"  /pets/{name}: {{get: {{responses: {{}}, security: [{{{name}: []}}]}}}}" for name in declared]
    items = items or ["  /pets: {get: {responses: {}}}"]
    components = ", ".join(f"{name}: {kind}" for name, kind in declared.items())
    return "\n".join(
        [
            f"openapi: 3.1.0\ninfo: {{title: At {host}, version: '1'}}\nservers: [{{url: 'http://{host}'}}]",
            f"components: {{securitySchemes: {{{components}}}}}",
            "paths:",
            *items,
        ]
    )


def entries(*each: str) -> str:
    return "mcpgen: 1\nserver: {name: x}\nopenapi:\n" + "".join(f"  - {{document: {one}}}\n" for one in each)


def compiled(folder: Path, tools: str, **documents: str) -> Compiled:
    """Write the tools file and the documents into the folder, and compile the tools file `tools`.

    `documents`: texts by file name without suffix, in which `__` stands for a slash.
    """
    for name, text in {"x": tools, **documents}.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return compile_source(read(str(folder / "x.yaml")), Options(), Project())


class Call(NamedTuple):
    """The URL that a tool calls, and the variables of the credentials that it sends there."""

    host: str
    path: str
    variables: frozenset[str]


def calls(found: Compiled) -> dict[str, Call]:
    """Return, by tool name, the URL that each tool calls and the variables of its credentials, from `bindings.json`."""
    table: dict[str, Any] = json.loads(found.tree["x_mcp/bindings.json"])
    told: dict[str, Call] = {}
    for binding in table["bindings"]:
        needed = {scheme for names in binding["security"] or () for scheme in names}
        variables = frozenset(v for scheme in needed for v in table["security"][scheme]["variables"].values())
        host = table["servers"][binding.get("server", 0)]["url"].split("/")[2]
        told[binding["name"]] = Call(host, binding["operation"]["path"], variables)
    return told


def assert_apart(told: dict[str, Call]) -> None:
    """Raise AssertionError if the value of one environment variable is sent to two hosts."""
    hosts: dict[str, set[str]] = {}
    for call in told.values():
        for variable in call.variables:
            hosts.setdefault(variable, set()).add(call.host)
    assert all(len(each) == 1 for each in hosts.values()), hosts


# -- Credentials ------------------------------------------------------------------------------------------------------


def test_every_host_gets_the_credential_of_its_own_document(tmp_path: Path) -> None:
    with listening() as one, listening() as two, listening() as three:
        ports = (one.port, two.port, three.port)
        hosts = [f"127.0.0.1:{port}" for port in ports]
        documents = {f"{name}__api": document(host, {"key": BEARER}) for name, host in zip("abc", hosts, strict=True)}
        found = compiled(tmp_path, entries("a/api.yaml", "b/api.yaml", "c/api.yaml"), **documents)
        told = calls(found)
        secrets = {variable: f"secret-of-{call.host}" for call in told.values() for variable in call.variables}
        assert len(secrets) == 3
        with served(tmp_path, found.tree, **secrets, X_ALLOW_HTTP="1") as server:
            for name in told:
                assert not server.result(name)["isError"]
        for upstream, host in zip((one, two, three), hosts, strict=True):
            assert f"Authorization: Bearer secret-of-{host}\r\n".encode() in upstream.received.get(timeout=120)
            assert upstream.received.empty()


def test_a_scheme_called_like_what_another_would_be_called_is_kept_apart(tmp_path: Path) -> None:
    a = document("a.example", {"key": BEARER})
    b = document("b.example", {"key": BEARER, "b_key": KEY, "a_key": KEY})
    told = calls(compiled(tmp_path, entries("a.yaml", "b.yaml"), a=a, b=b))
    assert_apart(told)
    assert len({call.variables for call in told.values()}) == 4


OWNER = """
mcpgen: 1
server: {name: x}
%s
security: {key: {type: http, scheme: bearer}}
openapi: [{document: api.yaml, base_url: 'http://%s'}]
tools: [{name: own, description: Own thing., request: GET /own}]
"""


def test_a_scheme_of_the_tools_file_stays_away_from_the_host_of_a_document(tmp_path: Path) -> None:
    with listening() as one, listening() as two:
        host = f"127.0.0.1:{two.port}"
        tools = OWNER % (f"base_url: http://127.0.0.1:{one.port}", host)
        found = compiled(tmp_path, tools, api=document("elsewhere.example", {"key": KEY}))
        told = calls(found)
        assert_apart(told)
        secrets = {variable: f"secret-of-{call.host}" for call in told.values() for variable in call.variables}
        with served(tmp_path, found.tree, **secrets, X_ALLOW_HTTP="1") as server:
            for name in told:
                assert not server.result(name)["isError"]
        own, documents = one.received.get(timeout=120), two.received.get(timeout=120)
    assert f"Authorization: Bearer secret-of-127.0.0.1:{one.port}\r\n".encode() in own
    assert f"X-Key: secret-of-{host}\r\n".encode() in documents
    assert b"Authorization" not in documents


def test_a_scheme_of_the_tools_file_replaces_that_of_a_document_on_its_own_server(tmp_path: Path) -> None:
    for line in ("", "base_url: http://d.example"):
        found = compiled(tmp_path, OWNER % (line, "d.example"), api=document("d.example", {"key": KEY}))
        table = json.loads(found.tree["x_mcp/bindings.json"])
        assert [(name, each["word"]) for name, each in table["security"].items()] == [("key", "Bearer")]


WRITTEN = """
tools:
  - {name: there, description: Elsewhere., request: GET /there, base_url: 'http://%s'}
  - {name: here, description: Here., request: GET /here}
  - {name: same, description: Here., request: GET /same, base_url: 'http://%s/'}
resources: [{name: thing, request: GET /thing, base_url: 'http://%s'}]
"""


@pytest.mark.parametrize("schemes", [{"key": KEY}, None])
def test_a_credential_of_a_document_does_not_go_to_a_written_tool_elsewhere(
    tmp_path: Path, schemes: dict[str, str] | None
) -> None:
    with listening() as home, listening() as other:
        hosts = f"127.0.0.1:{other.port}", f"127.0.0.1:{home.port}"
        declared = document(hosts[1], schemes) + ("\nsecurity: [{key: []}]" if schemes else "")
        tools = entries("api.yaml") + WRITTEN % (*hosts, hosts[0])
        found = compiled(tmp_path, tools, api=declared)
        secrets = {"X_KEY": "OWN", "X_TOKEN": "OWN", "X_HEADER": "X-Key: OWN", "X_ALLOW_HTTP": "1"}
        with served(tmp_path, found.tree, **secrets) as server:
            for name in ("there", "here", "same"):
                assert not server.result(name)["isError"]
        elsewhere = other.received.get(timeout=120)
        assert all(b"X-Key: OWN\r\n" in home.received.get(timeout=120) for _ in ("here", "same"))
    assert b"OWN" not in elsewhere
    assert [each.binding and each.binding.security for each in found.catalog.resources] == [((),)]


def test_a_parameter_that_is_a_credential_has_another_one_elsewhere(tmp_path: Path) -> None:
    key = "parameters: [{name: X-Api-Key, in: header, schema: {type: string}}]"
    api = document("a.example").replace("responses: {}", f"responses: {{}}, {key}")
    own = f"tools: [{{name: own, description: Own., request: GET /own, base_url: 'http://b.example', {key}}}]\n"
    told = calls(compiled(tmp_path, entries("api.yaml") + own, api=api))
    assert_apart(told)
    assert told["own"].variables == {"X_B_EXAMPLE_X_API_KEY"}


def test_a_resource_stays_at_the_base_url_where_all_tools_are_elsewhere(tmp_path: Path) -> None:
    tools = (OWNER % ("base_url: http://own.example", "d.example")).partition("tools:")[0]
    found = compiled(
        tmp_path, tools + "resources: [{name: thing, request: GET /thing}]", api=document("x.example", {"key": KEY})
    )
    assert [each.url for each in found.catalog.servers] == ["http://own.example", "http://d.example"]
    assert_apart(calls(found))


# -- Keys of tools, and the order of documents ------------------------------------------------------------------------


def again(folder: Path, before: Compiled, tools: str) -> Compiled:
    """Compile the changed tools file `tools` with the lock file of the compile `before`, and return the result."""
    (folder / "x.yaml").write_text(tools, encoding="utf-8")
    return compile_after(read(str(folder / "x.yaml")), Options(), Project(lock=before.lock))


@pytest.mark.parametrize("demand", ["", ", x-mcp: {name: pets}"])
def test_the_order_of_documents_moves_no_name_to_another_host(tmp_path: Path, demand: str) -> None:
    named = {
        name: document(f"{name}.example", {"key": BEARER}).replace("get: {", f"get: {{operationId: listPets{demand}, ")
        for name in ("api", "api2", "third")
    }
    first = compiled(tmp_path, entries("api.yaml", "api2.yaml"), **named)
    swapped = again(tmp_path, first, entries("api2.yaml", "api.yaml"))
    assert errors(first) == errors(swapped) == []
    assert calls(swapped) == calls(first)
    assert len(calls(first)) == 2
    assert swapped.lock.promises.names == first.lock.promises.names
    more = again(tmp_path, swapped, entries("third.yaml", "api2.yaml", "api.yaml"))
    assert {name: call for name, call in calls(more).items() if call.host != "third.example"} == calls(first)


def test_a_document_that_is_added_takes_no_name_from_one_that_was_alone(tmp_path: Path) -> None:
    documents = {name: document(f"{name}.example", {"key": BEARER}) for name in "ab"}
    alone = compiled(tmp_path, entries("a.yaml"), **documents)
    both = again(tmp_path, alone, entries("b.yaml", "a.yaml"))
    [(name, _)] = calls(alone).items()
    assert calls(both).get(name, calls(alone)[name]).host == "a.example"
    assert_apart(calls(alone) | {f"{each} later": call for each, call in calls(both).items()})


def test_one_document_at_any_number_of_servers_loses_nothing(tmp_path: Path) -> None:
    more = "  - {document: a.yaml, base_url: 'http://%s.example'}\n"
    tools = entries("a.yaml") + more % "b" + more % "c" + more % "c"
    told = calls(compiled(tmp_path, tools, a=document("a.example", {"key": BEARER})))
    assert sorted(call.host for call in told.values()) == ["a.example", "b.example", "c.example", "c.example"]
    assert_apart(told)


NAMES = st.sampled_from(["key", "a_key", "b_key", "a-key", "api_key", "a_api_key", "token", "Key"])
SCHEMES = st.one_of(st.none(), st.dictionaries(NAMES, st.sampled_from([BEARER, KEY]), min_size=1, max_size=3))
FILES = ("a", "b", "a__api", "b__api")
PREFIXES = st.sampled_from(["", "", "", ", prefix: a", ", prefix: api"])


@pytest.mark.parametrize("examples", [12, pytest.param(40, marks=pytest.mark.slow)])
def test_the_credential_of_a_tool_is_that_of_its_document(examples: int) -> None:
    drawn = given(st.lists(st.tuples(SCHEMES, PREFIXES), min_size=2, max_size=4), st.booleans())
    settings(max_examples=examples)(drawn(assert_credentials_are_apart))()


def assert_credentials_are_apart(drawn: list[tuple[dict[str, str] | None, str]], owned: bool) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = dict(zip(FILES, drawn, strict=False))
        documents = {file: document(f"{file}.example", schemes) for file, (schemes, _) in files.items()}
        lines = [f"{file.replace('__', '/')}.yaml{prefix}" for file, (_, prefix) in files.items()]
        tail = f"base_url: http://own.example\nsecurity: {{key: {BEARER}, a_key: {KEY}}}\n" if owned else ""
        tail += "tools: [{name: own, description: Own., request: GET /own}]\n" if owned else ""
        orders = list(permutations(lines))
        found = [compiled(folder, entries(*order) + tail, **documents) for order in orders[:: max(1, len(orders) // 3)]]
        for each in found:
            assert errors(each) == []
            told = calls(each)
            assert_apart(told)
            assert len(told) == sum(len(schemes or [""]) for schemes, _ in drawn) + owned
            assert all(call.variables for call in told.values())
            assert told == calls(found[0])
        fewer = compiled(folder, entries(*lines[:-1]) + tail, **documents)
        assert_apart(calls(found[0]) | {f"{tool} before": call for tool, call in calls(fewer).items()})


# -- Unused security schemes of a tools file --------------------------------------------------------------------------

SECURITY = "security:\n  key: {type: http, scheme: bearer}\n  spare: {type: http, scheme: basic}\n"
OWN_TOOL = "tools: [{name: own, description: Own., request: GET /own%s}]\n"


@pytest.mark.parametrize(
    ("schemes", "tools", "unused"),
    [
        (None, "", ""),
        ({"own_key": KEY}, "", "6:3 'key'. 7:3 'spare'."),
        ({"key": KEY}, "", "7:3 'spare'."),
        ({"own_key": KEY}, OWN_TOOL % "", ""),
        ({"own_key": KEY}, OWN_TOOL % ", security: [{spare: []}]", "6:3 'key'."),
    ],
)
def test_a_scheme_that_nothing_uses_is_told(
    tmp_path: Path, schemes: dict[str, str] | None, tools: str, unused: str
) -> None:
    found = compiled(tmp_path, entries("a.yaml") + SECURITY + tools, a=document("a.example", schemes))
    told = ""
    for each in found.diagnostics:
        if each.code == "unused-scheme" and each.where:
            assert each.where.file.endswith("x.yaml")
            told += f" {each.where.line}:{each.where.column} {each.message.split()[-1]}"
    assert told.strip() == unused
