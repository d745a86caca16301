"""Test the commands at the beginning of the tutorial: with nothing but Python installed, a client finally lists the
tools.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
MOST_COMMANDS = 4
PATIENCE = 600
CHECKOUT = ("mcpgen", "templates", "specs", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")
KEPT = ("PIP_", "UV_", "SSL_")
"""Prefixes of variables that say where packages come from on this machine."""


def short_way() -> list[str]:
    """Return the commands in the first section of the tutorial."""
    section = PAGE.read_text(encoding="utf-8").split("## The short way\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\$ (.+)$", section, re.MULTILINE)


def checkout(folder: Path) -> Path:
    """Return a copy of the repository's files, without generated ones."""
    for name in CHECKOUT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def only_python(folder: Path) -> dict[str, str]:
    """Return the environment of a person who has Python with pip, and no other program."""
    venv.create(folder / "python", with_pip=True, symlinks=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(sys._base_executable)  # type: ignore[attr-defined]  # uv takes no virtual one
    (folder / ".config" / "uv").mkdir(parents=True)
    # MCP clients start servers without variables such as `SSL_CERT_FILE`, so uv gets this setting in a file.
    (folder / ".config" / "uv" / "uv.toml").write_text("system-certs = true\n" if "SSL_CERT_FILE" in os.environ else "")
    path = os.pathsep.join(str(folder / each) for each in ("python/bin", "bin"))
    path += os.pathsep + os.defpath  # for `realpath` and `dirname`, which the launcher scripts of uv call
    kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    return {**kept, "HOME": str(folder), "PATH": path, "COLUMNS": "400", "NO_COLOR": "1"}


def test_it_is_short_and_uses_the_short_ways() -> None:
    commands = short_way()
    assert 1 < len(commands) <= MOST_COMMANDS
    assert any(command.startswith("uvx ") and " mcpgen install " in command for command in commands)


@pytest.mark.slow
@pytest.mark.world
def test_it_leads_to_a_client_that_lists_the_tools(tmp_path: Path) -> None:
    (tmp_path / "checkout").mkdir()
    folder, environ = checkout(tmp_path / "checkout"), only_python(tmp_path / "home")
    shown = ""
    for command in short_way():
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
        shown = done.stdout
    entry = json.loads((folder / ".cursor" / "mcp.json").read_text(encoding="utf-8"))["mcpServers"]["petstore"]
    assert entry["command"] == str(folder / "generated" / "petstore" / ".mcpgen-venv" / "bin" / "python")
    tools = json.loads((folder / "generated" / "petstore" / "petstore_mcp" / "tools.json").read_text(encoding="utf-8"))
    assert len(tools) == 24
    assert not [tool["name"] for tool in tools if f"  {tool['name']}(" not in shown]
