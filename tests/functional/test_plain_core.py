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
from tests.architecture.test_path_of_a_call import port
from tests.command import mcpgen
from tests.leaks import planted, searched
from tests.streamable.client import Connection
from tests.streamable.messages import JSON, calling, encoded, mirrored, request, stateless
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


CALL = "".join(
    json.dumps(each) + "\n"
    for each in (
        request("initialize", 0, **CLIENT),
        request("tools/call", 1, name="echo", arguments={"text": "a"}),
    )
)
VARYING = re.compile(r"[0-9a-f]{16,}|[0-9.:TZ-]{2,}")
"""Times, numbers and random names in a log."""


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
    """Return a copy of the project with the plain core alone."""
    return reduced(whole, tmp_path_factory.mktemp("plain") / "things", wings.PLAIN)


def reduced(whole: Path, folder: Path, *parts: str) -> Path:
    """Copy the project without the modules of all wings but `parts` and those that they need. Write its SHA256SUMS."""
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
    runtime = folder / "things_mcp" / "runtime"
    found = wings.modules(path.relative_to(runtime).with_suffix("").as_posix() for path in runtime.rglob("*.py"))
    needs, wanted = {wing.name: wing.needs for wing in wings.WINGS}, [wings.PLAIN, *parts]
    for part in wanted:
        wanted += [each for each in needs[part] if each not in wanted]
    for path in chain(*(paths for name, paths in found.items() if name not in wanted)):
        (runtime / path).with_suffix(".py").unlink()
    for place in [each for each in runtime.iterdir() if each.is_dir() and not [*each.glob("*.py")]]:
        shutil.rmtree(place)
    (runtime / checksums.NAME).unlink()
    kept = {path.relative_to(runtime).as_posix(): path.read_bytes() for path in runtime.rglob("*") if path.is_file()}
    (runtime / checksums.NAME).write_bytes(checksums.checksums(kept))
    return folder


def environment(upstream: Upstream) -> dict[str, str]:
    """Return the variables of a server that calls `upstream` with a secret key."""
    own = {"THINGS_BASE_URL": f"http://127.0.0.1:{upstream.port}", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**planted("THINGS"), **own}


def run(project: Path, upstream: Upstream, *flags: str, given: str = "", **more: str) -> Any:
    """Run the server, and return the ended process."""
    environ = {**environment(upstream), **more}
    command = [sys.executable, "-P", "-m", "things_mcp", *flags]
    environ["PYTHONPATH"] = str(project)
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
    ("module", "flags", "environ"),
    [
        ("http_server.listening", ("--http", "0"), {}),
        ("http_server.listening", ("--doctor", "--http", "0"), {}),
        ("install.install_commands", ("install", "cursor"), {}),
        ("install.install_commands", ("uninstall", "cursor"), {}),
        ("login.login_commands", ("login",), {}),
        ("login.login_commands", ("logout",), {}),
        ("login.login_commands", ("whoami",), {}),
        ("shell.call_command", ("call", "echo"), {}),
        ("shell.call_command", ("completion", "bash"), {}),
        ("reload.reload", ("--reload",), {}),
        ("audit.audit", (), {"THINGS_AUDIT": "stderr"}),
        ("telemetry.telemetry_settings", (), {"THINGS_METRICS": "1"}),
        ("telemetry.telemetry_settings", (), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}),
        ("delegation.delegation_settings", (), {"THINGS_KEY_AS": "caller"}),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, (tuple, dict)) else each,
)
def test_an_absent_part_says_how_to_get_it_back(
    module: str, flags: tuple[str, ...], environ: dict[str, str], plain: Path, upstream: Upstream
) -> None:
    done = run(plain, upstream, *flags, **environ)
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_CONFIG, "", missing(module))


@pytest.mark.slow
def test_a_part_that_lacks_a_folder_says_so(whole: Path, upstream: Upstream, tmp_path: Path) -> None:
    project = tmp_path / "things"
    shutil.copytree(whole, project)
    shutil.rmtree(project / "things_mcp" / "runtime" / "install")
    done = run(project, upstream, "install", "cursor")
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_CONFIG, "", missing("install"))


def missing(module: str) -> str:
    return f"This server's module things_mcp.runtime.{module} is missing. Run `mcpgen regenerate` to get it back.\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "flags", "environ"),
    [
        ("http_server", ("--doctor", "--http", "0"), {"THINGS_HTTP_OPEN": "1"}),
        ("install", ("install", "cursor", "--dry-run"), {}),
        ("login", ("whoami",), {}),
        ("shell", ("call", "echo", "--text", "a"), {}),
        ("shell", ("completion", "bash"), {}),
        ("audit", ("--doctor",), {"THINGS_AUDIT": "stderr"}),
        ("audit", (), {"THINGS_AUDIT": "stderr"}),
        ("telemetry", ("--doctor",), {"THINGS_METRICS": "1"}),
        ("telemetry", (), {"THINGS_METRICS": "1"}),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, (tuple, dict)) else each,
)
def test_a_part_works_without_the_others(
    part: str, flags: tuple[str, ...], environ: dict[str, str], whole: Path, upstream: Upstream, tmp_path: Path
) -> None:
    alone = reduced(whole, tmp_path / "things", part)
    found = []
    for project in (alone, whole):
        done = run(project, upstream, *flags, given="" if flags else CALL, **environ)
        texts = [VARYING.sub("", text.replace(str(project), "")) for text in (done.stdout, done.stderr)]
        found.append((done.returncode, *texts))
    assert found[0] == found[1]
    assert flags or found[0][2]


@pytest.mark.slow
def test_a_server_over_http_works_without_the_other_parts(whole: Path, upstream: Upstream, tmp_path: Path) -> None:
    alone = reduced(whole, tmp_path / "things", "http_server")
    environ = {**environment(upstream), "THINGS_HTTP_OPEN": "1"}
    command = [sys.executable, "-m", "things_mcp", "--http", "0"]
    with subprocess.Popen(command, cwd=alone, env=environ, stderr=subprocess.PIPE) as server:
        try:
            with Connection(port(server.stderr)) as connection:
                message = calling("echo", text="over-http")
                answer = connection.ask("POST", fields=mirrored(message), body=encoded(message))
                searched(answer.body)
                assert (answer.status, b"/echo/over-http" in answer.body) == (200, True)
                greeting = connection.ask("POST", fields=JSON, body=encoded(request("initialize", **CLIENT)))
                fields = {**JSON, "Mcp-Session-Id": greeting.field("mcp-session-id") or ""}
                listed = connection.ask("POST", fields=fields, body=encoded(request("tools/list")))
                assert b"echo" in listed.body
        finally:
            server.kill()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["def before_all(tool, arguments): ...\n", "from .runtime.hooks import Refuse\n"])
def test_no_call_passes_hooks_that_cannot_run(text: str, plain: Path, upstream: Upstream) -> None:
    hooks = plain / "things_mcp" / "hooks.py"
    before, asked = hooks.read_text(encoding="utf-8"), len(upstream.requests)
    hooks.write_text(text, encoding="utf-8")
    try:
        done = run(plain, upstream, given=CALL)
    finally:
        hooks.write_text(before, encoding="utf-8")
    assert "hooks.py of this server could not be loaded" in done.stdout.splitlines()[-1]
    assert re.search(r"This server's module things_mcp\.runtime\.(calls\.hook_runner|hooks) is missing\.", done.stderr)
    assert len(upstream.requests) == asked
