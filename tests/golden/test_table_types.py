"""Test the JSON Schema that the compiler derives from the types of the tables, and that no server loads the types."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from package.runtime.tables import keywords

from mcpgen.base.runtime import table
from mcpgen.emit import table_schema as module
from mcpgen.emit.table_schema import table_schema

RUNTIME = Path(__file__).parents[2] / "templates" / "package" / "runtime"
TYPES = ("keywords", "table", "words", "workflow")


class Part(TypedDict):
    """A part,
    which may hold others.
    """

    parts: NotRequired[list[Part]]


@keywords.has_one_of("text", "part")
class Whole(TypedDict):
    """A whole."""

    kind: Literal["one", "other"]
    text: NotRequired[Annotated[keywords.Text, "What it says."]]
    part: NotRequired[Annotated[Part, keywords.Has(minProperties=1)]]


REFERENCE = {"$ref": "#/$defs/Part"}
EMPTY: dict[str, Any] = {}
CASES: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (Any, EMPTY),
    (Literal[True], {"const": True}),
    (Literal["a", "b"], {"enum": ["a", "b"]}),
    (list[str | Part], {"type": "array", "items": {"anyOf": [{"type": "string"}, REFERENCE]}}),
    (dict[str, Any], {"type": "object", "additionalProperties": EMPTY}),
    (keywords.NonEmpty[int], {"type": "array", "items": {"type": "integer"}, "minItems": 1}),
    (keywords.NonEmptyMap[Part], {"type": "object", "additionalProperties": REFERENCE, "minProperties": 1}),
    (Annotated[table.Pointer, "A place."], {"type": "string", "pattern": "^/", "description": "A place."}),
    (Annotated[Part, keywords.Has(required=["parts"])], {**REFERENCE, "required": ["parts"]}),
]


@pytest.mark.parametrize(("hint", "schema"), CASES, ids=lambda each: str(each)[:40])
def test_each_type_has_its_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert module._schema(hint, {}) == schema


def test_an_object_is_closed_and_described() -> None:
    types: dict[str, Any] = {}
    assert module._schema(Whole, types) == {"$ref": "#/$defs/Whole"}
    assert types == {
        "Part": {
            "type": "object",
            "description": "A part, which may hold others.",
            "required": [],
            "additionalProperties": False,
            "properties": {"parts": {"type": "array", "items": REFERENCE}},
        },
        "Whole": {
            "type": "object",
            "description": "A whole.",
            "required": ["kind"],
            "additionalProperties": False,
            "properties": {
                "kind": {"enum": ["one", "other"]},
                "text": {"type": "string", "minLength": 1, "description": "What it says."},
                "part": {**REFERENCE, "minProperties": 1},
            },
            "oneOf": [{"required": ["text"]}, {"required": ["part"]}],
        },
    }


def test_a_member_that_a_type_gets_is_in_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.View.__annotations__, "planted", NotRequired[table.Pointer])
    definitions: Any = table_schema()["$defs"]
    assert definitions["View"]["properties"]["planted"] == {"type": "string", "pattern": "^/"}


def _loads_types(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that import a module of TYPES when a server runs. Imports under TYPE_CHECKING do not count, nor
    do those among TYPES.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            module = node.module or ""
            names = [module, *(f"{module}.{each.name}" for each in node.names)]
            if {*TYPES, *(f"tables.{each}" for each in TYPES), *(f".{each}" for each in TYPES)} & {*names}:
                yield node.lineno
        yield from _loads_types(node)


def test_no_server_loads_the_types() -> None:
    paths = (path for path in RUNTIME.rglob("*.py") if path.parent != RUNTIME / "tables")
    found = {path.name: list(_loads_types(ast.parse(path.read_text(encoding="utf-8")))) for path in paths}
    assert {name: lines for name, lines in found.items() if lines} == {}
    for line in (
        "from .table import Header",
        "from .words import Style",
        "from . import table",
        "from ..tables import table",
        "from ..tables.table import X",
    ):
        assert list(_loads_types(ast.parse(f"def late():\n    {line}"))) == [2]
        assert list(_loads_types(ast.parse(f"if TYPE_CHECKING:\n    {line}"))) == []
