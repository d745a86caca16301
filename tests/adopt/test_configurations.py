"""Test that `mcpgen adopt` reads every setting of public configurations. Each tool name of the original generator must
become a name or alias.

`names.json` stores the names that the original generators gave (`test_real_names.py` runs them again).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen.adopt import sources
from mcpgen.adopt.adopt import Adopted, Wanted, adopt
from tests.adopt.configurations import SHOP, Configuration, configurations
from tests.adopt.real import ANSWERS

ROWS = configurations()
OTHER = Path(__file__).parents[2] / "specs" / "petstore.openapi.yaml"
"""A second document, for configurations that name two."""

SECRETS = ("token123", "your-api-key", "YOUR_API_KEY")
"""Placeholders that the configurations have where people put their secrets."""

NAMES: dict[str, list[str]] = json.loads(ANSWERS.read_text(encoding="utf-8"))


def adopted(configuration: Configuration, folder: Path) -> Adopted:
    server, name, place = sources.find(configuration.sources(folder), None)
    wanted = Wanted(str(folder / "mcpgen.yaml"), "", (str(SHOP), str(OTHER))[: configuration.documents])
    return adopt(server, name, place, wanted)


@pytest.mark.parametrize("configuration", ROWS, ids=lambda each: each.name)
def test_what_a_configuration_says_is_read(configuration: Configuration, tmp_path: Path) -> None:
    server, _, _ = sources.find(configuration.sources(tmp_path), None)
    assert (server.documents[0].place, server.documents[0].base_url) == (configuration.place, configuration.base_url)
    assert len(server.documents) == configuration.documents


@pytest.mark.parametrize("configuration", ROWS, ids=lambda each: each.name)
def test_every_name_leads_to_a_tool(configuration: Configuration, tmp_path: Path) -> None:
    found = adopted(configuration, tmp_path)
    assert not [each.message for each in found.compiled.diagnostics if each.severity == "error"]
    tools = found.compiled.catalog.tools
    callable_names = {name for tool in tools for name in (tool.name, *tool.aliases)}
    names = set(NAMES.get(configuration.name, ()))
    assert names <= callable_names
    assert names or configuration.refused
    assert all(each.tool for each in found.kept)
    assert not [secret for secret in SECRETS if secret in found.text]
    if not configuration.code and configuration.documents == 1:
        assert {tool.name for tool in tools} <= {each.tool for each in found.kept}, "a tool more than there were"


def test_there_are_thirty_configurations() -> None:
    assert len([row for row in ROWS if not row.refused]) >= 30
    assert NAMES.keys() == {row.name for row in ROWS if not row.refused}
