"""Test `--doctor` of a generated server as an operator runs it: a real process, and a raw socket as upstream."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.jsonvalue import compact
from mcpgen.cli import main
from mcpgen.emit.project import HTTP_DEPENDENCIES, RUNTIME_DEPENDENCIES
from tests.leaks import SECRET, searched

KEY = {"STORE_KEY": SECRET}
PETS: dict[str, Any] = {
    "/pets": {
        "get": {"operationId": "list_pets", "security": [{"key": []}]},
        "post": {"operationId": "create_pet", "security": [{"key": []}]},
    },
    "/pets/{id}": {
        "get": {
            "operationId": "get_pet",
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        }
    },
    "/h": {"get": {"operationId": "get_health", "security": []}},
}
OF_ONE = {"/pets/{id}": PETS["/pets/{id}"]}
Answer = Callable[[str, str], int | None]


class Upstream:
    """Raw HTTP server. `answer`: (method, path) → status; the status None closes the connection without a response."""

    def __init__(self, answer: Answer) -> None:
        self.heard: list[str] = []
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while data := connection.recv(65536):
                self.heard.append(data.decode("latin-1"))
                method, path, _ = self.heard[-1].split(" ", 2)
                status = self._answer(method, path)
                if status is None:
                    return
                connection.sendall(f"HTTP/1.1 {status} Said\r\nContent-Length: 0\r\n\r\n".encode())


@pytest.fixture
def upstream(request: pytest.FixtureRequest) -> Iterator[Upstream]:
    found = Upstream(request.param)
    yield found
    found.close()


def compiled(folder: Path, paths: dict[str, Any], servers: Sequence[str] = ("https://api.example.com/v1",)) -> Path:
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Store", "version": "1"},
        "servers": [{"url": url} for url in servers],
        "paths": paths,
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    }
    (folder / "openapi.json").write_text(compact(document))
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "openapi.json"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


def doctor(home: Path, url: str, variables: dict[str, str], *python: str) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("STORE_")}
    command = [sys.executable, *python, "-m", "store_mcp", "--doctor", "--base-url", f"{url}/api/v1"]
    return subprocess.run(
        command, cwd=home, env={**environ, **variables}, capture_output=True, text=True, check=False, timeout=60
    )


def always(status: int) -> Answer:
    return lambda method, path: status


def for_get(status: int) -> Answer:
    """Return a function for `Upstream` that answers GET with `status`, and closes the connection at HEAD."""
    return lambda method, path: status if method == "GET" else None


@pytest.mark.parametrize(
    ("upstream", "paths", "variables", "code", "said", "asked"),
    [
        (always(200), PETS, KEY, 0, "list_pets (GET /pets, with STORE_KEY) answered 200.", "GET /api/v1/pets"),
        (for_get(200), PETS, KEY, 0, "list_pets (GET /pets, with STORE_KEY) answered 200.", "GET /api/v1/pets"),
        (always(401), PETS, KEY, 1, "answered 401: the API rejects the credential in STORE_KEY.", "/api/v1/pets"),
        (
            always(403),
            PETS,
            KEY,
            1,
            "answered 403: the credential in STORE_KEY is wrong, or lacks the right for this.",
            "/api/v1/pets",
        ),
        (
            always(404),
            PETS,
            KEY,
            0,
            "answered 404. If every call answers 404, the path of the base URL",
            "GET /api/v1/pets",
        ),
        (always(500), PETS, KEY, 0, "answered 500, which says nothing about the settings.", "GET /api/v1/pets"),
        (always(200), PETS, {}, 1, "get_health (GET /h) answered 200.", "GET /api/v1/h"),
        (always(200), OF_ONE, {}, 0, "No call was tried, because no read-only tool", "HEAD /api/v1/"),
    ],
    indirect=["upstream"],
)
def test_one_reading_call_is_made_with_the_credential_and_told(
    upstream: Upstream,
    paths: dict[str, Any],
    variables: dict[str, str],
    code: int,
    said: str,
    asked: str,
    tmp_path: Path,
) -> None:
    done = doctor(compiled(tmp_path, paths), upstream.url, variables)
    assert (done.returncode, said in done.stdout) == (code, True), done.stdout + done.stderr
    assert asked in upstream.heard[-1]
    assert {request.split(" ")[0] for request in upstream.heard} <= {"HEAD", "GET"}
    keys = [f"X-Key: {SECRET}" in request for request in upstream.heard if " /api/v1/pets" in request]
    assert all(keys)
    assert [SECRET in request for request in upstream.heard if " /api/v1/pets" not in request].count(True) == 0
    searched((done.stdout + done.stderr).encode())


def test_a_base_url_that_the_document_lacks_is_missing(tmp_path: Path) -> None:
    home = compiled(tmp_path, PETS, servers=[])
    environ = {key: value for key, value in os.environ.items() if not key.startswith("STORE_")}
    command = [sys.executable, "-m", "store_mcp", "--doctor"]
    done = subprocess.run(
        command, cwd=home, env={**environ, **KEY}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    first = done.stdout.split("\n\n")[1].split("\n")[0]
    assert first.split()[:2] == ["STORE_BASE_URL", "missing"]
    done = doctor(home, "http://127.0.0.1:1", KEY)
    assert "missing" not in done.stdout, "the flag --base-url is enough"


def test_code_of_the_owners_in_calls_is_not_run(tmp_path: Path) -> None:
    home = compiled(tmp_path, PETS)
    (home / "store_mcp" / "hooks.py").write_text("def request_all(tool, request):\n    raise SystemExit(9)\n")
    upstream = Upstream(always(401))
    done = doctor(home, upstream.url, KEY)
    upstream.close()
    assert (done.returncode, "No call was tried, because hooks.py takes part in calls." in done.stdout) == (0, True)


def test_a_server_that_is_not_there_is_told_with_its_path(tmp_path: Path) -> None:
    done = doctor(compiled(tmp_path, PETS), "http://127.0.0.1:1", KEY)
    assert done.returncode == 1
    assert "http://127.0.0.1:1/api/v1: " in done.stdout


@pytest.mark.parametrize("flags", [["--doctor"], ["--explain", "list_pets", "{}"]])
def test_without_the_libraries_it_says_what_to_install(flags: list[str], tmp_path: Path) -> None:
    home = compiled(tmp_path, PETS)
    command = [sys.executable, "-S", "-m", "store_mcp", *flags]  # -S: Python does not see installed libraries
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (78, "", 1), done.stderr
    assert " is not installed. Install what this server needs: " in done.stderr
    assert done.stderr.endswith(f" -m pip install {home}\n")


def test_an_installed_server_names_the_bounds_of_its_libraries(tmp_path: Path) -> None:
    """Install only the package and its metadata, as a wheel does, and start it over HTTP without any library."""
    home = compiled(tmp_path, PETS)
    there = tmp_path / "installed"
    there.mkdir()
    (home / "store_mcp").rename(there / "store_mcp")
    (there / "store_mcp-1.0.dist-info").mkdir()
    needed = [
        *RUNTIME_DEPENDENCIES,
        *(f'{each}; extra == "http"' for each in HTTP_DEPENDENCIES),
        'x>1; extra == "otel"',
    ]
    lines = ["Name: store-mcp", "Version: 1.0", *(f"Requires-Dist: {each}" for each in needed)]
    (there / "store_mcp-1.0.dist-info" / "METADATA").write_text("\n".join(lines))
    command = [sys.executable, "-S", "-m", "store_mcp", "--http", "0"]
    environ = {**os.environ, "PYTHONPATH": str(there)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 78
    assert done.stderr.count(f" pip install {shlex.join([*RUNTIME_DEPENDENCIES, *HTTP_DEPENDENCIES])}") == 1


def test_a_server_without_the_libraries_logs_what_to_install(tmp_path: Path) -> None:
    home = compiled(tmp_path, PETS)
    initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    asked = initialize + '"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'
    asked += '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_pets","arguments":{}}}\n'
    command = [sys.executable, "-S", "-m", "store_mcp"]
    done = subprocess.run(command, cwd=home, input=asked, capture_output=True, text=True, check=False, timeout=120)
    assert '"event":"not_installed"' in done.stderr
    assert f"-m pip install {home}" in done.stderr
    assert "Traceback" not in done.stderr
