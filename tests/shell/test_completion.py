"""Test completion in real interactive shells on a pseudo-terminal: values of a document are data for each shell."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.shell.project import Api, Shell, served

VALUES = (
    "in stock",
    "a;touch PWNED",
    "a&&touch PWNED",
    "$(touch PWNED)",
    "`touch PWNED`",
    "${HOME}",
    'it\'s "so" (touch PWNED)',
    "a'b;touch PWNED;'",
    "*",
    "[a-z]?{b,c}",
    "~",
    "~root/x",
    "-x",
    "=ls",
    "a\\b",
    "!!",
    "^a^b",
    "#c",
    ">PWNED",
    "|touch PWNED",
    "created:asc",
    "naïve 東京 🎉",
    "日本",
)
"""Enum values that mean something to a shell. Each is the only value of an argument."""

LEFT_OUT = ("a\ntouch PWNED", "a\rb", "a\x1b[31mb", "a\u202eb", "a\tb", "--yes")
"""Enum values that are not completed: a terminal does not show them as they are, or `call` takes them for flags."""

ENUMS = {
    **{f"v{index}": [value] for index, value in enumerate(VALUES)},
    **{f"w{index}": [value] for index, value in enumerate(LEFT_OUT)},
    "state": ["in stock; soon", "in transit"],
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Store", "version": "1"},
    "servers": [{"url": "%s"}],
    "paths": {
        "/orders": {
            "get": {
                "operationId": "list_orders",
                "parameters": [
                    {"name": name, "in": "query", "schema": {"type": "string", "enum": values}}
                    for name, values in ENUMS.items()
                ],
            }
        }
    },
}
PROMPT = "ready> "
START = {
    "bash": (".bashrc", "source <(store-mcp completion bash)"),
    "zsh": (".zshrc", "fpath=(~/.zfunc $fpath); autoload -U compinit; compinit -u"),
    "fish": (".config/fish/config.fish", "function fish_prompt; echo -n 'ready> '; end; function fish_greeting; end"),
}
"""Shell → the file that it reads at its start, and the lines that turn completion on as the documentation says."""

INSTALLED = {"zsh": ".zfunc/_store-mcp", "fish": ".config/fish/completions/store-mcp.fish"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with served(tmp_path_factory.mktemp("completion"), json.dumps(DOCUMENT)) as server:
        yield server


class Terminal:
    """An interactive shell on a pseudo-terminal, in an empty folder of its own."""

    def __init__(self, name: str, server: Shell, home: Path) -> None:
        self.name = name
        self.folder = home / "here"
        self.folder.mkdir(parents=True)
        command = home / "bin" / "store-mcp"
        start, lines = START[name]
        files = {start: f"PS1='{PROMPT}'; {lines}\n" if name != "fish" else f"{lines}\n"}
        files["bin/store-mcp"] = f'#!/bin/sh\ncd {server.project} && exec {sys.executable} -m store_mcp "$@"\n'
        if name in INSTALLED:
            files[INSTALLED[name]] = server("completion", name).stdout
        for path, text in files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text, encoding="utf-8")
        command.chmod(0o755)
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [name, "-i"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.folder,
            env={
                "HOME": str(home),
                "PATH": f"{command.parent}:{os.environ['PATH']}",
                "TERM": "xterm",
                "LANG": "C.UTF-8",
            },
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self._until_prompt()

    def run(self, typed: str) -> str:
        """Type keys and Enter, and return what the terminal shows until the next prompt."""
        os.write(self._ours, f"{typed}\r".encode())
        return self._until_prompt()

    def _until_prompt(self) -> str:
        shown = b""
        while not shown.endswith(PROMPT.encode()) and PROMPT.encode() not in shown[-200:]:
            assert select.select([self._ours], [], [], 60)[0], shown.decode(errors="replace")
            shown += os.read(self._ours, 65536)
        return shown.decode(errors="replace")

    def close(self) -> None:
        os.close(self._ours)
        self._process.wait(60)


@pytest.fixture(params=["bash", *(pytest.param(each, marks=pytest.mark.slow) for each in ("fish", "zsh"))])
def terminal(request: pytest.FixtureRequest, server: Shell, tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    Api.seen.clear()
    terminal = Terminal(request.param, server, tmp_path)
    yield terminal
    terminal.close()


def test_a_value_is_one_word_for_the_shell(terminal: Terminal) -> None:
    """Complete each value and press Enter: nothing else runs, and the API gets the value as the document has it."""
    for name, value in zip(ENUMS, VALUES, strict=False):
        shown = terminal.run(f"store-mcp call list_orders --{name} \t")
        is_left_out = terminal.name == "fish" and value.startswith("~")
        assert _asked() == ({} if is_left_out else {name: [value]}), shown
    assert not list(terminal.folder.iterdir())


def test_a_value_that_a_terminal_does_not_show_is_left_out(terminal: Terminal) -> None:
    for index, value in enumerate(LEFT_OUT):
        shown = terminal.run(f"store-mcp call list_orders --w{index} \t")
        assert f"--w{index} needs a value." in shown, (value, shown)
    assert not _asked()


def test_a_value_that_was_begun_is_completed(terminal: Terminal) -> None:
    """Complete a value of which a blank is already typed, with the quoting that completion itself writes."""
    shown = terminal.run("store-mcp call list_orders --state in\\ s\t")
    assert _asked() == {"state": ["in stock; soon"]}, shown


def test_an_unknown_shell_is_refused(server: Shell) -> None:
    assert server("completion", "tcsh").returncode == 2


def _asked() -> dict[str, list[str]]:
    """Return the query of the only request since the last call, {} if there was none."""
    assert len(Api.seen) <= 1
    return parse_qs(urlsplit(Api.seen.pop().removeprefix("GET ")).query) if Api.seen else {}
