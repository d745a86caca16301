"""Run the official MCP conformance suite, an npm package.

The suite needs a newer version of Node.js than most machines have, so that version is installed with it.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop import environments

_NODE = f"node-{platform.system().lower()}-{'x64' if platform.machine() in ('x86_64', 'AMD64') else 'arm64'}"
PACKAGES = {"@modelcontextprotocol/conformance": "0.2.0-alpha.12", _NODE: "22.23.3"}
REVISIONS = {"2026-07-28": 33, "2025-11-25": 29}
"""Protocol revision → lowest number of scored scenarios that must pass."""

TASKS = (
    *("tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal"),
    *("tasks-request-headers", "tasks-status-notifications", "tasks-mrtr-composition", "tasks-required-task-error"),
)
"""Scenarios of the task extension. The others need tasks that ask their user."""

SKILLS = ("sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory")
"""Scenarios of the extension for skills."""

UNSCORED = {
    "2026-07-28": ("http-header-validation", "http-custom-header-server-validation", *TASKS, *SKILLS),
    "2025-11-25": ("server-session-lifecycle", "server-sse-polling"),
}


@dataclass(frozen=True)
class Scenario:
    """Result of a conformance scenario: its name, and the messages of its failed checks."""

    name: str
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.failures


class Suite:
    """The installed conformance suite. The constructor raises environments.Missing if the suite cannot be installed."""

    def __init__(self) -> None:
        self._folder = environments.node("conformance", PACKAGES)
        node = self._folder / "node_modules" / _NODE / "bin" / "node"
        self._program = [str(node), str(self._folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js")]

    def scored(self, revision: str) -> list[str]:
        """Return the names of the suite's server scenarios that a protocol revision requires."""
        told = environments.run(*self._program, "list", "--requirements", revision)
        section = told.partition("Server scenarios")[2].partition("\n\n")[0]
        return [line.strip()[2:] for line in section.splitlines() if line.startswith("  - ")]

    def run(self, url: str, revision: str, out: Path, scenario: str = "") -> list[Scenario]:
        """Run the scenarios that a protocol revision requires, or only the scenario `scenario`. Return the results."""
        which = ["--scenario", scenario] if scenario else ["--requirements", revision]
        if scenario and scenario not in (
            *TASKS,
            *SKILLS,
        ):  # these scenarios test an extension, which belongs to no revision
            which += ["--spec-version", revision]
        command = [*self._program, "server", "--url", url, *which, "-o", str(out)]
        subprocess.run(command, cwd=self._folder, capture_output=True, timeout=300, check=False)
        return [_read(path) for path in sorted(out.rglob("checks.json"))]


def _read(path: Path) -> Scenario:
    checks: list[dict[str, Any]] = json.loads(path.read_text())
    failed = [f"{each['id']}: {each.get('errorMessage', '')}" for each in checks if each["status"] == "FAILURE"]
    name = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", path.parent.name)
    return Scenario(name, tuple(failed))
