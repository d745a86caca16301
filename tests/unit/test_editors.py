"""Test the JSON Schema of the tools file, which editors use: printed by a command, written beside tools files, in the
wheel.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import referencing
import referencing.jsonschema

from mcpgen.cli import main
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.toolsfile import editors, schema_check

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "mcpgen" / "read" / "toolsfile" / "schema.json"
PUBLISHED = (ROOT / "generated" / "petstore" / "mcpgen.schema.json").read_bytes()
"""The schema in one file, as it was reviewed in an example. `SCHEMA` refers to other files, beside it or elsewhere."""
POINTING = re.compile(r"# yaml-language-server: \$schema=(\S+)")

ANNOTATIONS = {"$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples"}
WALKED = {
    "$ref", "type", "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "items",
    "enum", "const", "pattern", "minimum", "exclusiveMinimum", "maximum", "minItems", "minLength", "minProperties",
    "oneOf",
}  # fmt: skip
"""JSON Schema keywords that `schema_check.py` implements. tests/properties/test_toolsfile.py checks that it does."""


def nodes(node: Any, at: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the location of every schema within the schema, and the schema itself."""
    if not isinstance(node, dict):
        return
    yield at, node
    for keyword in ("properties", "patternProperties", "$defs"):
        for name, inner in node.get(keyword, {}).items():
            yield from nodes(inner, f"{at}/{keyword}/{name}")
    for keyword in ("additionalProperties", "items", "propertyNames"):
        yield from nodes(node.get(keyword), f"{at}/{keyword}")


NODES = dict(nodes(json.loads(PUBLISHED)))


def ran(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[object, bytes, bytes]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return ended.value.code, *capsysbinary.readouterr()


def test_the_command_prints_the_schema_byte_for_byte(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert ran(capsysbinary, "schema") == (0, PUBLISHED, b"")


def test_the_command_writes_the_schema_over_an_earlier_one_and_over_nothing_else(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    target, foreign = tmp_path / "schema.json", tmp_path / "mine.json"
    for _ in range(2):
        code, out, err = ran(capsysbinary, "schema", "--output", str(target))
        assert (code, out) == (0, b"")
        assert b"$schema=schema.json" in err
        assert target.read_bytes() == PUBLISHED
        target.write_bytes(PUBLISHED.replace(b"The version of this format.", b"As it was."))
    foreign.write_bytes(b'{"mine": true}')
    assert ran(capsysbinary, "schema", "--output", str(foreign))[0] == 2
    assert foreign.read_bytes() == b'{"mine": true}'


def test_every_project_has_the_schema_that_its_tools_file_points_to() -> None:
    tree = compile_source(fetch.read(str(ROOT / "specs" / "petstore.openapi.yaml")), Options()).tree
    pointing = POINTING.fullmatch(tree["mcpgen.yaml"].decode().splitlines()[0])
    assert pointing is not None
    assert tree[pointing[1]] == PUBLISHED == editors.schema_file()


@pytest.mark.parametrize("path", sorted((ROOT / "specs").rglob("*.tools.yaml")), ids=lambda path: path.name)
def test_every_tools_file_that_comes_with_us_points_to_the_schema(path: Path) -> None:
    pointing = POINTING.fullmatch(path.read_text(encoding="utf-8").splitlines()[0])
    assert pointing is not None
    assert (path.parent / pointing[1]).resolve() == SCHEMA


def test_a_built_wheel_carries_the_schema(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        parts = [
            SCHEMA.parent / each for each in re.findall(r'"\$ref": "([^#"]+)"', SCHEMA.read_text(encoding="utf-8"))
        ]
        for path in (SCHEMA, *parts):
            assert archive.read(path.resolve().relative_to(ROOT).as_posix()) == path.read_bytes()


def test_the_schema_is_valid_by_the_meta_schema_and_names_no_address() -> None:
    validator = jsonschema.validators.validator_for(schema_check.schema())
    assert validator is jsonschema.Draft202012Validator
    jsonschema.Draft202012Validator.check_schema(schema_check.schema())
    for draft in (jsonschema.Draft202012Validator, jsonschema.Draft7Validator):  # many editors support only draft-07
        empty: referencing.jsonschema.SchemaRegistry = referencing.Registry()
        judge = draft(schema_check.schema(), registry=empty)
        assert judge.is_valid({"mcpgen": 1, "tools": [{"name": "a", "request": "GET /"}]})
        assert not judge.is_valid({"mcpgen": 1, "tools": [{"name": "a", "request": "/"}]})
    assert re.findall(r"https?://[^ \"]*", PUBLISHED.decode()) == [
        "https://json-schema.org/draft/2020-12/schema",
        "https://api.example.com/v1.",
        "https://images.example.com.",
        "https://[a-z0-9.-]+(:[0-9]{1,5})?$",
    ]


@pytest.mark.parametrize("at", NODES)
def test_every_part_of_the_schema_is_described_and_read(at: str) -> None:
    node = NODES[at]
    assert node.keys() <= WALKED | ANNOTATIONS, "schema_check.py would overlook it"
    if "$ref" in node:
        assert node.keys() == {"$ref"}, "draft-07 reads nothing beside a reference"
    elif not at.endswith("/propertyNames"):
        assert node.get("description", "").endswith((".", "…", ")")), "editors have nothing to show"


def test_examples_and_defaults_are_values_that_are_taken() -> None:
    for at, node in NODES.items():
        inside = {"$ref": at, "$defs": json.loads(SCHEMA.read_bytes())["$defs"]}
        for value in [*node.get("examples", ()), *([node["default"]] if "default" in node else ())]:
            if at.startswith("#/$defs"):
                jsonschema.Draft202012Validator(inside).validate(value)
            else:
                jsonschema.Draft202012Validator({**node, "$defs": inside["$defs"]}).validate(value)
