# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find a command line with which an MCP client can start this server."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from importlib import metadata
from urllib.parse import urlsplit
from urllib.request import url2pathname

_PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass(frozen=True, slots=True)
class Launch:
    """A command line that starts this server, and the environment variables that the command line needs."""

    command: str
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


def find(name: str, shared: bool) -> Launch:
    """Return a command line that starts the server `name` in the same way as this process was started.

    Paths are absolute, since clients have another PATH. `shared`: True if the configuration is also used on other
    machines. Then an installed server is started by its command name, without a path.
    """
    script = f"{name}-mcp"
    folder, package = os.path.split(_PACKAGE_FOLDER)
    if runner := _runner(script, shared):
        return runner
    place = os.path.join(os.path.dirname(sys.executable), f"{script}.exe" if os.name == "nt" else script)
    if os.path.exists(place):
        return Launch(script if shared else place)
    environment = {"PYTHONPATH": folder} if os.path.exists(os.path.join(folder, "pyproject.toml")) else {}
    return Launch(sys.executable, ["-m", package], environment)


def _runner(script: str, shared: bool) -> Launch | None:
    """Return the command of uvx or pipx if one of them has created this environment.

    These tools may soon delete the environment, so a path into it would stop working.
    """
    if not _is_in_a_cache(sys.prefix):
        return None
    source = _source(script)
    if _has_line(os.path.join(sys.prefix, "pyvenv.cfg"), "uv = "):
        tool, arguments = "uvx", ["--from", source, script] if source else [script]
    else:
        tool, arguments = "pipx", ["run", "--spec", source, script] if source else ["run", script]
    return Launch(tool if shared else shutil.which(tool) or tool, arguments)


def _is_in_a_cache(prefix: str) -> bool:
    """Return True if a parent folder is marked as a cache by a file CACHEDIR.TAG."""
    above = os.path.dirname(os.path.realpath(prefix))
    while above != os.path.dirname(above):
        if os.path.exists(os.path.join(above, "CACHEDIR.TAG")):
            return True
        above = os.path.dirname(above)
    return False


def _has_line(path: str, beginning: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return any(line.startswith(beginning) for line in file)
    except OSError:
        return False


def _source(script: str) -> str:
    """Return the folder or URL from which this server was installed, or "" for a package index (PEP 610)."""
    try:
        recorded = json.loads(metadata.distribution(script).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    url = str(recorded.get("url") or "")
    parts = urlsplit(url)
    if parts.scheme == "file":
        return url2pathname(parts.path)
    kind = (recorded.get("vcs_info") or {}).get("vcs")
    return f"{kind}+{url}" if kind else url
