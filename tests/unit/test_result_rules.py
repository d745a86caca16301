"""Test that a rule for results is one entry of the tools file's schema: without further code, the compiler reads and
writes the rule, and `schema`, `inspect` and the reference show it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.reference_from_code import schemas
from mcpgen import pipeline
from mcpgen.emit import emit
from mcpgen.read.toolsfile import schema_check
from tests.command import mcpgen

RULE = {"description": "Stamps that each result bears.", "type": "array", "items": {"type": "string"}}
TOOLS = "mcpgen: 1\nserver: {name: shop}\nbase_url: https://api.example.com\ntools:\n"


@pytest.fixture
def _planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Add the rule `stamps` to the schema of tools files. The schema of the tables, which the runtime's half of a rule
    extends, does not know the rule, so it does not check the emitted tables.
    """
    schema: dict[str, Any] = json.loads(schema_check.PATH.read_text(encoding="utf-8"))
    schema["$defs"]["result"]["properties"]["stamps"] = RULE
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(schema), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(schema_check, "PATH", path)
        patch.setattr(pipeline, "emit", emit)
        schema_check.schema.cache_clear()
        yield
    schema_check.schema.cache_clear()


def compiled(folder: Path, rules: str) -> Path:
    file = folder / "shop.tools.yaml"
    file.write_text(f"{TOOLS}  - {{name: order, request: GET /orders, result: {rules}}}\n", encoding="utf-8")
    return file


@pytest.mark.usefixtures("_planted")
def test_a_rule_of_the_schema_alone_is_read_written_and_shown(tmp_path: Path) -> None:
    file = compiled(tmp_path, "{remove: [/name], stamps: [gold, blue]}")
    assert json.loads(mcpgen("schema").stdout)["$defs"]["result"]["properties"]["stamps"] == RULE
    assert mcpgen("generate", str(file), "-o", str(tmp_path / "out")).returncode == 0
    (tool,) = json.loads((tmp_path / "out" / "shop_mcp" / "bindings.json").read_bytes())["bindings"]
    assert tool["result"] == {"remove": ["/name"], "stamps": ["gold", "blue"]}
    assert json.loads(mcpgen("inspect", str(file), "--format", "json").stdout)["tools"][0]["result"] == tool["result"]
    shown = mcpgen("inspect", str(file), "order").stdout.splitlines()
    assert shown[-2:] == ["removed from every answer: /name", "result stamps: gold, blue"]
    assert "Stamps that each result bears." in schemas.tools_file()


@pytest.mark.usefixtures("_planted")
def test_a_value_that_the_schema_forbids_is_reported(tmp_path: Path) -> None:
    done = mcpgen("check", str(compiled(tmp_path, "{stamps: gold}")))
    assert done.returncode != 0
    assert "The value of 'stamps' of 'result' of tool 'order' is not a list." in done.stderr


def test_without_the_entry_the_rule_is_unknown(tmp_path: Path) -> None:
    done = mcpgen("check", str(compiled(tmp_path, "{stamps: [gold]}")))
    assert "The key 'stamps' of 'result' of tool 'order' is unknown." in done.stderr
