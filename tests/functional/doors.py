"""Run a generated server `caller` over stdio or HTTP, and call its tools in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.runtime.process import Server as StdioServer
from tests.streamable.messages import calling, encoded, mirrored
from tests.streamable.servers import PACKAGE
from tests.streamable.servers import Server as HttpServer
from tests.streamable.upstream import Upstream

DOORS = ("stdio", "http")
Call = Callable[..., str]


class _Nowhere(Upstream):
    """Stand-in for an upstream that a test runs itself."""

    def __init__(self) -> None:
        self.port = 9


def generated(folder: Path, tools: str, *flags: str) -> Path:
    """Generate the server of a tools file, with the part `reach`."""
    (folder / "tools.yaml").write_text(f"mcpgen: 1\nserver: {{name: caller}}\n{tools}", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out"), "--parts=reach", "--http", *flags])
    assert ended.value.code == 0
    return folder / "out"


def told(result: dict[str, Any]) -> str:
    """Return the text of a result."""
    return "\n".join(block["text"] for block in result["content"])


@contextmanager
def served(project: Path, door: str, **variables: str) -> Iterator[Call]:
    """Run the server. Yield a function that calls a tool with arguments, and returns the text of its result.

    `variables`: environment variables without the prefix.
    """
    if door == "stdio":
        environ = {f"CALLER_{name}": value for name, value in variables.items()}
        with StdioServer(project, package=PACKAGE, env=environ) as server:
            yield lambda name, **arguments: told(server.result(name, **arguments))
        return
    with HttpServer(project, _Nowhere(), "aiohttp", None, (), **variables) as http:

        def called(name: str, **arguments: Any) -> str:
            message = calling(name, **arguments)
            answer = http.ask("POST", "/mcp", mirrored(message), encoded(message))
            return told(answer.message["result"])

        yield called
