"""Test aliases of tools: a call by an alias runs the tool, and no list of tools shows an alias."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from package.runtime.core.catalog import Catalog

from tests.runtime.process import Server, generate
from tests.runtime.test_start import started

ALIASES = {"Say.it": "echo", "old-wait": "wait", "show": "echo"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package whose tool `echo` has two aliases.

    One of the aliases is also the name of another tool.
    """
    directory = tmp_path_factory.mktemp("aliases")
    table = generate(directory) / "bindings.json"
    first, _, rest = table.read_text().partition("\n")
    opening = '"bindings":['
    more = f'"aliases":{json.dumps(ALIASES)},"roles":{json.dumps({"wait": ["admin"]})},{opening}'
    table.write_text(first.replace(opening, more) + "\n" + rest)
    return directory


def test_a_call_by_an_alias_is_a_call_of_its_tool(home: Path) -> None:
    with Server(home, env={**os.environ, "MIRROR_ROLES": "admin"}) as server:
        assert sorted(tool["name"] for tool in server.ask("tools/list")["result"]["tools"]) == ["echo", "show", "wait"]
        direct, called = (server.ask("tools/call", name=name, arguments={"text": "hi"}) for name in ("echo", "Say.it"))
        assert called["result"]["content"][0]["text"] == "hi"
        assert called["result"] == direct["result"]
        refused = server.ask("tools/call", name="say.it", arguments={"text": "hi"})
        assert refused["error"]["message"].startswith("There is no tool 'say.it'.")


def test_the_name_of_a_tool_leads_to_that_tool(home: Path) -> None:
    catalog = Catalog.load(str(home / "mirror_mcp"))
    assert [catalog.resolve_alias(name) for name in ("show", "Say.it", "nothing")] == ["show", "echo", "nothing"]


def test_an_alias_opens_nothing_that_is_withheld(home: Path) -> None:
    with Server(home) as server:
        found = server.ask("tools/call", name="old-wait", arguments={})
        assert found["error"]["code"] == -32602
        assert found["error"]["message"] == (
            "The tool 'old-wait' is not offered: MIRROR_ROLES of this server has no role that it is for."
        )


def test_what_a_call_by_an_alias_would_send_is_shown(home: Path) -> None:
    assert started(home, "--explain", "old-wait", "{}").stderr.startswith(b"The tool wait is not offered")


def test_the_command_line_takes_an_alias(home: Path) -> None:
    usage = started(home, "call", "Say.it", "--help").stdout
    assert usage.startswith(b"usage: mirror-mcp call echo")
