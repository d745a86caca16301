"""Test the user's hooks.py: documented examples pass mypy and work, and mistakes are reported at the start."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.golden import projects
from tests.leaks import SECRET, searched
from tests.runtime.process import Server, call, line

ROOT = Path(__file__).parents[2]
GENERATED = projects.project("station", whole=True)
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GENERATED, tmp_path / "station", ignore=shutil.ignore_patterns("__pycache__")))


def write(project: Path, code: str) -> None:
    (project / "station_mcp" / "hooks.py").write_text(code, encoding="utf-8")


def of_page(project: Path) -> str:
    page = (ROOT / "docs" / "how-to" / "hooks.md").read_text(encoding="utf-8")
    code = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0]
    return str(code).replace("after_get_pet", "after_get_forecast")


def of_docstring(project: Path) -> str:
    text = (project / "station_mcp" / "hooks.py").read_text()
    [code] = re.findall(r"For example:\n\n(    import os\n.*?)\n\n(?=\S)", text, re.DOTALL)
    return textwrap.dedent(code).replace("after_get_pet", "after_get_forecast")


@contextmanager
def upstream(answer: bytes = OK) -> Iterator[tuple[str, list[bytes]]]:
    """Yield a socket that answers every request, and the list of requests that it received."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection, suppress(ConnectionError):
                        while data := connection.recv(65536):
                            received.append(data)
                            connection.sendall(OK.removesuffix(b"ok") if data.startswith(b"HEAD") else answer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", received
        listening.shutdown(socket.SHUT_RDWR)


@contextmanager
def running(project: Path, url: str, **variables: str) -> Iterator[Server]:
    environment = {"STATION_BASE_URL": url, "STATION_API_KEY": SECRET, **variables}
    with Server(project, package="station_mcp", env=environment) as server:
        yield server


@pytest.mark.slow
def test_the_examples_are_typed(project: Path) -> None:
    """Check both documented examples by one run of mypy, which takes long because it reads the whole runtime."""
    first, second = of_page(project), of_docstring(project)
    write(project, first)
    (project / "station_mcp" / "more_hooks.py").write_text(second, encoding="utf-8")
    types = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", os.devnull]
    checked = subprocess.run([*types, "-p", "station_mcp"], cwd=project, capture_output=True, text=True, timeout=120)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("example", [of_page, of_docstring])
def test_an_example_does_what_it_says(example: Callable[[Path], str], project: Path) -> None:
    write(project, example(project))
    [hooked] = re.findall(r"def after_(\w+)\(", (project / "station_mcp" / "hooks.py").read_text())
    with upstream() as (url, received), running(project, url) as server:
        answered = server.result("get_forecast", city="Oslo")
        assert answered["content"][0]["text"] == "Answer in one sentence: " * (hooked == "get_forecast") + "ok"
        assert b"\r\nX-Tool: get_forecast\r\n" in received[0]
        assert SECRET.encode() in received[0]
    with upstream() as (url, received), running(project, url, MAINTENANCE="1") as server:
        answered = server.result("get_forecast", city="Oslo")
        assert answered["isError"]
        assert answered["content"][0]["text"] == (
            "get_forecast was not called. The API is down for maintenance until 18:00. Try again then."
        )
        assert received == []


WRONG = """
print("loaded")
def before_get_forecats(arguments): ...
def request_all(request): ...
"""
SENTENCES = [
    "before_get_forecats is for no tool, so it is never called. Did you mean before_get_forecast? (hooks.py)",
    "request_all must take two parameters: tool, request. (hooks.py)",
]


def test_what_is_wrong_is_in_the_log_when_the_server_has_started(project: Path) -> None:
    write(project, WRONG)
    command = [sys.executable, "-m", "station_mcp"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=project, text=True, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(line("tools/list").decode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "tools/list"
        assert process.stderr.readline() == "loaded\n"
        events = [json.loads(process.stderr.readline()) for _ in SENTENCES]
        assert [(event["level"], event["event"], event["reason"]) for event in events] == [
            ("warning", "hooks", sentence) for sentence in SENTENCES
        ]
        process.stdin.close()
        assert process.stdout.read() == ""


def ask(project: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "station_mcp", *flags]
    environment = {"STATION_API_KEY": SECRET}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=120)
    searched((done.stdout + done.stderr).encode())
    return done


def test_the_list_and_the_doctor_say_it_too(project: Path) -> None:
    good = ask(project, "--list")
    assert good.stderr == ""
    write(project, WRONG)
    listed = ask(project, "--list")
    assert (listed.returncode, listed.stdout) == (0, good.stdout)
    assert listed.stderr == "\n".join(["loaded", *SENTENCES, ""])
    with upstream() as (url, _):
        assert ask(project, "--doctor", "--base-url", url).returncode == 1
        examined = ask(project, "--doctor", "--base-url", url)
        said = examined.stdout.splitlines()
        assert {"The API answers.", "No call was tried, because hooks.py takes part in calls.", *SENTENCES} <= {*said}
        write(project, "")
        assert ask(project, "--doctor", "--base-url", url).returncode == 0


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("import yaml_of_nobody\n", "hooks.py could not be loaded: ModuleNotFoundError (yaml_of_nobody) in line 1."),
        ("x = 1\nx.y('secret')\n", "hooks.py could not be loaded: AttributeError in line 2."),
        ("x = \n", "hooks.py could not be loaded: SyntaxError in line 1."),
        ("raise SystemExit('secret')\n", "hooks.py could not be loaded: SystemExit in line 1."),
    ],
)
def test_a_file_that_does_not_load_is_one_sentence(code: str, sentence: str, project: Path) -> None:
    write(project, code)
    listed = ask(project, "--list")
    assert (listed.returncode, listed.stderr) == (0, f"{sentence}\n")
    explained = ask(project, "--explain", "get_forecast", '{"city": "Oslo"}')
    assert explained.returncode == 1
    assert explained.stderr.splitlines() == [
        sentence,
        "get_forecast was not completed. hooks.py of this server could not be loaded. Its log says why.",
    ]


HOLDS_UP = """
import asyncio
import os


async def instead_of_get_current_conditions(arguments):
    if arguments["city"] == "waits":
        await asyncio.Event().wait()
    while arguments["city"] == "computes" and not os.path.exists("let go"):
        continue
    return arguments["city"]
"""


def test_what_is_answered_does_not_wait_for_a_hook_that_holds_up_the_loop(project: Path) -> None:
    """Check that a result is written immediately if hooks exist, so that it does not wait for a hook that blocks the
    loop.

    Without hooks, results that are ready in the same turn of the event loop are written together.
    """
    write(project, HOLDS_UP)

    def calls(*cities: str) -> bytes:
        return b"".join(call(city, "get_current_conditions", city=city) for city in cities)

    with Server(project, package="station_mcp", env={"STATION_API_KEY": SECRET}) as server:
        server.say(calls("waits"))
        for city in "abcde":
            server.say(calls(city))
            # After the answer to `e`, the event loop itself reads stdin, so it reads the next two calls together.
            assert server.message()["id"] == city
        server.say(calls("at once", "computes"))
        assert server.message()["id"] == "at once"
        (project / "let go").touch()
        assert server.message()["id"] == "computes"
