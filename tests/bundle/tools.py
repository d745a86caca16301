"""Install the tools that check releases (mcpb, twine, uv). Each is installed once, in its own environment."""

from __future__ import annotations

import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.interop import environments

TOOLS = ("uv==0.13.9", "twine==7.0.0", "cyclonedx-python-lib[json-validation]==11.12.0")
MCPB = {"@anthropic-ai/mcpb": "2.1.2"}

CHECK_BILLS = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
validator = JsonStrictValidator(SchemaVersion.V1_6)
for path in sys.argv[1:]:
    if found := validator.validate_str(open(path).read()):
        print(path, found)
"""
"""Program for the Python of `python_tools`. It prints the errors in bills of materials."""


@cache
def python_tools() -> Path:
    """Return the folder that contains the programs uv, twine and the validator of CycloneDX.

    Skip the test if they cannot be installed.
    """
    try:
        return environments.python("releases", *TOOLS) / "bin"
    except RuntimeError as problem:
        pytest.skip(f"the tools of releases cannot be installed: {str(problem).splitlines()[-1]}")


@cache
def mcpb() -> tuple[str, str]:
    """Return the command that runs mcpb. Skip the test if mcpb cannot be installed."""
    try:
        folder = environments.node("mcpb", MCPB)
    except (environments.Missing, RuntimeError) as problem:
        pytest.skip(f"mcpb cannot be installed: {str(problem).splitlines()[-1]}")
    return shutil.which("node") or "node", str(
        folder / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
    )


def empty_environment(home: Path) -> dict[str, str]:
    """Return environment variables with which uv runs without any user's settings.

    With them, uv downloads no Python.
    """
    kept = {name: value for name, value in os.environ.items() if name.startswith("UV_") or name == "SSL_CERT_FILE"}
    return {
        **kept,
        "PATH": f"{python_tools()}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(home),
        "UV_CACHE_DIR": str(home / "cache"),
        "UV_PYTHON": sys._base_executable,  # type: ignore[attr-defined]
        "UV_PYTHON_DOWNLOADS": "never",
    }
