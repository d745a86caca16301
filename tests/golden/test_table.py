"""Test that the JSON files of every committed server match the schema of the tables.

Line N of `tools.json` and line N of `bindings.json` must be about the same tool.
"""

import json
import zlib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.emit.table_schema import table_schema
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import read

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = table_schema()
PACKAGES = sorted(ROOT.glob("generated/*/*_mcp"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_the_bindings_are_what_the_schema_describes(package: Path) -> None:
    table = json.loads((package / "bindings.json").read_text(encoding="ascii"))
    jsonschema.Draft202012Validator(SCHEMA).validate(table)
    assert table["digest"] == f"{zlib.crc32((package / 'tools.json').read_bytes()):08x}"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_one_line_a_tool_in_the_same_order(package: Path) -> None:
    tools = (package / "tools.json").read_text(encoding="ascii").splitlines()
    bindings = (package / "bindings.json").read_text(encoding="ascii").splitlines()
    assert (tools[0], tools[-1], bindings[-1]) == ("[", "]", "]}")
    json.loads(bindings[0] + "]}")
    names = [json.loads(line.removesuffix(","))["name"] for line in tools[1:-1]]
    assert names == [json.loads(line.removesuffix(","))["name"] for line in bindings[1:-1]] == sorted(names)


def test_the_schema_is_a_schema_and_ends_are_closed() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    stack = [SCHEMA]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            assert node.get("type") != "object" or "additionalProperties" in node, "an object of the table is left open"
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


@pytest.mark.parametrize("case", ["resources/kinds", "resources/templates", "prompts/messages"])
def test_the_tables_beside_it_are_what_the_schema_describes(case: str) -> None:
    source = ROOT / "tests" / "cases" / case / "db.tools.yaml"
    tree = compile_source(read(str(source)), Options()).tree
    header = json.loads(tree["db_mcp/bindings.json"])
    jsonschema.Draft202012Validator(SCHEMA).validate(header)
    assert header["features"], "of which each is described"
    for name, digest in header["features"].items():
        content = tree[f"db_mcp/{name}.json"]
        assert digest == f"{zlib.crc32(content):08x}"
        schema = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
        jsonschema.Draft202012Validator(schema).validate(json.loads(content))


@pytest.mark.parametrize(
    ("place", "written", "file"),
    [
        ("mcpgen.emit.table._server", {"url": 1}, "bindings.json"),
        ("mcpgen.emit.features._resource", {"listed": {"name": "x"}}, "resources.json"),
        ("mcpgen.emit.features._prompt", {"listed": {"name": "x"}}, "prompts.json"),
    ],
)
def test_every_compile_of_the_tests_is_held_to_the_schema(
    place: str, written: JsonObject, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, lambda *_: written)
    case = "prompts/messages" if file == "prompts.json" else "resources/kinds"
    source = read(str(ROOT / "tests/cases" / case / "db.tools.yaml"))
    with pytest.raises(AssertionError, match=f"{file} is not what its types say"):
        compile_source(source, Options())
