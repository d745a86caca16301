"""Test that install links have the form that clients expect, hold no secret, and are escaped correctly."""

from __future__ import annotations

import base64
import json
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from mcpgen.emit.project import install_links
from mcpgen.emit.sinks import link
from mcpgen.model import Identity

LINKS = {
    each.client: each.url
    for each in install_links(Identity("pet-store", "Pets", "1.0.0"), ["PET_KEY", "PET_ID"], ["PET_KEY"])
}
START = {"command": "uvx", "args": ["pet-store-mcp"]}


def query(client: str) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(LINKS[client]).query).items()}


def test_cursor() -> None:
    assert LINKS["Cursor"].startswith("https://cursor.com/install-mcp?")
    assert query("Cursor")["name"] == "pet-store"
    env = {"PET_KEY": "${env:PET_KEY}", "PET_ID": "${env:PET_ID}"}
    assert json.loads(base64.b64decode(query("Cursor")["config"])) == {**START, "env": env}


def test_vs_code_asks_for_what_it_needs() -> None:
    deep = query("VS Code")["url"]
    assert deep.startswith("vscode:mcp/install?")
    assert json.loads(unquote(deep.partition("?")[2])) == {
        "name": "pet-store",
        "inputs": [
            {"type": "promptString", "id": "pet-store-pet-key", "description": "PET_KEY", "password": True},
            {"type": "promptString", "id": "pet-store-pet-id", "description": "PET_ID"},
        ],
        **START,
        "env": {"PET_KEY": "${input:pet-store-pet-key}", "PET_ID": "${input:pet-store-pet-id}"},
    }


def test_the_others() -> None:
    assert json.loads(base64.b64decode(query("LM Studio")["config"])) == START
    assert json.loads(query("Kiro")["config"]) == {**START, "env": {"PET_KEY": "${PET_KEY}", "PET_ID": "${PET_ID}"}}
    assert query("Goose") == {"cmd": "uvx", "arg": "pet-store-mcp", "id": "pet-store", "name": "pet-store"}


def test_every_link_passes_its_sink() -> None:
    assert [link(url) for url in LINKS.values()] == [*LINKS.values()]


@pytest.mark.parametrize(
    "url",
    [
        "javascript://x",
        "https://a.example/x?y=a)b",
        "https://a.example/?a=\n",
        "https://a.example/?%zz",
        "https://a b/",
    ],
)
def test_anything_else_is_no_link(url: str) -> None:
    with pytest.raises(ValueError, match="not an encoded link"):
        link(url)
