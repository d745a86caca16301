"""Test which parts of the runtime a server gets (`mcpgen/emit/parts.py`).

Each field of the tables is read by the plain core, or needs a wing. So a server never has a table that asks for a wing
which was not emitted: whoever adds a field to the tables must say here or in `wings.WINGS` who reads it.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from docs.reference_from_code.parts import REASONS
from mcpgen.base.runtime import table
from mcpgen.emit import parts, wings
from mcpgen.model.options import PARTS, Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.toolsfile.schema_check import schema
from tests.architecture.imports import arrows_of
from tests.architecture.test_wings import SOURCES, WING_OF

absent_parts = importlib.import_module("package.runtime.core.absent_parts")
specs = Path(__file__).parents[2] / "specs"

PLAIN = {
    "Header": "mcpgen digest bytes server environment servers security origins roles aliases logging",
    "Identity": "name title version instructions",
    "ServerVariable": "default variable enum",
    "Server": "url variables",
    "Scheme": "in name word base64 tokens ways secret variables purposes tokenUrl openIdConnectUrl",
    "CredentialWays": "given",
    "Binding": "name operation method server path query querystring headers cookies body accept withheld defaults"
    " security settings scopes callerScopes fields open also nullable unchecked redirects follow shows timeout tool",
    "DescribedOperation": "path id",
    "Parameter": "name style explode argument value reserved content required made mayBeEmpty",
    "Body": "contentType encoding required argument value fields rest needs withheld setByApi",
    "Field": "name argument value style explode reserved content contentType filename repeat headers",
    "WithheldNames": "query cookies",
}
"""Type → its members that the plain core reads."""

WITHIN = {
    "Login": "oauth",
    "LoginField": "oauth",
    "UserFlow": "login",
    "Features": "features",
    "Search": "search",
    "ListedPart": "search",
    "AskedQuestion": "questions",
    "View": "results",
    "ToolView": "views",
    "Column": "views",
    "Condition": "results or jobs",
    "Link": "results",
    "EmbeddedResource": "results",
    "BlockAnnotations": "results",
    "ShownBlock": "results",
    "PointerNode": "results or jobs",
    "Pages": "lookups",
    "Lookup": "lookups",
    "TaskRule": "jobs",
    "TaskRequest": "jobs",
    "HeaderNode": "jobs",
    "Xml": "templates",
    "ArgumentNode": "templates",
    "ValueNode": "templates",
    "TextNode": "templates",
    "ItemsNode": "templates",
    "MembersNode": "templates",
    "Csrf": "oauth",
    "Resource": "features",
    "CompletionSource": "features",
    "Prompt": "features",
    "ListedPrompt": "features",
    "PromptArgument": "features",
    "Message": "features",
    "Workflow": "workflows",
    "WorkflowStep": "workflows",
    "WorkflowAction": "workflows",
    "WorkflowLoop": "workflows",
    "Criterion": "workflows",
    "Undo": "workflows",
    "LiteralNode": "workflows",
    "ExpressionNode": "workflows",
    "JoinedNode": "workflows",
    "ObjectNode": "workflows",
    "SpreadNode": "workflows",
    "ArrayNode": "workflows",
    "SelectedNode": "workflows",
    "PatchedNode": "workflows",
    "Account": "accounts",
}
"""Type → the wing whose field of the tables leads to the type, so that the type needs no more."""

ENCODINGS = {"Body.encoding": "json jsonl form text", "Search.finders": "search_tools describe_tools call_"}
"""Field of which some values need a wing → how its other values begin."""

NEEDED = {field for wing in wings.WINGS for field in wing.fields}


def types(kind: Any, seen: dict[str, Any]) -> dict[str, Any]:
    """Return name → type of all objects that a value of a type can contain."""
    if is_typeddict(kind) and kind.__name__ not in seen:
        seen[kind.__name__] = kind
        for each in get_type_hints(kind).values():
            types(each, seen)
    for each in get_args(kind):
        types(each, seen)
    return seen


TYPES: dict[str, Any] = {}
for each in (table.Table, table.Resources, table.Prompts):
    types(each, TYPES)
TYPES["Header"] = TYPES.pop("Table")


def unclaimed(name: str, kind: Any) -> Iterator[str]:
    """Yield the fields of a type that neither a wing nor the plain core claims."""
    for member in get_type_hints(kind):
        field = f"{name}.{member}"
        needed = any(each.partition("=")[0] == field for each in NEEDED)
        if not (needed or name in WITHIN or member in PLAIN.get(name, "").split() or field == "Header.bindings"):
            yield field


def test_each_field_of_the_tables_is_read_by_the_plain_core_or_needs_a_wing() -> None:
    assert [field for name, kind in TYPES.items() for field in unclaimed(name, kind)] == []
    known = {f"{name}.{member}" for name, kind in TYPES.items() for member in get_type_hints(kind)}
    assert {field.partition("=")[0] for field in NEEDED} <= known
    assert {f"{name}.{member}" for name, members in PLAIN.items() for member in members.split()} <= known
    assert WITHIN.keys() | PLAIN.keys() == TYPES.keys()


def test_each_value_of_a_field_is_read_by_the_plain_core_or_needs_a_wing() -> None:
    for field, plain in ENCODINGS.items():
        name, member = field.split(".")
        hint = get_type_hints(TYPES[name])[member]
        hint = hint if get_origin(hint) is Literal else get_args(hint)[1]
        wanted = tuple(each.partition("=")[2] for each in NEEDED if each.startswith(f"{field}="))
        assert all(value.startswith((*plain.split(), *wanted)) for value in get_args(hint)), field


def test_each_need_and_each_part_names_wings() -> None:
    names = {wing.name for wing in wings.WINGS}
    assert parts.parts_of(names) == {*PARTS}
    needed = {wing.name for wing in wings.WINGS if wing.fields}
    assert parts.PURPOSES.keys() == {*PARTS} - needed
    assert REASONS.keys() == needed


def test_the_header_has_its_members_in_the_order_of_their_type(tmp_path: Path) -> None:
    source = tmp_path / "shop.tools.yaml"
    source.write_text(
        "{mcpgen: 1, server: {name: shop}, base_url: 'https://a.example', security: none, tools: [{name: list_orders, "
        "request: GET /orders}], skills: [{from: tags}], views: true, pictures: ['https://b.example']}"
    )
    tree = compile_source(fetch.read(str(source)), Options(tools="search")).tree
    *found, _ = json.loads(tree["shop_mcp/bindings.json"])
    assert found == [each for each in table.Header.__annotations__ if each in found]
    assert found[-4:] == ["skills", "search", "views", "pictures"]


def test_the_tools_file_knows_the_same_parts() -> None:
    described: Any = schema()["properties"]
    assert tuple(described["parts"]["items"]["enum"]) == PARTS


def test_whatever_leads_into_a_part_says_how_to_get_the_part() -> None:
    """Follow each import that is not for types alone into a part that its owner chooses."""
    part_of = {wing: part for part in parts.PURPOSES for wing in parts.wings_of_part(part) if wing != "watching"}
    found = 0
    for name, path in SOURCES.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for arrow in arrows_of(name, package, at_run_time(path.read_text(encoding="utf-8")), SOURCES):
            source, target = WING_OF[arrow.source], WING_OF[arrow.target]
            if target in part_of and part_of.get(source) != part_of[target]:
                problem = ModuleNotFoundError(name=f"package.{arrow.target}")
                assert f"--parts {part_of[target]}" in absent_parts.advise(problem), arrow
                found += 1
    assert found > len(part_of)


def at_run_time(text: str) -> str:
    """Return Python code without its imports for types alone."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return ast.unparse(tree)


