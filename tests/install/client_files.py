"""Configuration files of MCP clients: their path in a home folder, and what independent parsers read in them.

The parsers are not the runtime's: `json5`, `tomllib` and PyYAML.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import json5
import pytest
import yaml
from package.runtime.core.catalog import Catalog
from package.runtime.install import install_commands

from tests.leaks import SECRET

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CASES = sorted(path for path in (HERE / "cases").rglob("*.*") if path.suffix)
BROKEN = sorted(path for path in (HERE / "broken").rglob("*.*") if path.suffix)

PLACES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "zed": ".config/zed/settings.json",
    "codex": ".codex/config.toml",
    "gemini-cli": ".gemini/settings.json",
    "copilot-cli": ".copilot/mcp-config.json",
    "goose": ".config/goose/config.yaml",
    "opencode": ".config/opencode/opencode.json",
    "lm-studio": ".lmstudio/mcp.json",
    "kiro": ".kiro/settings/mcp.json",
}
SECTIONS = {
    "vscode": "servers",
    "zed": "context_servers",
    "codex": "mcp_servers",
    "goose": "extensions",
    "opencode": "mcp",
}


def parsed(client: str, data: bytes) -> Any:
    """Parse the file of a client with an independent parser."""
    text = data.decode("utf-8-sig")
    if client == "codex":
        return tomllib.loads(text)
    if client == "goose":
        return yaml.safe_load(text) or {}
    return json5.loads(text) if json5_has_value(text) else {}


def json5_has_value(text: str) -> bool:
    """Return False for a text that contains only blanks and line comments, because json5 refuses such a text."""
    return any(line.strip() and not line.strip().startswith("//") for line in text.splitlines())


def servers(client: str, data: bytes) -> dict[str, Any]:
    """Return the servers that the file of a client contains."""
    return dict(parsed(client, data).get(SECTIONS.get(client, "mcpServers")) or {})


@dataclass
class Home:
    """A home folder with the configuration file of one client."""

    folder: Path
    client: str
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return self.folder / PLACES[self.client]

    def fill(self, data: bytes | None) -> None:
        """Write `data` to the client's configuration file. If `data` is None, create only the folder of the file."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if data is not None:
            self.file.write_bytes(data)

    def run(self, command: str, *flags: str, **environ: str) -> tuple[int, str, str]:
        """Run `install` or `uninstall` for the client. Return the exit code, stdout and stderr."""
        given = self._environment(environ)
        with self.patch.context() as patch:
            for name in [*os.environ]:
                patch.delenv(name)
            for name, value in given.items():
                patch.setenv(name, value)
            patch.chdir(self.folder)
            self.capture.readouterr()
            code = install_commands.main([command, self.client, *flags], catalog())
        out, err = self.capture.readouterr()
        assert SECRET not in out + err
        return code, out, err

    def install(self, *flags: str, **environ: str) -> tuple[int, str, str]:
        return self.run("install", "--command", "petstore-mcp", *flags, **environ)

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", **self.environ, **more}

    def files(self) -> dict[str, bytes]:
        """Return a mapping from path to bytes of all files in the home folder."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file()
        }


@cache
def catalog() -> Catalog:
    """Return the catalog of the petstore server: its tools, name and security schemes. All tests share it, because
    `install` and `uninstall` only read it.
    """
    return Catalog.load(str(ROOT / "generated" / "petstore" / "petstore_mcp"))
