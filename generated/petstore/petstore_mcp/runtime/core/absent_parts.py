# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Say how to get back a part of the runtime whose files are missing. Loaded only if an import fails."""

from __future__ import annotations

#: Module or folder of the runtime that other parts of the server import first if they need a part -> its name.
DOORS = {
    "calls.hook_runner": "hooks",
    "core.audit": "audit",
    "hooks": "hooks",
    "identity": "identity",
    "replicas.sharing": "replicas",
    "replicas.store": "replicas",
    "serve.call_command": "shell",
    "serve.doctor_http": "http_server",
    "serve.install_commands": "install",
    "serve.login_commands": "login",
    "serve.over_http": "http_server",
    "serve.reload": "reload",
    "settings.delegation": "delegation",
    "settings.listening": "http_server",
    "settings.telemetry": "telemetry",
}


def advise(problem: BaseException) -> str:
    """Return a sentence that says how to get the part whose absence caused `problem`; "" if another problem did."""
    runtime, _, name = (getattr(problem, "name", None) or "").partition(".runtime.")
    part = DOORS.get(name) if __name__.startswith(f"{runtime}.runtime.") else None
    if part is None:
        return ""
    return f"The files of this server's part `{part}` are missing. Run `mcpgen regenerate` to get them back."
