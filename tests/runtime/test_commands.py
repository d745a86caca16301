"""Test the command line of a generated server as a person uses it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from package.runtime.settings.settings_table import SETTINGS

from tests.leaks import searched, trap
from tests.runtime.process import PACKAGE, Server, generate

SECRET = "correct-horse-battery-staple"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the complete runtime and the three tools of `tests/runtime/table`."""
    directory = tmp_path_factory.mktemp("commands")
    package = generate(directory)
    shutil.copy(PACKAGE / "runtime" / "calls" / "execution.py", package / "runtime" / "calls")
    shutil.copy(PACKAGE / "hooks.py", package)
    return directory


def run(home: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME")}
    command = [sys.executable, "-m", "mirror_mcp", *arguments]
    done = subprocess.run(
        command,
        cwd=home,
        env={**kept, **trap().environment(), **environ},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    searched((done.stdout + done.stderr).encode(), SECRET)
    return done


def test_version(home: Path) -> None:
    done = run(home, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, "mirror 1.2.0\n", "")


def test_list(home: Path) -> None:
    done = run(home, "--list")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "echo  Echo\nshow  Show each kind of content\nwait  Wait\n"


def test_list_is_shown_whatever_the_terminal_can_show(tmp_path: Path) -> None:
    package = generate(tmp_path)
    table = package / "tools.json"
    before = table.read_text()
    table.write_text(before.replace('"Echo"', '"\\u00c9cho"'))
    bindings = package / "bindings.json"
    old, new = (f"{zlib.crc32(text.encode()):08x}" for text in (before, table.read_text()))
    bindings.write_text(bindings.read_text().replace(old, new))
    done = run(tmp_path, "--list", PYTHONIOENCODING="ascii")
    assert done.stdout.startswith("echo  \\xc9cho\n")
    assert done.returncode == 0


def test_a_reader_that_stops_early_is_no_error(home: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "mirror_mcp", "--list"], cwd=home, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("flag", ["--version", "--list", "--doctor", "--help"])
@pytest.mark.parametrize("stdout", ["/dev/full", "closed"])
def test_what_cannot_be_written_is_one_sentence(home: Path, flag: str, stdout: str) -> None:
    if stdout != "closed" and not os.path.exists(stdout):
        pytest.skip("there is no such device here")
    command = f'exec "$0" -m mirror_mcp {flag} >{"&-" if stdout == "closed" else stdout}'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=home, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert done.stderr.endswith(b"could not be written: stdout is closed, or takes no more.\n")


def test_a_list_that_no_server_would_have_is_not_shown(home: Path) -> None:
    done = run(home, "--list", MIRROR_READ_ONLY="maybe")
    assert (done.returncode, done.stdout, done.stderr) == (78, "", "MIRROR_READ_ONLY must be 1 or 0.\n")
    assert run(home, "--version", MIRROR_READ_ONLY="maybe").returncode == 0


def test_help_says_everything(home: Path) -> None:
    done = run(home, "--help")
    assert done.returncode == 0
    for word in (
        "--version",
        "--list",
        "--doctor",
        "--explain",
        "--base-url",
        "--read-only",
        "--reload",
        "MIRROR_",
        "stdin",
    ):
        assert word in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--bogus"],
        ["--vers"],
        ["tools"],
        ["--base-url"],
        ["--list", "--version"],
        ["--base-url", "ftp://x"],
        ["--base-url", "x"],
        ["--all"],
        ["--list", "--all"],
    ],
    ids=" ".join,
)
def test_what_is_not_understood_is_one_sentence(home: Path, arguments: list[str]) -> None:
    done = run(home, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.endswith(".\n")
    assert done.stderr.count("\n") == 1


def test_with_a_base_url_it_serves(tmp_path: Path) -> None:
    generate(tmp_path)
    with Server(tmp_path, "--base-url", "http://127.0.0.1:1/v2") as server:
        assert server.ask("tools/call", name="echo", arguments={"text": "hi"})["result"]["isError"] is False
        server.end()
        assert server.ended() == 0


def variables(report: str) -> dict[str, str]:
    """Return a mapping from each variable in the second paragraph of the `--doctor` report to the word after it."""
    return {line.split()[0]: line.split()[1] for line in report.split("\n\n")[1].splitlines()}


class TestDoctor:
    def test_what_is_missing(self, home: Path) -> None:
        done = run(home, "--doctor")
        assert done.returncode == 1
        rows = variables(done.stdout)
        assert rows["MIRROR_KEY"] == rows["MIRROR_LOGIN_PASSWORD"] == "missing"
        assert {*rows.values()} == {"missing"}, "variables that are not set are hidden"
        assert "`mirror-mcp --doctor --all` shows them." in done.stdout
        assert "2 of 3 tools can be called" in done.stdout
        assert "set MIRROR_KEY, or MIRROR_LOGIN_USERNAME with MIRROR_LOGIN_PASSWORD" in done.stdout
        assert "127.0.0.1:9" in done.stdout

    def test_all_settings_are_shown_if_asked_for(self, home: Path) -> None:
        rows = variables(run(home, "--doctor", "--all", MIRROR_KEY=SECRET, MIRROR_KEY_AS="own").stdout)
        assert {row.variable("MIRROR") for row in SETTINGS if row.feature != "login"} < rows.keys()
        assert (rows["MIRROR_KEY"], rows["MIRROR_STATE_KEY"], rows["MIRROR_BASE_URL"]) == ("set", "not", "not")
        assert rows["MIRROR_KEY_AS"] == "set"

    def test_what_is_missing_comes_first_and_what_is_wrong_before_what_is_set(self, home: Path) -> None:
        done = run(home, "--doctor", MIRROR_LOGIN_PASSWORD=SECRET, MIRROR_TIMEOUT="x", MIRROR_STATE_KEY=SECRET)
        assert list(variables(done.stdout).items()) == [
            ("MIRROR_KEY", "missing"),
            ("MIRROR_LOGIN_USERNAME", "missing"),
            ("MIRROR_TIMEOUT", "unusable"),
            ("MIRROR_LOGIN_PASSWORD", "set"),
            ("MIRROR_STATE_KEY", "set"),
        ]

    def test_values_are_never_shown(self, home: Path) -> None:
        done = run(home, "--doctor", MIRROR_KEY=SECRET, MIRROR_LOGIN_PASSWORD=f"{SECRET}\n\x01")
        assert SECRET not in done.stdout + done.stderr
        assert "No tool can be called: the server does not start with these settings." in done.stdout
        rows = variables(done.stdout)
        assert (rows["MIRROR_KEY"], rows["MIRROR_LOGIN_PASSWORD"]) == ("set", "unusable")

    def test_where_a_value_comes_from(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "key").write_text(SECRET)
        done = run(home, "--doctor", MIRROR_KEY_FILE=str(tmp_path / "key"), MIRROR_LOGIN_PASSWORD_FILE="/none")
        assert re.search(r"^MIRROR_KEY +set by file ", done.stdout, re.MULTILINE)
        assert variables(done.stdout)["MIRROR_LOGIN_PASSWORD"] == "unusable"
        assert "\nMIRROR_LOGIN_PASSWORD_FILE must name a file that can be read.\n" in done.stdout
        assert SECRET not in done.stdout + done.stderr

    def test_a_proxy_may_come_from_a_file(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "proxy").write_text("http://127.0.0.1:1")
        done = run(home, "--doctor", MIRROR_PROXY_FILE=str(tmp_path / "proxy"))
        assert re.search(r"^MIRROR_PROXY +set by file ", done.stdout, re.MULTILINE)
        assert variables(run(home, "--doctor", MIRROR_PROXY_FILE="/none").stdout)["MIRROR_PROXY"] == "unusable"

    def test_what_is_wrong_is_said_once(self, tmp_path: Path) -> None:
        package = generate(tmp_path)
        shutil.copy(PACKAGE / "runtime" / "calls" / "execution.py", package / "runtime" / "calls")
        (package / "hooks.py").write_text("def before_nobody(arguments):\n    return None\n")
        done = run(tmp_path, "--doctor", MIRROR_TIMEOUT="x")
        assert (done.stdout + done.stderr).count("before_nobody") == 1
        assert (done.stdout + done.stderr).count("MIRROR_TIMEOUT must be") == 1

    def test_all_is_well(self, home: Path, silent_api: str) -> None:
        done = run(home, "--doctor", "--base-url", f"{silent_api}/", MIRROR_KEY=SECRET)
        assert done.stderr == ""
        assert done.stdout.endswith("The API answers.\n")
        assert done.returncode == 0

    @pytest.fixture
    def silent_api(self) -> Iterator[str]:
        """Yield the URL of an API that answers everything with 204."""

        class Silent(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        server = HTTPServer(("127.0.0.1", 0), Silent)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        server.server_close()
