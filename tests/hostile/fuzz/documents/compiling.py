"""Compile one document in a child process with limits, and judge how the process ended.

The child is forked from a parent that has imported everything, so that a document costs milliseconds. The kernel limits
the child (setrlimit(2)) and counts its work, so a compile that never ends costs only the child.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple, NoReturn

from mcpgen.cli import COMMANDS, main
from tests.hostile.fuzz.documents.grammar import Hostile
from tests.hostile.pace import paced

SECONDS = 60
MIB = 2**20
MOST_MEMORY = 1024 * MIB
"""Limit on the memory in bytes beyond what the parent process uses.

The limit is promised for documents of up to 1 MB, the largest that the grammar makes.
"""

DOCUMENTED = (0, 1, 2)
"""Exit codes that the README lists, without 3. That code means that another run writes to the project, which cannot
happen here.
"""

WELL = b'{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"get": {}}}}'
ASKED = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"c","version":"1"}}}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
)

Command = tuple[str, ...]
COMMANDS_OF_A_DOCUMENT: dict[Command, int] = {
    ("inspect", "NAME", "--format", "json"): 32,
    ("generate", "NAME", "-o", "out"): 8,
    ("diff", "before.json", "NAME"): 5,
    ("diff", "NAME", "NAME"): 5,
    ("check", "NAME"): 1,
}
"""Command line → how often it is chosen. `check` also runs openapi-spec-validator, which may take 20 seconds."""


class Ended(NamedTuple):
    """End of a compile: exit code (negative for a signal), CPU seconds, peak memory in MiB, output."""

    code: int
    seconds: float
    memory: int
    said: str
    served: str = ""
    """A sentence on what is wrong with the compiled server, or ""."""


def command_for(chance: Random, case: Hostile) -> Command:
    """Return a random command line for a document."""
    chosen = chance.choices(list(COMMANDS_OF_A_DOCUMENT), list(COMMANDS_OF_A_DOCUMENT.values()))[0]
    return (*(case.name if word == "NAME" else word for word in chosen), *case.flags)


def problem_of(ended: Ended) -> str:
    """Return a sentence that says what is wrong with how a compile ended, or "" if nothing is."""
    if ended.code not in DOCUMENTED:
        return f"exit code {ended.code}"
    if "Traceback" in ended.said:
        return "a traceback"
    if ended.code == 2 and "error" not in ended.said:
        return "no sentence about a failure"
    return ended.served


def import_all() -> None:
    """Import everything that a command may import, so that no child process has to do it again."""
    for name in COMMANDS:
        importlib.import_module(f"mcpgen.cli.{name}")
    for command in COMMANDS_OF_A_DOCUMENT:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _silence():
            Path("NAME").write_bytes(b"# YAML\n" + WELL)
            Path("before.json").write_bytes(WELL)
            with contextlib.suppress(SystemExit):
                main(list(command))


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
        yield


def run(
    case: Hostile, command: Command, seconds: int = SECONDS, others: Mapping[str, bytes] = MappingProxyType({})
) -> Ended:
    """Run a command on a document and `others`, further files, in a child process, in a folder without other files.

    Then start the generated server and ask for its tools.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, data in {"before.json": WELL, **others, case.name: case.data}.items():
            (folder / path).write_bytes(data)
        most_seconds = paced(seconds)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _be_child(folder, command, most_seconds)
        _, status, usage = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        said = (folder / "2.txt").read_text(encoding="utf-8", errors="replace")
        if code == 2:  # with `--format json` the output must be JSON
            said += (folder / "1.txt").read_text(encoding="utf-8", errors="replace")
        served = _problem_of_server(folder / "out") if code == 0 and command[0] == "generate" else ""
    return Ended(code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, said, served)


def _be_child(folder: Path, command: Command, seconds: int) -> NoReturn:
    code = 70
    try:
        os.chdir(folder)
        for number in (1, 2):
            os.dup2(os.open(f"{number}.txt", os.O_WRONLY | os.O_CREAT, 0o600), number)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        main(list(command))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _problem_of_server(project: Path) -> str:
    """Start the server of a project, and ask for its tools. Return a sentence that says what is wrong, or ""."""
    package = next(project.glob("*_mcp")).name
    command = [sys.executable, "-m", package]
    done = subprocess.run(command, cwd=project, input=ASKED, capture_output=True, text=True, check=False)
    try:
        answers = [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        answers = []
    if done.returncode == 0 and [answer["id"] for answer in answers if "result" in answer] == [1, 2]:
        return ""
    return f"the server that was compiled ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}"
