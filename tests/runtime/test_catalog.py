"""Test the reader of `tools.json` and `bindings.json`: it finds a tool's line by the bytes at its start, parses only
this line of each file, and serves lines unchanged.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from package.runtime.core.catalog import Catalog, CatalogError

from tests.runtime.conversation import TABLE


def test_the_table_of_these_tests_is_as_the_compiler_writes_it() -> None:
    tools = (TABLE / "tools.json").read_bytes()
    bindings = (TABLE / "bindings.json").read_bytes()
    whole = json.loads(bindings)
    assert tools.isascii()
    assert bindings.isascii()
    assert whole["digest"] == f"{zlib.crc32(tools):08x}"
    assert json.loads(bindings.split(b"\n", 1)[0] + b"]}") == {**whole, "bindings": []}
    lines = [json.dumps(tool, separators=(",", ":")) for tool in json.loads(tools)]
    assert tools.decode() == "[\n" + ",\n".join(lines) + "\n]\n"


def test_a_catalog() -> None:
    catalog = Catalog.load(str(TABLE))
    assert (catalog.name, catalog.title, catalog.version, catalog.prefix) == ("mirror", "Mirror", "1.2.0", "MIRROR")
    assert catalog.instructions == "Ask for an echo first."
    assert catalog.servers == [{"url": "http://127.0.0.1:9/v1"}]
    assert set(catalog.security) == {"key", "login"}
    assert catalog.names() == ["echo", "show", "wait"]
    assert catalog.has("echo")
    assert not catalog.has("Echo")
    assert b"".join(catalog.tools) == (TABLE / "tools.json").read_bytes().replace(b"\n", b"")


def test_a_tool_is_its_line_in_both_files() -> None:
    catalog = Catalog.load(str(TABLE))
    tools = json.loads((TABLE / "tools.json").read_text())
    bindings = json.loads((TABLE / "bindings.json").read_text())["bindings"]
    for name, described, bound in reversed(list(zip(catalog.names(), tools, bindings, strict=True))):
        tool = catalog.tool(name)
        assert (tool.name, tool.title, tool.schema, tool.binding) == (
            name,
            described["title"],
            described["inputSchema"],
            bound,
        )
        assert tool.output_schema is None
        assert catalog.tool(name) is tool


def test_a_tool_without_its_line_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_bytes((TABLE / "tools.json").read_bytes())
    bindings = (TABLE / "bindings.json").read_text()
    (tmp_path / "bindings.json").write_text(
        bindings.replace('{"name":"wait"', '{"name":"wail"').replace('"POST",', '"POST" ')
    )
    catalog = Catalog.load(str(tmp_path))
    assert catalog.tool("echo").binding["method"] == "GET"
    for torn in ("wait", "show"):
        assert catalog.has(torn)
        with pytest.raises(CatalogError):
            catalog.tool(torn)


def test_nearest_ignores_case_and_knows_when_nothing_is_near() -> None:
    catalog = Catalog.load(str(TABLE))
    assert catalog.nearest("ECKO") == ["echo"]
    assert catalog.nearest("delete_everything") == []
    assert catalog.nearest("x" * 1_000_000) == []


def test_rel_11_a_table_that_is_replaced_is_still_the_one_that_was_opened(tmp_path: Path) -> None:
    for name in ("tools.json", "bindings.json"):
        (tmp_path / name).write_bytes((TABLE / name).read_bytes())
    catalog = Catalog.load(str(tmp_path))
    for name in ("tools.json", "bindings.json"):
        (tmp_path / "new").write_text("another table")
        (tmp_path / "new").replace(tmp_path / name)
    assert catalog.tool("wait").binding["method"] == "PUT"
