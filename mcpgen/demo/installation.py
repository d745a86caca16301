"""Write the demo's server into the file of an MCP client, and read there how that client would start it."""

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
    """One server in the file of a client: the file, its command line, and its environment variables."""

    file: Path
    command: list[str]
    environment: dict[str, str]


def install(project: Path, name: str, environment: Mapping[str, str]) -> Entry:
    """Run `mcpgen install` for Cursor in the folder of the project's folder, and return the entry it wrote.

    The entry starts the server by this Python: `uvx`, the default where it exists, may need the network. Raises
    RuntimeError if the server is not installed.
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
