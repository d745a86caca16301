"""Install the demo's server into the configuration file of an MCP client, and read how that client would start it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FILE = Path(".cursor", "mcp.json")


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of one server in a client's configuration file: path of the file, command line, environment
    variables.
    """

    file: Path
    command: list[str]
    environment: dict[str, str]


def install(project: Path, name: str, environment: Mapping[str, str]) -> Entry:
    """Run `mcpgen install` in the parent folder of the project, and return the entry written to Cursor's `mcp.json`
    in this folder.

    The entry starts the server with the current Python, because the default makes an environment, which may need the
    network. Raises RuntimeError if `mcpgen install` fails.
    """
    command = [sys.executable, "-m", "mcpgen", "install", str(project), "cursor", "--project", "--with", "python"]
    done = subprocess.run(
        command, cwd=project.parent, env=dict(environment), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the server was not installed: {done.stderr.strip()[-300:]}")
    file = project.parent / FILE
    written = json.loads(file.read_text(encoding="utf-8"))["mcpServers"][name]
    given = {key: value for key, value in written["env"].items() if not value.startswith("${")}
    return Entry(file, [written["command"], *written["args"]], given)