@pytest.mark.parametrize(
    ("before", "named", "after"),
    [
        ((), (), ()),
        ((), ("http",), ("http",)),
        (("http",), ("audit",), ("audit", "http")),
        (("http",), (), ("http",)),
        (("http",), ("all",), ("all",)),
        (("all",), (), ("all",)),
        (("all",), ("http",), ("http",)),
        (("audit", "http"), ("none",), ("none",)),
        (("audit", "http"), ("none", "shell"), ("shell",)),
        (("none",), ("shell",), ("shell",)),
    ],
)
def test_parts_add_up_over_runs(before: tuple[str, ...], named: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert Options(parts=named).over(Options(parts=before)).parts == after


def test_deployment_serves_http_and_hooks_need_their_part() -> None:
    assert parts.chosen(("none",), deploy=True, hooks=True) == ("hooks", "http", "telemetry")
    assert parts.chosen(("all",), deploy=True, hooks=True) == ("all",)


DOCUMENTS = {
    "station.tools.yaml": {"results"},
    "petstore.openapi.yaml": {"files", "results"},
}


@pytest.mark.parametrize("name", [*DOCUMENTS])
def test_documents_need_wings(name: str) -> None:
    tree = compile_source(fetch.read(str(specs / name)), Options(parts=("none",))).tree
    package = next(path for path in tree if path.endswith("/bindings.json")).partition("/")[0]
    tables = {path.partition("/")[2]: data for path, data in tree.items() if path.startswith(f"{package}/")}
    assert {*parts.needed(tables)} == DOCUMENTS[name]
    assert f"{package}/asgi.py" not in tree


def test_tables_that_are_not_what_their_types_say_need_what_can_be_read() -> None:
    broken = {"bindings": [{"task": {}, "path": 1}, 2, {"body": []}], "search": [], "security": {"x": {"ways": 0}}}
    assert {*parts.needed({"bindings.json": json.dumps(broken).encode()})} == {"jobs", "search"}
