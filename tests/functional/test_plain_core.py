"""Test that a plain server does all of its work without the wings of the runtime (`mcpgen/emit/wings.py`).

Its document has an API key and is served over stdio. All modules of all wings are deleted from a copy of the project,
and both copies must say the same. What the deleted parts did ends with one sentence that says how to get the part.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from mcpgen.emit import checksums, wings
from tests.command import mcpgen
from tests.leaks import planted, searched
from tests.streamable.messages import calling, request, stateless
from tests.streamable.upstream import PATIENCE, Upstream

EXIT_CONFIG = 78
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}

DOCUMENT = """
openapi: 3.1.0
info: {title: Things, version: '1'}
servers: [{url: 'http://127.0.0.1:1'}]
security: [{key: []}]
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
paths:
  /echo/{text}:
    get: {operationId: echo, parameters: [&text {name: text, in: path, required: true, schema: {type: string}}]}
  /large/{size}:
    get: {operationId: large, parameters: [{name: size, in: path, required: true, schema: {type: integer}}]}
  /nowhere:
    get: {operationId: nowhere, parameters: [{name: page, in: query, schema: {type: integer}}]}
  /things/{text}:
    post:
      operationId: add
      parameters: [*text]
      requestBody:
        content:
          application/json: {schema: {type: object, properties: {count: {type: integer}}, required: [count]}}
"""

MESSAGES = (
    request("initialize", **CLIENT),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    *(request(f"{kind}/list") for kind in ("tools", "resources", "resources/templates", "prompts")),
    request("ping"),
    request("tools/call", name="echo", arguments={"text": "a"}, _meta={"progressToken": 1}),
    request("tools/call", name="echo", arguments={"txt": "a"}),
    request("tools/call", name="ecco", arguments={}),
    request("tools/call", name="nowhere", arguments={"page": "2"}),
    request("tools/call", name="add", arguments={"text": "a", "count": 3}),
    request("tools/call", name="add", arguments={"text": "a", "count": "three"}),
    request("tools/call", name="large", arguments={"size": 300_000}),
    request("resources/read", uri="things://nothing"),
    request("logging/setLevel", level="debug"),
    stateless("server/discover"),
    stateless("tools/list"),
    calling("echo", text="b"),
    stateless("subscriptions/listen", notifications={"toolsListChanged": True}),
)
"""Messages of a client in both eras, each sent after the answer to the one before."""


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    found = Upstream()
    yield found
    found.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a generated project with the whole runtime."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "things.yaml").write_text(DOCUMENT, encoding="utf-8")
    done = mcpgen("generate", str(folder / "things.yaml"), "-o", str(folder / "things"))
    assert done.returncode == 0, done.stderr
    return folder / "things"


@pytest.fixture(scope="module")
def plain(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with the plain core alone, and with the SHA256SUMS of its files."""
    folder = shutil.copytree(whole, tmp_path_factory.mktemp("plain") / "things")
    runtime = folder / "things_mcp" / "runtime"
    paths = {path.relative_to(runtime).with_suffix("").as_posix() for path in runtime.rglob("*.py")}
    found = wings.modules(paths)
    assert len(found.pop(wings.PLAIN)) < len(paths) / 2
    for path in chain(*found.values()):
        (runtime / path).with_suffix(".py").unlink()
    (runtime / checksums.NAME).unlink()
    kept = {path.relative_to(runtime).as_posix(): path.read_bytes() for path in runtime.rglob("*") if path.is_file()}
    (runtime / checksums.NAME).write_bytes(checksums.checksums(kept))
    return folder


def environment(upstream: Upstream) -> dict[str, str]:
    """Return the variables of a server that calls `upstream` with a secret key."""
    return {**planted("THINGS"), "THINGS_BASE_URL": f"http://127.0.0.1:{upstream.port}"}


