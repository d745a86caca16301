# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find out which parts this server has, and say how to get a part that it lacks. Loaded by commands and failed imports.

A server has the parts whose files are there. `SHA256SUMS` beside them lists the files with which it was generated.
"""

from __future__ import annotations

import os

_RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NAME = f"{__name__.partition('.runtime.')[0]}.runtime."

# The modules of a part to which the plain core leads, in the order of their names.
_PARTS = {
    "audit": "core.audit serve.recording",
    "hooks": "calls.hook_runner calls.hook_questions hooks",
    "http": "serve.over_http serve.doctor_http settings.callers settings.delegation settings.listening",
    "install": "serve.install_commands",
    "login": "serve.login_commands calls.user_logins login.logins",
    "programs": "calls.program_runs",
    "reload": "serve.reload",
    "search": "search.tools core.listing core.search_listing",
    "shell": "serve.call_command",
    "telemetry": "telemetry.reporter serve.doctor_telemetry settings.telemetry",
}
"""Name of a part, as `mcpgen regenerate --parts` takes it -> its modules that other parts import."""


def has(part: str) -> bool:
    """Return True if this server has a part. A name that is no part counts as one that every server has."""
    return part not in _PARTS or os.path.exists(_path(_PARTS[part].partition(" ")[0]))


def advise(problem: BaseException) -> str:
    """Return a sentence on the module of this server whose absence caused `problem`; "" if another problem did."""
    name = problem.name if isinstance(problem, ModuleNotFoundError) else None
    if not name or not name.startswith(_NAME):
        return ""
    part = next((part for part, modules in _PARTS.items() if name.removeprefix(_NAME) in modules.split()), "")
    if part and not is_lost(name):
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


def _path(module: str) -> str:
    return os.path.join(_RUNTIME, *module.split(".")) + ".py"
