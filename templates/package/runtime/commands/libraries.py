# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Tell the user which library to install, instead of a traceback. Loaded only if an import fails."""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
from importlib import metadata

from ..core import absent_parts

#: Import name of each required library -> name of its package for pip.
LIBRARIES = {"aiohttp": "aiohttp", "jsonschema_rs": "jsonschema-rs"}
#: Import name -> name of the package for pip, for libraries that only HTTP needs (the extra `http`).
OVER_HTTP = {"cryptography": "cryptography", "joserfc": "joserfc", "redis": "redis"}

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_COMMAND = os.path.basename(_PACKAGE).replace("_", "-")
_PROJECT = os.path.dirname(_PACKAGE)


def advise(problem: ModuleNotFoundError) -> str:
    """Return a sentence that says what to install, or how to get back a part of the server.

    Return "" if the missing module is neither a library nor a part of the server.
    """
    missing = (problem.name or "").partition(".")[0]
    known = LIBRARIES | OVER_HTTP
    if missing not in known:
        return absent_parts.advise(problem)
    extra = "[http]" if missing in OVER_HTTP or "--http" in sys.argv else ""
    whole = os.path.exists(os.path.join(_PROJECT, "pyproject.toml"))
    wanted = [_PROJECT + extra] if whole else _required(extra) or list((known if extra else LIBRARIES).values())
    python = sys.executable or "python"
    install = ["uv", "pip", "install", "--python", python] if _lacks_pip() else [python, "-m", "pip", "install"]
    return f"{known[missing]} is not installed. Install what this server needs: {shlex.join([*install, *wanted])}"


def _required(extra: str) -> list[str]:
    """Return the requirements of the installed server with their bounds; [] if the server is not installed."""
    try:
        requirements = metadata.requires(_COMMAND) or []
    except metadata.PackageNotFoundError:
        return []
    parts = [each.partition(";") for each in requirements]
    return [name.strip() for name, _, marker in parts if not marker or (extra and "http" in marker)]


def _lacks_pip() -> bool:
    """Return True if uv has made this environment without pip."""
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg"), encoding="utf-8") as file:
            made_by_uv = any(line.startswith("uv = ") for line in file)
    except OSError:
        return False
    return made_by_uv and not os.path.isdir(os.path.join(sysconfig.get_path("purelib"), "pip"))
