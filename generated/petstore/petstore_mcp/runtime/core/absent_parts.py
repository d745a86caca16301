# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find out which parts this server has, and say how to get a part that it lacks. Loaded by commands and failed imports.

A server has the parts whose folders are there. `SHA256SUMS` beside them lists the files with which it was generated.
"""

from __future__ import annotations

import os

_RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NAME = f"{__name__.partition('.runtime.')[0]}.runtime."

PARTS = ("audit", "hooks", "http", "install", "login", "programs", "reach", "reload", "search", "shell", "telemetry")
"""Names of the parts that the owner of a server can choose. A part has the folder of its name."""

FOLDERS_OF_HTTP = ("http_server", "delegation", "identity", "replicas")
"""Folders of the part `http`."""


def has(part: str) -> bool:
    """Return True if this server has a part, or a folder of the runtime. It has "", the plain core."""
    return os.path.isdir(os.path.join(_RUNTIME, FOLDERS_OF_HTTP[0] if part == "http" else part))


def advise(problem: BaseException) -> str:
    """Return a sentence on the module of this server whose absence caused `problem`; "" if another problem did."""
    name = problem.name if isinstance(problem, ModuleNotFoundError) else None
    if not name or not name.startswith(_NAME):
        return ""
    folder = name.removeprefix(_NAME).partition(".")[0]
    part = "http" if folder in FOLDERS_OF_HTTP else folder
    if part in PARTS and not is_lost(name):
        return lacks(part)
    return f"This server's module {name} is missing. Run `mcpgen regenerate` in its project to get it back."


def lacks(part: str) -> str:
    """Return the sentence about a part that this server does not have."""
    return f"This server has no part {part}. Run `mcpgen regenerate --parts {part}` in its project to add it."


def is_lost(module: str) -> bool:
    """Return True if this server was generated with a module, or with a folder of modules. Libraries count too."""
    if not module.startswith(_NAME):
        return True
    path = "  " + module.removeprefix(_NAME).replace(".", "/")
    try:
        with open(os.path.join(_RUNTIME, "SHA256SUMS"), encoding="ascii") as file:
            lines = file.read().splitlines()
    except (OSError, ValueError):
        return False
    return any(line.endswith(f"{path}.py") or f"{path}/" in line for line in lines)
