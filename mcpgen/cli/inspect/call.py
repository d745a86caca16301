"""Implement `--call`: let the generated server explain a call without sending it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.cli import report, servers
from mcpgen.model import ToolSpec
from mcpgen.pipeline import Compiled


@dataclass(frozen=True, slots=True)
class Explained:
    """Output of a server's `--explain`.

    `out`: the request, as JSON if the format is JSON. `err`: what the server wrote to stderr. `refused`: True if the
    server would refuse the call.
    """

    out: str
    err: str
    refused: bool

    @property
    def document(self) -> JsonObject:
        """Return what `--explain` printed (`out`), parsed, without the version of its format (`schema`), for the JSON
        output of `inspect`.
        """
        found = as_object(json.loads(self.out))
        return {key: value for key, value in found.items() if key != "schema"}


def explained(compiled: Compiled, tools: Sequence[ToolSpec], arguments: str, output: str) -> Explained:
    """Return what the generated server's `--explain` prints for a call with JSON `arguments`: the request that it would
    send. `tools` must contain only the tool to call.

    The server has the environment of this process but no hooks: hooks belong to a project, whose own `--explain` runs
    them. Raises FatalError if `tools` contains several tools, or if the call cannot be explained.
    """
    if len(tools) > 1:
        names = " or ".join(tool.name for tool in tools)
        raise FatalError("invalid-flag", "--call needs one tool.", hint=f"Name one of these tools: {names}.")
    try:
        readable = isinstance(json.loads(arguments), dict)
    except ValueError:
        readable = False
    if not readable:
        raise FatalError(
            "invalid-flag",
            "The value of --call is not a JSON object.",
            hint="Write a JSON object, as in --call '{\"id\": 7}'.",
        )
    with servers.emitted(compiled) as server:
        code, out, err = server.ask("--explain", tools[0].name, arguments, "--format", output)
    if code not in (report.DONE, report.FINDINGS):
        raise FatalError("invalid-flag", f"The call cannot be explained: {err.strip() or 'the server failed.'}")
    return Explained(out, err, refused=code == report.FINDINGS)
