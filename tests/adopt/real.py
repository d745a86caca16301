"""Find out which names other MCP generators give to tools. Each generator runs in its own environment, with its
configuration and our document.

`names.json` stores these names, so that quick tests need no environment. The slow test runs the generators again, and
rewrites the file with --update.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.adopt.configurations import SHOP, Configuration
from tests.interop import environments

DRIVERS = Path(__file__).with_name("drivers")
ANSWERS = Path(__file__).with_name("names.json")
PATIENCE = 500
"""Timeout of a driver in seconds. No test measures time with it."""

PYTHON = ("awslabs.openapi-mcp-server==1.1.6",)
"""Requirements of the Python tools. awslabs.openapi-mcp-server installs FastMCP 3."""

NODE = {
    "@ivotoby/openapi-mcp-server": "1.16.1",
    "openapi-mcp-generator": "4.0.1",
    "generator3": "npm:openapi-mcp-generator@3.3.0",
}


def python_home() -> Path:
    return environments.python("adopt_python", *PYTHON)


def node_home() -> Path:
    return environments.node("adopt_node", NODE)


def ask(driver: str, jobs: list[Any], folder: Path) -> list[Any]:
    """Run a driver (a script that starts other generators), and return its answers to `jobs`."""
    if driver.endswith(".mjs"):
        command = ["node", str(environments.put_beside(node_home(), DRIVERS / driver))]
    else:
        command = [str(python_home() / "bin" / "python"), str(DRIVERS / driver)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NODE_"))}
    done = subprocess.run(
        command,
        input=json.dumps(jobs),
        cwd=folder,
        env=kept,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[Any] = json.loads(done.stdout)
    return found


def job_of_script(configuration: Configuration, folder: Path) -> list[str]:
    folder.mkdir()
    return [*configuration.sources(folder), str(SHOP)]


def job_of_command(configuration: Configuration) -> list[Any]:
    """Return the command that starts the server of a configuration, with its arguments and environment variables."""
    words, variables = _command_of(configuration)
    place = next(index for index, word in enumerate(words) if "openapi-mcp-server" in word)
    place = max(index for index, word in enumerate(words) if "openapi-mcp-server" in word and index <= place + 1)
    given = [*words[place + 1 :]]
    if "@ivotoby" in words[place]:
        given = _replaced(given, "--openapi-spec", str(SHOP))
        variables["OPENAPI_SPEC_PATH"] = str(SHOP)
        given = _without(given, "--transport", "--port", "--host", "--path")
        start = node_home() / "node_modules" / "@ivotoby" / "openapi-mcp-server" / "bin" / "mcp-server.js"
        return ["node", [str(start), *given], {**_path(), **variables}]
    # Drop these flags: their documents are not on this machine.
    given = _without(given, "--spec-url", "--additional-specs")
    variables.pop("API_SPEC_URL", None)
    variables["API_SPEC_PATH"] = str(SHOP)
    return [str(python_home() / "bin" / "awslabs.openapi-mcp-server"), given, {**_path(), **variables}]


def _command_of(configuration: Configuration) -> tuple[list[str], dict[str, str]]:
    if configuration.command:
        return shlex.split(configuration.command), {}
    if configuration.file.endswith(".sh"):
        return ["uvx", "awslabs.openapi-mcp-server@latest"], {}
    # Parsed as YAML, since the JSON has trailing commas.
    found = _block(yaml.safe_load(configuration.text.replace("// opencode", "")))
    assert found is not None
    command = found["command"]
    words = [*command] if isinstance(command, list) else [command, *found["args"]]
    return words, {**found.get("env", {}), **found.get("environment", {})}


def _block(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict) and "command" in value:
        return value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for each in inner if (found := _block(each))), None)


def _path() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


def _replaced(words: list[str], flag: str, value: str) -> list[str]:
    return [value if index and words[index - 1] == flag else word for index, word in enumerate(words)]


def _without(words: list[str], *flags: str) -> list[str]:
    return [word for index, word in enumerate(words) if word not in flags and not (index and words[index - 1] in flags)]