def run(project: Path, upstream: Upstream, *flags: str, given: str = "", **more: str) -> Any:
    """Run the server, and return the ended process."""
    environ = {**environment(upstream), **more}
    command = [sys.executable, "-P", "-m", "things_mcp", *flags]
    environ |= {"PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, env=environ, input=given, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    searched((done.stdout + done.stderr).encode())
    return done


def told(project: Path, upstream: Upstream, *flags: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr."""
    done = run(project, upstream, *flags)
    return done.returncode, done.stdout, done.stderr


def conversation(project: Path, upstream: Upstream) -> list[str]:
    """Return what the server writes to a client that sends MESSAGES, without random names of stored results."""
    command = [sys.executable, "-m", "things_mcp"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    found = []
    with subprocess.Popen(command, cwd=project, env=environment(upstream), text=True, **pipes) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for number, message in enumerate(MESSAGES):
            server.stdin.write(json.dumps(message | ({"id": number} if "id" in message else {})) + "\n")
            server.stdin.flush()
            while "id" in message:
                found.append(server.stdout.readline())
                answer = json.loads(found[-1])
                if answer.get("id") == number or "acknowledged" in answer.get("method", ""):
                    break
        uri = re.search(r"things://result/[\w-]+", "".join(found))
        assert uri is not None
        server.stdin.write(json.dumps(request("resources/read", 99, uri=uri[0])) + "\n")
        server.stdin.close()
        found += server.stdout.readlines()
        searched("".join([*found, *(server.stderr or ())]).encode())
        assert server.wait(PATIENCE) == 0
    return [line.replace(uri[0], "things://result/NAME") for line in found]


@pytest.mark.slow
def test_a_conversation_is_the_same(whole: Path, plain: Path, upstream: Upstream) -> None:
    found = conversation(plain, upstream)
    assert found == conversation(whole, upstream)
    assert '"text":"/echo/a"' in "".join(found)
    assert "of 300,000 bytes follow" in found[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags",
    [
        ("--version",),
        ("--help",),
        ("--list",),
        ("--list", "--read-only"),
        ("--explain", "add", '{"text": "a", "count": 3}'),
        ("--explain", "add", '{"text": "a"}'),
        ("--explain", "echo", '{"text": "a"}', "--format", "json"),
        ("--doctor",),
        ("--doctor", "--all"),
        ("--search", "a thing"),
        ("--nonsense",),
    ],
    ids=" ".join,
)
def test_a_flag_says_the_same(flags: tuple[str, ...], whole: Path, plain: Path, upstream: Upstream) -> None:
    assert told(plain, upstream, *flags) == told(whole, upstream, *flags)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "flags", "environ"),
    [
        ("http_server", ("--http", "0"), {}),
        ("http_server", ("--doctor", "--http", "0"), {}),
        ("install", ("install", "cursor"), {}),
        ("install", ("uninstall", "cursor"), {}),
        ("login", ("login",), {}),
        ("login", ("logout",), {}),
        ("login", ("whoami",), {}),
        ("shell", ("call", "echo"), {}),
        ("shell", ("completion", "bash"), {}),
        ("reload", ("--reload",), {}),
        ("audit", (), {"THINGS_AUDIT": "stderr"}),
        ("telemetry", (), {"THINGS_METRICS": "1"}),
        ("telemetry", (), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}),
        ("delegation", (), {"THINGS_KEY_AS": "caller"}),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, (tuple, dict)) else each,
)
def test_an_absent_part_says_how_to_get_it(
    part: str, flags: tuple[str, ...], environ: dict[str, str], plain: Path, upstream: Upstream
) -> None:
    done = run(plain, upstream, *flags, **environ)
    sentence = (
        f"This server was generated without its part `{part}`."
        f" To get it, add `{part}` to the list `parts` in mcpgen.yaml, and run `mcpgen regenerate`.\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_CONFIG, "", sentence)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["def before_all(tool, arguments): ...\n", "from .runtime.hooks import Refuse\n"])
def test_no_call_passes_hooks_that_cannot_run(text: str, plain: Path, upstream: Upstream) -> None:
    hooks = plain / "things_mcp" / "hooks.py"
    before, asked = hooks.read_text(encoding="utf-8"), len(upstream.requests)
    hooks.write_text(text, encoding="utf-8")
    try:
        lines = [request("initialize", 0, **CLIENT), request("tools/call", 1, name="echo", arguments={"text": "a"})]
        done = run(plain, upstream, given="".join(json.dumps(each) + "\n" for each in lines))
    finally:
        hooks.write_text(before, encoding="utf-8")
    assert "hooks.py of this server could not be loaded" in done.stdout.splitlines()[-1]
    assert "This server was generated without its part `hooks`" in done.stderr
    assert len(upstream.requests) == asked
