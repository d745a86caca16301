# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Table of MCP clients: where each one stores its configuration, and in which form it lists a server.

The formats are those of November 2026. A client is only data here; `entries.py` writes the entry of a server for it.
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
    """Location of a configuration file: a folder that the client creates at its first start, and a path inside it."""

    folder: str
    file: str


@dataclass(frozen=True, slots=True)
class Client:
    """One MCP client, and the form of its configuration.

    - `user`: location of the user's own file by platform (`darwin`, `win32`, `linux`; the last one for all others).
    - `home`: environment variable that names another folder than `user`, or "".
    - `project`: path of the configuration file in a project, or "".
    - `section`: key under which the configuration lists servers.
    - `variable`: how a value refers to an environment variable, with `{}` for the name; "" if it cannot.
    - `url`: key of a server's URL, or "" if the client supports no URLs.
    - `stdio`, `http`: further members of an entry for a server over stdio, or over HTTP.
    - `prompts`: whether the client asks the user for secrets, by the member `inputs`.
    - `trust`: whether the client starts servers of a project only after the user trusts the project's folder.
    - `others`: further names that the configuration file may have.
    - `note`: what the user has to know: about URLs if the client supports none, otherwise about variables.
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
    trust: bool = False
    others: tuple[str, ...] = ()
    note: str = ""

    def user_place(self, environ: Mapping[str, str]) -> Place:
        """Return the location of the current user's configuration file for this MCP client."""
        platform = sys.platform if sys.platform in self.user else "linux"
        found = self.user[platform]
        folder = environ.get(self.home, "") if self.home else ""
        return Place(folder or _expanded(found.folder, environ), found.file)

    def is_here(self, environ: Mapping[str, str]) -> bool:
        """Return True if the current user has started this client before: it has its folder, or its file at home."""
        place = self.user_place(environ)
        is_home = place.folder == os.path.expanduser("~")  # every user has this folder
        return os.path.exists(os.path.join(place.folder, place.file) if is_home else place.folder)


def _everywhere(folder: str, file: str) -> dict[str, Place]:
    return {"linux": Place(folder, file)}


def _expanded(folder: str, environ: Mapping[str, str]) -> str:
    """Return a folder's path with `~`, `%APPDATA%` and `$XDG_CONFIG_HOME` replaced by their values."""
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
            trust=True,
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
            trust=True,
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
            trust=True,
            url="httpUrl",
            variable="${{{}}}",
        ),
        Client(
            "copilot-cli",
            "Copilot CLI",
            _everywhere("~/.copilot", "mcp-config.json"),
            home="COPILOT_HOME",
            project=".github/mcp.json",
            trust=True,
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
