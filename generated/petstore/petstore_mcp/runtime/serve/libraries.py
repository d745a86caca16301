# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Tell the user which library to install, instead of a traceback. Loaded only if an import fails."""

from __future__ import annotations

import os
import shlex
import sys

#: Import name of each required library -> name of its package for pip.
LIBRARIES = {"aiohttp": "aiohttp", "jsonschema_rs": "jsonschema-rs"}
#: Import name -> name of the package for pip, for libraries that only HTTP needs (the extra `http`).
OVER_HTTP = {"cryptography": "cryptography", "joserfc": "joserfc", "redis": "redis"}

_PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def advise(problem: ModuleNotFoundError) -> str:
    """Return a sentence that says what to install; "" if the missing module is not a library of the server."""
    missing = (problem.name or "").partition(".")[0]
    known = LIBRARIES | OVER_HTTP
    if missing not in known:
        return ""
    extra = "[http]" if missing in OVER_HTTP or "--http" in sys.argv else ""
    whole = os.path.exists(os.path.join(_PROJECT, "pyproject.toml"))
    needed = known if extra else LIBRARIES
    wanted = shlex.quote(_PROJECT + extra) if whole else " ".join(needed.values())
    python = shlex.quote(sys.executable or "python")
    return f"{known[missing]} is not installed. Install what this server needs: {python} -m pip install {wanted}"
