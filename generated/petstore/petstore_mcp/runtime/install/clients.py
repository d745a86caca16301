# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Clients of MCP: where each keeps its configuration, and how it writes a server down.

Formats as of November 2026. A client is data here; `entries.py` writes the entry of a server by it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .edits import SyntaxName

Shape: TypeAlias = Literal["plain", "codex", "goose", "opencode"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client keeps its file: a folder that exists once the client was started, and the file below it."""

    folder: str
    file: str


@dataclass(frozen=True, slots=True)
class Client:
    """One client of MCP.

    - `user`: place of its file by platform (`darwin`, `win32`, `linux`; the last one for all others).
    - `home`: environment variable that names the folder instead.
    - `project`: path of its file in a project, or "".
    - `section`: key under which servers stand.
    - `variable`: how a value names an environment variable, with `{}` for the name; "" if there is no way.
    - `url`: key of a server's URL, or "" if the client reads no URLs.
    - `stdio`, `http`: further members of the two kinds of entries.
    - `prompts`: whether it asks the user for secrets by `inputs`.
    - `others`: further names that its file may have.
    - `note`: what its user has to know about URLs, if it reads none, or about variables.
    """

    key: str
    title: str
    user: Mapping[str, Place]
    section: str = "mcpServers"
    syntax: SyntaxName = "JSON"
    shape: Shape = "plain"
    home: str = ""
    project: str = ""
    variable: str = ""
    url: str = "url"
    stdio: tuple[tuple[str, object], ...] = ()
    http: tuple[tuple[str, object], ...] = ()
    prompts: bool = False
    others: tuple[str, ...] = ()
    note: str = ""

    def user_place(self, environ: Mapping[str, str]) -> Place:
        """Return the place of the user's own file on this machine."""
        platform = sys.platform if sys.platform in self.user else "linux"
        found = self.user[platform]
        folder = environ.get(self.home, "") if self.home else ""
        return Place(folder or _expanded(found.folder, environ), found.file)


def _everywhere(folder: str, file: str) -> dict[str, Place]:
    return {"linux": Place(folder, file)}


def _expanded(folder: str, environ: Mapping[str, str]) -> str:
    """Return a folder with `~`, `%APPDATA%` and `$XDG_CONFIG_HOME` in place."""
    home = os.path.expanduser("~")
    roots = {
        "%APPDATA%": environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming"),
        "$XDG_CONFIG_HOME": environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"),
        "~": home,
    }
    first, _, rest = folder.partition("/")
    return os.path.join(roots[first], *rest.split("/")) if rest else roots[first]


_MAC = "~/Library/Application Support/"

CLIENTS: dict[str, Client] = {
    each.key: each
    for each in (
        Client(
            "claude-desktop",
            "Claude Desktop",
            {
                "darwin": Place(f"{_MAC}Claude", "claude_desktop_config.json"),
                "win32": Place("%APPDATA%/Claude", "claude_desktop_config.json"),
                "linux": Place("$XDG_CONFIG_HOME/Claude", "claude_desktop_config.json"),
            },
            url="",
            note="Add the URL as a connector, under Settings > Connectors.",
        ),
        Client(
            "claude-code",
            "Claude Code",
            _everywhere("~", ".claude.json"),
            project=".mcp.json",
            home="CLAUDE_CONFIG_DIR",
            variable="${{{}}}",
            stdio=(("type", "stdio"),),
            http=(("type", "http"),),
        ),
        Client(
            "cursor", "Cursor", _everywhere("~/.cursor", "mcp.json"), project=".cursor/mcp.json", variable="${{env:{}}}"
        ),
        Client(
            "vscode",
            "VS Code",
            {
                "darwin": Place(f"{_MAC}Code/User", "mcp.json"),
                "win32": Place("%APPDATA%/Code/User", "mcp.json"),
                "linux": Place("$XDG_CONFIG_HOME/Code/User", "mcp.json"),
            },
            project=".vscode/mcp.json",
            section="servers",
            variable="${{input:{}}}",
            prompts=True,
            stdio=(("type", "stdio"),),
            http=(("type", "http"),),
        ),
        Client(
            "windsurf",
            "Windsurf",
            _everywhere("~/.codeium/windsurf", "mcp_config.json"),
            url="serverUrl",
            variable="${{env:{}}}",
        ),
        Client(
            "zed",
            "Zed",
            {
                "win32": Place("%APPDATA%/Zed", "settings.json"),
                "darwin": Place("~/.config/zed", "settings.json"),
                "linux": Place("$XDG_CONFIG_HOME/zed", "settings.json"),
            },
            project=".zed/settings.json",
            section="context_servers",
        ),
        Client(
            "codex",
            "Codex",
            _everywhere("~/.codex", "config.toml"),
            home="CODEX_HOME",
            project=".codex/config.toml",
            section="mcp_servers",
            syntax="TOML",
            shape="codex",
            variable="{}",
        ),
        Client(
            "gemini-cli",
            "Gemini CLI",
            _everywhere("~/.gemini", "settings.json"),
            project=".gemini/settings.json",
            url="httpUrl",
            variable="${{{}}}",
        ),
        Client(
            "copilot-cli",
            "Copilot CLI",
            _everywhere("~/.copilot", "mcp-config.json"),
            home="COPILOT_HOME",
            project=".github/mcp.json",
            variable="${{{}}}",
            stdio=(("type", "local"), ("tools", ["*"])),
            http=(("type", "http"), ("tools", ["*"])),
        ),
        Client(
            "goose",
            "Goose",
            {
                "win32": Place("%APPDATA%/Block/goose/config", "config.yaml"),
                "darwin": Place("~/.config/goose", "config.yaml"),
                "linux": Place("$XDG_CONFIG_HOME/goose", "config.yaml"),
            },
            section="extensions",
            syntax="YAML",
            shape="goose",
            url="uri",
            variable="${{{}}}",
        ),
        Client(
            "opencode",
            "OpenCode",
            _everywhere("$XDG_CONFIG_HOME/opencode", "opencode.json"),
            project="opencode.json",
            others=("opencode.jsonc",),
            section="mcp",
            shape="opencode",
            variable="{{env:{}}}",
        ),
        Client("lm-studio", "LM Studio", _everywhere("~/.lmstudio", "mcp.json")),
        Client(
            "kiro",
            "Kiro",
            _everywhere("~/.kiro", "settings/mcp.json"),
            project=".kiro/settings/mcp.json",
            variable="${{{}}}",
            note="Kiro asks you to approve each variable before it fills it in.",
        ),
    )
}
