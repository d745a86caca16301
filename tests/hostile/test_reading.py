"""Test the attack cases on documents (ids that begin with SPEC): a document makes the compiler reach no other file or
address, and costs bounded work.

Cases that are tables of inputs are in tests/cases and tests/unit, each with its id.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.cli import main
from mcpgen.pipeline import Compiled
from tests.hostile.documents import compiled
from tests.hostile.emitted import assert_sound


class Watch:
    """Record every file that is opened and every address that is contacted within the `with` block."""

    def __init__(self) -> None:
        self.seen: list[str] | None = None

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.seen is not None and event in (
            "open",
            "socket.connect",
            "socket.getaddrinfo",
            "subprocess.Popen",
            "exec",
        ):
            self.seen.append(f"{event} {arguments[:2]}")


WATCH = Watch()
sys.addaudithook(WATCH)  # an audit hook cannot be removed; this one does nothing outside of the `with` block


@pytest.fixture
def watched() -> Iterator[list[str]]:
    WATCH.seen = []
    yield WATCH.seen
    WATCH.seen = None


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        yield server


def with_references(reference: str) -> dict[str, Any]:
    schema = {"$ref": reference}
    of = {"name": "x", "in": "query"}
    return {
        "openapi": "3.1.0",
        "$self": reference,
        "jsonSchemaDialect": reference,
        "paths": {
            "/schema": {"get": {"parameters": [{"name": "x", "in": "query", "schema": schema}]}},
            "/parameter": {"get": {"parameters": [schema]}},
            "/item": schema,
            "/operation": {"get": schema},
            "/body": {"post": {"requestBody": schema}},
            "/media": {"post": {"requestBody": {"content": {"application/json": schema}}}},
            "/answer": {"get": {"responses": {"200": schema}}},
            "/deep": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"items": schema}}}}}}},
            "/data": {"get": {"parameters": [of | {"example": schema, "schema": {"default": schema}}]}},
            "/identifier": {"get": {"parameters": [of | {"schema": {"$id": reference, "$schema": reference}}]}},
        },
        "components": {"securitySchemes": {"s": schema}, "schemas": {"Unused": schema}},
    }  # fmt: skip


LOST = {"GET /parameter", "/item", "GET /operation", "POST /body", "POST /media"}


def test_spec_10_and_13_nothing_is_fetched(listener: socket.socket, watched: list[str]) -> None:
    reference = f"http://127.0.0.1:{listener.getsockname()[1]}/x.json#/a"
    result = compiled(with_references(reference))
    assert {entry.operation for entry in result.catalog.skipped} == LOST
    assert not [event for event in watched if event.startswith("socket")]
    with pytest.raises(TimeoutError):
        listener.accept()


OUTSIDE = [
    "file://SECRET", "FILE://SECRET", "file://localhostSECRET", "SECRET", "../secret.json", "./sub/../../secret.json",
    "%2e%2e/secret.json", "secret.json#/a", "link.json", "\\\\host\\share", "data:application/json,{}", "jar:file:x",
    "//127.0.0.1/x", "urn:x", "mailto:x",
]  # fmt: skip


@pytest.mark.parametrize("reference", OUTSIDE)
def test_spec_11_no_file_is_opened_but_the_source(
    reference: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    watched: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    secret = tmp_path / "secret.json"
    secret.write_text('{"a": {"type": "string", "description": "TOP SECRET"}}')
    (folder / "link.json").symlink_to(secret)
    (folder / "openapi.json").write_text(json.dumps(with_references(reference.replace("SECRET", str(secret)))))
    monkeypatch.chdir(folder)
    del watched[:]
    with pytest.raises(SystemExit) as ended:
        main(["check", "openapi.json"])
    assert ended.value.code == 0
    assert "TOP SECRET" not in "".join(capfd.readouterr())
    assert not [
        event for event in watched if "secret.json" in event or "link.json" in event or event.startswith("socket")
    ]


def ladder(keyword: str, rungs: int) -> dict[str, Any]:
    """Return schemas that each refer twice to the next one, so that there are 2 to the power of `rungs` paths."""
    below = [{"$ref": "#/components/schemas/S{}"}] * 2
    schemas: dict[str, Any] = {"S0": {"type": "object", "properties": {"x": {"type": "string"}}}}
    for rung in range(1, rungs + 1):
        schemas[f"S{rung}"] = {keyword: [{"$ref": member["$ref"].format(rung - 1)} for member in below]}
    return schemas


def body_of(schema: Any, definitions: Any = None, **answer: Any) -> Compiled:
    body = {"content": {"application/json": {"schema": schema}}}
    paths: Any = {"/a": {"post": {"requestBody": body, **answer}}, "/b": {"get": {}}}
    return compiled({"openapi": "3.1.0", "paths": paths, "components": {"schemas": definitions or {}}})


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "items", "properties"])
def test_spec_22_ladders_cost_what_they_are_long(keyword: str) -> None:
    definitions = ladder(keyword, 60)
    if keyword == "items":
        definitions = {
            name: {"type": "array", "items": {"anyOf": found.get("items", [])}} for name, found in definitions.items()
        }
    if keyword == "properties":
        definitions = {
            name: {"type": "object", "properties": dict(zip("ab", found["properties"], strict=True))}
            if name != "S0"
            else found
            for name, found in definitions.items()
        }
    top = {"$ref": "#/components/schemas/S60"}
    answer = {"responses": {"200": {"content": {"application/json": {"schema": top}}}}}
    result = body_of({"type": "object", "properties": {"v": top}}, definitions, **answer)
    assert_sound(result)
    assert len(result.catalog.tools) == 2


def test_spec_22_a_wide_union_of_wide_unions_is_not_multiplied_out() -> None:
    definitions = {f"W{n}": {"anyOf": [{"$ref": f"#/components/schemas/W{n + 1}"}] * 300} for n in range(5)}
    assert_sound(body_of({"$ref": "#/components/schemas/W0"}, {**definitions, "W5": {"type": "string"}}))


@pytest.mark.parametrize("keyword", ["$ref", "allOf", "anyOf", "items"])
def test_spec_22_a_chain_of_thousands_ends_in_a_tool_or_a_reason(keyword: str) -> None:
    def link(number: int) -> Any:
        reference = {"$ref": f"#/components/schemas/C{number - 1}"}
        return reference if keyword == "$ref" else {keyword: reference if keyword == "items" else [reference]}

    definitions: dict[str, Any] = {
        "C0": {"type": "string"},
        **{f"C{number}": link(number) for number in range(1, 3000)},
    }
    result = body_of({"$ref": "#/components/schemas/C2999"}, definitions)
    assert_sound(result)
    assert "get_b" in [tool.name for tool in result.catalog.tools]


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"properties": {f"p{n}": {"type": "string"}}} for n in range(5000)]},
        {"anyOf": [{"type": "string", "enum": [f"v{n}"]} for n in range(5000)]},
        {"type": "object", "properties": {f"p{n}": {"type": "object", "properties": {"a": {}}} for n in range(20_000)}},
        {"type": "string", "enum": [f"v{n}" for n in range(100_000)]},
        {"type": "integer", "enum": [0, 10**18]},
        {"type": "array", "uniqueItems": True, "maxItems": 10**9, "items": {"type": "number", "multipleOf": 1e-300}},
        {"type": "string", "pattern": "(" * 5000 + ")" * 5000},
        {"type": "string", "pattern": "(?:a{1,9999}){1,9999}"},
        {"type": "string", "pattern": "a" * 1_000_000},
        {"required": [f"r{n}" for n in range(10_000)], "properties": {"r1": {}}},
    ],
)
def test_spec_21_and_22_large_schemas_stay_small(schema: Any) -> None:
    result = body_of({"type": "object", "properties": {"v": schema}, "required": ["v"]})
    assert_sound(result)
    assert len(result.tree["api_mcp/tools.json"]) < 60_000


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_spec_02_20_000_operations_compile(count: int) -> None:
    paths: dict[str, Any] = {f"/r{n}/{{id}}": {"get": {"operationId": f"getThing{n}"}} for n in range(count)}
    assert len(compiled({"openapi": "3.1.0", "paths": paths}).catalog.tools) == count


@pytest.mark.parametrize("count", [900, pytest.param(9000, marks=pytest.mark.slow)])
def test_spec_08_a_large_document_without_aliases_is_no_bomb(count: int) -> None:
    """Read three or thirty megabytes of schemas that no tool uses. They are read, but not converted."""
    definitions = {
        f"S{n}": {"type": "object", "properties": {f"p{k}": {"type": "string"} for k in range(100)}}
        for n in range(count)
    }
    assert len(body_of({"$ref": "#/components/schemas/S1"}, definitions).catalog.tools) == 2


def test_spec_23_a_path_longer_than_any_request_is_refused_at_once() -> None:
    with pytest.raises(FatalError, match="longer than"):
        compiled({"openapi": "3.1.0", "paths": {"/a" * 100_000: {"get": {"operationId": "getA"}}}})
