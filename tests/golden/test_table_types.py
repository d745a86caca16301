"""Test that the runtime's Python types for the generated JSON files match `table.schema.json`, in both directions."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from package.runtime.core import table

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = json.loads((ROOT / "mcpgen/emit/table.schema.json").read_text(encoding="utf-8"))
SCALARS = {"string": str, "integer": int, "number": float, "boolean": bool}


class Comparison:
    """Comparison of Python types with one JSON Schema. Each pair of a class and a schema node is compared once."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._definitions = schema["$defs"]
        self._seen: set[tuple[str, int]] = set()

    def differences(self, hint: Any, node: Any, place: str) -> Iterator[str]:
        """Yield a sentence for each difference between a Python type and a schema node."""
        node = self._resolved(node)
        branches = self._branches(node)
        if branches is not None:
            yield from self._of_union(hint, branches, place)
        elif is_typeddict(hint):
            yield from self._of_members(hint, node, place)
        elif get_origin(hint) in (list, dict):
            key = "items" if get_origin(hint) is list else "additionalProperties"
            if node is True or node.get("type") != ("array" if key == "items" else "object") or "properties" in node:
                yield f"{place}: {hint} is no {node}"
            else:
                yield from self.differences(get_args(hint)[-1], node[key], f"{place}/*")
        elif hint != _plain(node):
            yield f"{place}: {hint} is not {node}"

    def _resolved(self, node: Any) -> Any:
        """Return the definition that a schema node refers to.

        Additional `required` members (`allOf`) are ignored, because types cannot express them.
        """
        while isinstance(node, dict):
            if "allOf" in node:
                node = node["allOf"][0]
            elif "$ref" in node:
                node = self._definitions[node["$ref"].removeprefix("#/$defs/")]
            else:
                break
        return node

    def _branches(self, node: Any) -> list[Any] | None:
        """Return the resolved alternatives (`anyOf` or `oneOf`) of a schema node.

        Return None if there are none, or if all alternatives only list required members.
        """
        found = node.get("anyOf", node.get("oneOf")) if isinstance(node, dict) else None
        if found is None or all(each.keys() == {"required"} for each in found):
            return None
        return [self._resolved(each) for each in found]

    def _of_union(self, hint: Any, branches: list[Any], place: str) -> Iterator[str]:
        """Yield the differences between a union type and the schema's alternatives, compared in order."""
        hints = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        if len(hints) != len(branches):
            yield f"{place}: {hint} has not the alternatives {branches}"
            return
        for number, (each, branch) in enumerate(zip(hints, branches, strict=True)):
            yield from self.differences(each, branch, f"{place}|{number}")

    def _of_members(self, hint: Any, node: Any, place: str) -> Iterator[str]:
        if (hint.__name__, id(node)) in self._seen:
            return
        self._seen.add((hint.__name__, id(node)))
        if node is True or node.get("additionalProperties") is not False:
            yield f"{place}: {hint.__name__} is closed, and {node} is not"
            return
        members = get_type_hints(hint, include_extras=True)
        required = {name for name, each in members.items() if get_origin(each) is not NotRequired}
        if members.keys() != node["properties"].keys():
            yield f"{place}: the members differ: {sorted(members.keys() ^ node['properties'].keys())}"
        if required != set(node.get("required", ())):
            yield f"{place}: what is required differs: {sorted(required ^ set(node.get('required', ())))}"
        for name in members.keys() & node["properties"].keys():
            own = members[name]
            own = get_args(own)[0] if get_origin(own) in (NotRequired, Required) else own
            yield from self.differences(own, node["properties"][name], f"{place}/{name}")


def _plain(node: Any) -> Any:
    """Return the JSON Schema type of a Python type without type arguments."""
    if node is True:
        return Any
    if node.get("additionalProperties") is True:
        return dict[str, Any]
    values = tuple(node.get("enum", [node["const"]] if "const" in node else ()))
    return Literal[values] if values else SCALARS.get(node.get("type"))


