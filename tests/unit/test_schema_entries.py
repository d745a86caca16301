"""Test that a rule for results, or a key for a flag, is one entry of the tools file's schema: without further code, the
compiler reads and writes it, and `schema`, `inspect` and the reference show it.
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
from mcpgen.lock.lockfile import load
from mcpgen.read.toolsfile import schema_check
from tests.command import mcpgen

RULE = {"description": "Stamps that each result bears.", "type": "array", "items": {"type": "string"}}
FLAG = {"description": "Whether tools have output schemas.", "type": "boolean"}
FILE = """
mcpgen: 1
server: {{name: shop}}
base_url: https://api.example.com
{root}
tools:
  - name: order
    request: GET /orders
    responses: {{200: {{content: {{application/json: {{schema: {{type: object}}}}}}}}}}
    result: {rules}
"""


@pytest.fixture
def _planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Add the rule `stamps` and the key `structured` to the schema of tools files. The schema of the tables belongs to
    the runtime's half of a rule and does not know `stamps`, so it does not check the emitted tables here.
    """
    schema: dict[str, Any] = json.loads(schema_check.published())
    schema["$defs"]["result"]["properties"]["stamps"] = RULE
    schema["properties"]["structured"] = FLAG
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(schema), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(schema_check, "PATH", path)
        patch.setattr(pipeline, "emit", emit)
        schema_check.schema.cache_clear()
        yield
    schema_check.schema.cache_clear()


def tools_file(folder: Path, rules: str = "{remove: [/name]}", root: str = "") -> str:
    path = folder / "shop.tools.yaml"
    path.write_text(FILE.format(rules=rules, root=root), encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("_planted")
def test_a_rule_of_the_schema_alone_is_read_written_and_shown(tmp_path: Path) -> None:
    file = tools_file(tmp_path, "{remove: [/name], stamps: [gold, blue]}")
    assert json.loads(mcpgen("schema").stdout)["$defs"]["result"]["properties"]["stamps"] == RULE
    assert mcpgen("generate", file, "-o", str(tmp_path / "out")).returncode == 0
    (tool,) = json.loads((tmp_path / "out" / "shop_mcp" / "bindings.json").read_bytes())["bindings"]
    assert tool["result"] == {"remove": ["/name"], "stamps": ["gold", "blue"]}
    assert json.loads(mcpgen("inspect", file, "--format", "json").stdout)["tools"][0]["result"] == tool["result"]
    shown = mcpgen("inspect", file, "order").stdout.splitlines()
    assert shown[-2:] == ["removed from every answer: /name", "result stamps: gold, blue"]
    assert "Stamps that each result bears." in schemas.tools_file()


@pytest.mark.usefixtures("_planted")
def test_a_value_that_the_schema_forbids_is_reported(tmp_path: Path) -> None:
    done = mcpgen("check", tools_file(tmp_path, "{stamps: gold}"))
    assert "The value of 'stamps' of 'result' of tool 'order' is not a list." in done.stderr


@pytest.mark.usefixtures("_planted")
@pytest.mark.parametrize(
    ("root", "is_structured"), [("structured: true", True), ("structured: false", False), ("", False)]
)
def test_a_key_with_the_name_of_a_flag_sets_the_flag(root: str, is_structured: bool, tmp_path: Path) -> None:
    assert mcpgen("generate", tools_file(tmp_path, root=root), "-o", str(tmp_path / "out")).returncode == 0
    (tool,) = json.loads((tmp_path / "out" / "shop_mcp" / "tools.json").read_bytes())
    assert ("outputSchema" in tool) is is_structured
    assert load((tmp_path / "out" / "mcpgen.lock.json").read_bytes(), "f").options.structured is False


def test_without_the_entries_both_are_unknown(tmp_path: Path) -> None:
    done = mcpgen("check", tools_file(tmp_path, "{stamps: [gold]}", "structured: true"))
    assert "The key 'stamps' of 'result' of tool 'order' is unknown." in done.stderr
    assert "The key 'structured' is unknown." in done.stderr
