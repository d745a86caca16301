"""Test that a server works with the parts of the runtime that it needs, and without all others.

A plain server has a document with an API key, and is served over stdio. The same document with all parts must say the
same. What an absent part would do ends with one sentence that says how to get the part.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

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
    request("resources/subscribe", uri="things://nothing"),
    request("prompts/get", name="nothing"),
    request("completion/complete", ref={"type": "ref/prompt", "name": "x"}, argument={"name": "a", "value": ""}),
    request("tasks/get", taskId="nothing"),
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
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the document of the servers."""
    path = tmp_path_factory.mktemp("source") / "things.yaml"
    path.write_text(DOCUMENT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with all parts."""
    return generated(source, tmp_path_factory.mktemp("whole"), "--parts=all")


@pytest.fixture(scope="module")
def plain(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with the plain core alone."""
    return generated(source, tmp_path_factory.mktemp("plain"), "--parts=none")


def generated(source: Path, folder: Path, *flags: str) -> Path:
    """Generate a project from a document, and return its folder."""
    done = mcpgen("generate", str(source), "-o", str(folder / "things"), "--name", "things", *flags)
    assert done.returncode == 0, done.stderr
    return folder / "things"


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


def called(project: Path, upstream: Upstream, **more: str) -> tuple[str, str]:
    """Start the server, make the call of CALL, and return its answer and stderr. Stdin is open until the answer."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environ = {**environment(upstream), **more}
    with subprocess.Popen([sys.executable, "-m", "things_mcp"], cwd=project, env=environ, text=True, **pipes) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(CALL)
        server.stdin.flush()
        while '"id":1' not in (answer := server.stdout.readline()):
            pass
        server.stdin.close()
        errors = server.stderr.read()
        assert server.wait(PATIENCE) == 0
    searched((answer + errors).encode())
    return answer, errors


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
        ("--list",),
        ("--list", "--read-only"),
        ("--explain", "add", '{"text": "a", "count": 3}'),
        ("--explain", "add", '{"text": "a"}'),
        ("--explain", "echo", '{"text": "a"}', "--format", "json"),
        ("--doctor",),
        ("--search", "a thing"),
        ("--nonsense",),
    ],
    ids=" ".join,
)
def test_a_flag_says_the_same(flags: tuple[str, ...], whole: Path, plain: Path, upstream: Upstream) -> None:
    found = [told(project, upstream, *flags) for project in (plain, whole)]
    assert re.sub(r"not set: \d+", "", str(found[0])) == re.sub(r"not set: \d+", "", str(found[1]))


OF_PARTS = ("--http", "--new-token", "--reload", "install", "completion", "THINGS_AUDIT", "THINGS_METRICS", "OTEL_")
OF_PARTS_OVER_HTTP = ("THINGS_HTTP_TOKENS", "THINGS_AUTH_ISSUER", "THINGS_STORE", "THINGS_STATE_KEY")


@pytest.mark.slow
def test_help_and_doctor_tell_only_of_what_is_there(whole: Path, plain: Path, upstream: Upstream) -> None:
    texts = {
        project: "".join(told(project, upstream, *flags)[1] for flags in (("--help",), ("--doctor", "--all")))
        for project in (whole, plain)
    }
    for name in (*OF_PARTS, *OF_PARTS_OVER_HTTP):
        assert name in texts[whole]
        assert name not in texts[plain]
    assert "THINGS_TIMEOUT" in texts[plain]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "flags", "environ"),
    [
        ("http", ("--http", "0"), {}),
        ("http", ("--doctor", "--http", "0"), {}),
        ("http", ("--new-token", "ann"), {}),
        ("http", (), {"THINGS_KEY_AS": "caller"}),
        ("install", ("install", "cursor"), {}),
        ("install", ("uninstall", "cursor"), {}),
        ("login", ("login",), {}),
        ("login", ("logout",), {}),
        ("login", ("whoami",), {}),
        ("shell", ("call", "echo"), {}),
        ("shell", ("completion", "bash"), {}),
        ("reload", ("--reload",), {}),
        ("audit", (), {"THINGS_AUDIT": "stderr"}),
        ("reach", (), {"THINGS_HEADERS": "X-Plan: a"}),
        ("telemetry", (), {"THINGS_METRICS": "1"}),
        ("telemetry", (), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}),
        ("telemetry", (), {"OTEL_TRACES_EXPORTER": "otlp"}),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, (tuple, dict)) else each,
)
def test_an_absent_part_says_how_to_get_it(
    part: str, flags: tuple[str, ...], environ: dict[str, str], plain: Path, upstream: Upstream
) -> None:
    done = run(plain, upstream, *flags, **environ)
    sentence = f"This server has no part {part}. Run `mcpgen regenerate --parts {part}` in its project to add it.\n"
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_CONFIG, "", sentence)


@pytest.mark.slow
@pytest.mark.parametrize(
    "environ",
    [
        {"OTEL_SERVICE_NAME": "things"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
        | dict.fromkeys(("OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"), "none"),
    ],
    ids=str,
)
def test_a_variable_that_changes_nothing_is_ignored(environ: dict[str, str], plain: Path, upstream: Upstream) -> None:
    answer, errors = called(plain, upstream, **environ)
    assert '"text":"/echo/a"' in answer
    assert "OTEL" not in errors


@pytest.mark.slow
def test_a_variable_of_an_absent_part_is_no_setting(plain: Path, upstream: Upstream) -> None:
    done = run(plain, upstream, "--doctor", THINGS_HTTP_TOKENS="callers")
    assert "THINGS_HTTP_TOKENS is no setting of this server and does nothing." in done.stdout


@pytest.mark.slow
def test_a_part_that_lacks_a_folder_says_so(whole: Path, upstream: Upstream, tmp_path: Path) -> None:
    project = tmp_path / "things"
    shutil.copytree(whole, project)
    shutil.rmtree(project / "things_mcp" / "runtime" / "install")
    done = run(project, upstream, "install", "cursor")
    sentence = "This server's module things_mcp.runtime.install is missing. Run `mcpgen regenerate` in its project to"
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_CONFIG, "", f"{sentence} get it back.\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "flags", "environ"),
    [
        ("http", ("--doctor", "--http", "0"), {"THINGS_HTTP_OPEN": "1"}),
        ("reload", ("--doctor", "--reload"), {}),
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
    part: str,
    flags: tuple[str, ...],
    environ: dict[str, str],
    source: Path,
    whole: Path,
    upstream: Upstream,
    tmp_path: Path,
) -> None:
    alone = generated(source, tmp_path, f"--parts={part}")
    found = []
    for project in (alone, whole):
        done = run(project, upstream, *flags, given="" if flags else CALL, **environ)
        texts = [VARYING.sub("", text.replace(str(project), "")) for text in (done.stdout, done.stderr)]
        found.append(re.sub(r"not set: *", "", str((done.returncode, *texts))))
    assert found[0] == found[1]
    assert flags or done.stderr


@pytest.mark.slow
def test_a_server_over_http_works_without_the_other_parts(source: Path, upstream: Upstream, tmp_path: Path) -> None:
    alone = generated(source, tmp_path, "--http", "--parts=none")
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
    assert (
        "This server has no part hooks. Run `mcpgen regenerate --parts hooks` in its project to add it." in done.stderr
    )
    assert len(upstream.requests) == asked


@pytest.mark.slow
def test_the_next_run_adds_the_part_that_calls_hooks(source: Path, upstream: Upstream, tmp_path: Path) -> None:
    project = generated(source, tmp_path, "--parts=none")
    hooks = "from .runtime.hooks import Refuse\n\ndef before_all(tool, arguments):\n    raise Refuse('Closed.')\n"
    (project / "things_mcp" / "hooks.py").write_text(hooks, encoding="utf-8")
    assert mcpgen("regenerate", str(project)).returncode == 0
    assert "Closed." in called(project, upstream)[0]


NAMED_LIKE_KEYS = """
mcpgen: 1
server: {name: things}
base_url: http://127.0.0.1:1
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
- name: echo
  request: POST /echo/{text}
  arguments: {text: string}
  send: {body: {result: "{text}", confirm: true}}
"""
"""A tools file whose request has members with the names of keys that need parts of the runtime."""


@pytest.mark.slow
def test_names_that_look_like_keys_need_no_part(upstream: Upstream, tmp_path: Path) -> None:
    (tmp_path / "things.tools.yaml").write_text(NAMED_LIKE_KEYS, encoding="utf-8")
    project = generated(tmp_path / "things.tools.yaml", tmp_path, "--parts=none")
    assert not (project / "things_mcp" / "runtime" / "questions").exists()
    assert '"text":"/echo/a"' in called(project, upstream)[0]


class GraphQl(BaseHTTPRequestHandler):
    """API that answers with a type which its document does not mention."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/graphql-response+json")
        self.send_header("Content-Length", "15")
        self.end_headers()
        self.wfile.write(b'{"errors":["a"]')

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


@pytest.mark.slow
def test_a_type_that_the_document_does_not_mention_is_read_without_its_rules(
    plain: Path, whole: Path, upstream: Upstream
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), GraphQl) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        url = {"THINGS_BASE_URL": f"http://127.0.0.1:{api.server_port}"}
        found = [called(project, upstream, **url)[0] for project in (plain, whole)]
        api.shutdown()
    assert all("errors" in text and "could not be loaded" not in text for text in found), found