def _differences(schema: dict[str, Any]) -> list[str]:
    defs = schema["$defs"]
    tables = [(table.Table, schema), (list[table.Resource], defs["resources"]), (list[table.Prompt], defs["prompts"])]
    comparison = Comparison(schema)
    return [each for hint, node in tables for each in comparison.differences(hint, node, "")]


def _loads_table(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that import `core/table.py`, the module of the types, when a server runs. Imports under
    TYPE_CHECKING do not count.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module or ''}.{each.name}" for each in node.names)]
            if any(name == "table" or name.endswith("core.table") or name == ".table" for name in names):
                yield node.lineno
        yield from _loads_table(node)


def test_no_server_loads_the_types() -> None:
    runtime = ROOT / "templates" / "package" / "runtime"
    found = {
        path.name: list(_loads_table(ast.parse(path.read_text(encoding="utf-8")))) for path in runtime.rglob("*.py")
    }
    assert {name: lines for name, lines in found.items() if lines} == {}
    for line in (
        "from .table import Header",
        "from . import table",
        "from ..core import table",
        "from ..core.table import X",
    ):
        assert list(_loads_table(ast.parse(f"def late():\n    {line}"))) == [2]
        assert list(_loads_table(ast.parse(f"if TYPE_CHECKING:\n    {line}"))) == []


def test_the_types_of_the_runtime_are_the_schema_of_the_compiler() -> None:
    assert _differences(SCHEMA) == []


def _planted(pointer: str, key: str, value: Any) -> dict[str, Any]:
    """Return a copy of the schema with `key` at `pointer` set to `value`, or removed if `value` is None."""
    schema = copy.deepcopy(SCHEMA)
    node: Any = schema
    for step in pointer.split("/"):
        node = node[int(step)] if isinstance(node, list) else node[step]
    if value is None:
        del node[key]
    else:
        node[key] = value
    return schema


_SCHEME = "properties/security/additionalProperties"


@pytest.mark.parametrize(
    ("pointer", "key", "value"),
    [
        ("properties", "new", {"type": "string"}),
        (f"{_SCHEME}/properties/type", "enum", ["apiKey", "bearer", "basic", "oauth2", "header", "setting", "mtls"]),
        (f"{_SCHEME}/properties", "in", None),
        (f"{_SCHEME}/properties/login/properties/fields/additionalProperties/properties", "role", None),
        (_SCHEME, "required", ["type"]),
        ("$defs/parameter/properties/style", "enum", ["simple", "form"]),
        ("$defs/parameter/properties/reserved", "const", False),
        ("$defs/body/properties", "encoding", {"type": "string"}),
        ("$defs/field/properties/part", "enum", ["text", "json", "xml", "file", "yaml"]),
        ("$defs/field/properties", "explode", {"type": "string"}),
        ("$defs/template/oneOf/4/properties/members/additionalProperties", "$ref", "#/$defs/argument"),
        ("$defs/shownText/items/anyOf/2/properties", "pointer", {"type": "integer"}),
        ("$defs/view/properties", "select", {"$ref": "#/$defs/pointer"}),
        ("$defs/xml/properties", "items", {"type": "string"}),
        ("$defs/binding/properties/timeout", "type", "integer"),
        ("$defs/binding", "required", ["method"]),
        ("$defs/binding", "additionalProperties", True),
        ("$defs/resources/items/properties", "blob", None),
        ("$defs/prompts/items/properties/messages/items/properties/role", "enum", ["user"]),
        ("$defs/prompts/items/properties/listed/properties/arguments/items/properties/name", "$ref", "#/$defs/binding"),
    ],
)
def test_a_difference_in_the_schema_is_found(pointer: str, key: str, value: Any) -> None:
    assert _differences(_planted(pointer, key, value))


def test_a_difference_in_the_types_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, name, hint in (
        (table.Body, "encoding", Literal["json"]),
        (table.Field, "part", str),
        (table.Prompt, "new", str),
        (table.Scheme, "variables", NotRequired[dict[str, str]]),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(kind.__annotations__, name, hint)
            assert _differences(SCHEMA), f"{kind.__name__}.{name}"
