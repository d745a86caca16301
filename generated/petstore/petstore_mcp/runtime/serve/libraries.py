# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The libraries of a server, where one is not installed: what to run, in place of a traceback. Loaded when one is
missed."""

from __future__ import annotations

import os
import shlex
import sys

#: How a library is imported, and how it is installed.
LIBRARIES = {"aiohttp": "aiohttp", "jsonschema_rs": "jsonschema-rs"}

_PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def advise(problem: ModuleNotFoundError) -> str:
    """Return a sentence that says what to install; empty where no library of ours is missing."""
    missing = (problem.name or "").partition(".")[0]
    if missing not in LIBRARIES:
        return ""
    whole = os.path.exists(os.path.join(_PROJECT, "pyproject.toml"))
    wanted = shlex.quote(_PROJECT) if whole else " ".join(LIBRARIES.values())
    python = shlex.quote(sys.executable or "python")
    return f"{LIBRARIES[missing]} is not installed. Install what this server needs: {python} -m pip install {wanted}"
