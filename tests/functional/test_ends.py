"""Test how commands end after a signal or with a closed pipe: no traceback, no process or file left behind."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main, signals
from mcpgen.demo.client import Client
from mcpgen.regenerate.publish import staging

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
MORE_THAN_A_PIPE_HOLDS = b"# nothing\n" * 50_000
PATIENCE = 120


@pytest.fixture(autouse=True)
def _signals_are_heard() -> Iterator[None]:
    """Set SIGINT and SIGHUP to their defaults during a test, since a shell or `nohup` may have started the tests with
    both ignored.
    """
    ignored = {number: signal.getsignal(number) for number in NUMBERS if signal.getsignal(number) is signal.SIG_IGN}
    for number in ignored:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield
    for number, handler in ignored.items():
        signal.signal(number, handler)


@contextlib.contextmanager
def started(temporary: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environ = {"PATH": os.environ["PATH"], "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "mcpgen", *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=environ, preexec_fn=_heard, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def _heard() -> None:
    """Reset the signals in NUMBERS to their defaults in the child process. A parent of the tests, such as `nohup`, may
    ignore them.
    """
    for number in NUMBERS:
        signal.signal(number, signal.SIG_DFL)


def ended(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to a process. Check that it ends with exit code 128 + `number`, no error output and no child left.

    If a child is left, the check never ends, because the child keeps the output streams open.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    process.send_signal(number)
    process.stdout.read()
    assert process.stderr.read() == b""
    assert process.wait(PATIENCE) == 128 + number


def told_until_it_hears(process: subprocess.Popen[bytes], number: int) -> None:
    """Send the signal repeatedly until the process ends.

    One signal may not be enough. If it arrives between two system calls of one `read(size)`, CPython only records the
    signal, and the next system call blocks. A further signal interrupts this call.
    """
    assert process.stderr is not None
    for _ in range(100):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            assert process.wait(0.3) == 128 + number
            break
    assert process.stderr.read() == b""


@pytest.mark.parametrize("number", NUMBERS)
def test_run_is_told_to_end(tmp_path: Path, number: int) -> None:
    with started(tmp_path, "run", str(ROOT / "specs" / "station.tools.yaml")) as process:
        assert Client(process).request("server/discover")
        assert list(tmp_path.iterdir()) != []
        ended(process, number)
    assert list(tmp_path.iterdir()) == []


HEADLINES = {"compiled": b"1. ", "serving": b"3. "}
READING = {
    "generate": ["generate", "-", "-o"],
    "check": ["check", "-", "--name"],
    "inspect": ["inspect", "-", "--name"],
}


def each_once(names: Iterable[str]) -> list[Any]:
    """Return all pairs of a test parameter (one of `names`) and a signal. In a quick run, each parameter is tried with
    one signal only.
    """
    quick = set(zip(names, NUMBERS, strict=False))
    pairs = itertools.product(names, NUMBERS)
    return [pytest.param(*pair, marks=() if pair in quick else pytest.mark.slow) for pair in pairs]


@pytest.mark.parametrize(("headline", "number"), each_once(HEADLINES))
def test_the_demo_is_told_to_end(tmp_path: Path, headline: str, number: int) -> None:
    with started(tmp_path, "demo") as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith(HEADLINES[headline]):
            pass
        ended(process, number)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("command", "number"), each_once(READING))
def test_a_command_is_told_to_end_while_it_reads(tmp_path: Path, command: str, number: int) -> None:
    with started(tmp_path, *READING[command], str(tmp_path / "out")) as process:
        assert process.stdin is not None
        # more than a pipe holds, so `write` returns only once the command is reading
        process.stdin.write(MORE_THAN_A_PIPE_HOLDS)
        told_until_it_hears(process, number)
    assert list(tmp_path.iterdir()) == []


def code_of(*arguments: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return end.value.code


def test_what_is_being_published_is_published_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, before = staging._write, signal.getsignal(signal.SIGINT)

    def told(place: Path, data: bytes) -> None:
        signal.raise_signal(signal.SIGINT)
        write(place, data)

    monkeypatch.setattr(staging, "_write", told)
    assert code_of("generate", str(PETSTORE), "-o", str(tmp_path / "out")) == 130
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    before_again = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert code_of("generate", str(PETSTORE), "-o", str(tmp_path / "out")) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before_again
    assert signal.getsignal(signal.SIGINT) is before


def test_only_the_first_signal_is_raised_and_an_ignored_one_stays_ignored() -> None:
    def run() -> None:
        with signals.obeyed():
            signal.raise_signal(signal.SIGHUP)
            try:
                signal.raise_signal(signal.SIGTERM)
            finally:
                signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with pytest.raises(signals.StoppedBySignal) as stopped:
            run()
    finally:
        signal.signal(signal.SIGHUP, before)
    assert stopped.value.exit_code == 128 + signal.SIGTERM


def test_what_listens_hears_of_a_signal_that_came_before() -> None:
    heard = []

    def run() -> None:
        with signals.obeyed(), signals.held() as stop:
            signal.raise_signal(signal.SIGTERM)
            stop.tell(lambda: heard.append(1))
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(signals.StoppedBySignal):
        run()
    assert heard == [1, 1]


COMMANDS = {
    "inspect": f"inspect {PETSTORE}",
    "json": f"inspect {PETSTORE} --format json",
    "check": f"check {PETSTORE}",
    "generate": f"generate {PETSTORE} -o $TMPDIR/out",
    "unreadable": "check nothing.yaml --format json",
    "misused": "check --format json",
    "help": "--help",
}
STREAMS = {
    "no stdout": (">&-", {0}),
    "no stderr": ("2>&-", {0}),
    "none": ("<&- >&- 2>&-", {0}),
    "full": (">/dev/full", {2}),
    "both full": (">/dev/full 2>&1", {2}),
    "stderr full": ("2>/dev/full", {0}),
    "closed pipe": ("| exec <&-", {0, 1}),  # click itself exits with 1 if it cannot print its help
}


QUICK = {("generate", each) for each in STREAMS} | {(each, "both full") for each in COMMANDS}
"""Pairs (command, streams) for every run: each stream and each command once. All pairs take ten times as long, and are
marked `slow`.
"""


@pytest.mark.parametrize(
    ("command", "streams"),
    [
        pytest.param(*pair, marks=() if pair in QUICK else pytest.mark.slow)
        for pair in itertools.product(COMMANDS, STREAMS)
    ],
)
def test_streams_that_are_missing_full_or_closed(tmp_path: Path, command: str, streams: str) -> None:
    redirected, codes = STREAMS[streams]
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {sys.executable} -m mcpgen {COMMANDS[command]} {redirected}"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode in ({2} if command in ("unreadable", "misused") else codes)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.stderr.count("could not be written to standard output: No space left on device.") == (streams == "full")


@pytest.mark.parametrize(
    "arguments", [["check"], ["check", "x", "--nothing"], ["nothing"], ["generate", "x", "--name"]]
)
@pytest.mark.parametrize("flag", [["--format", "json"], ["--format=json"]])
def test_a_wrong_command_line_is_one_json_document_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str], arguments: list[str], flag: list[str]
) -> None:
    assert code_of(arguments[0], *flag, *arguments[1:]) == 2
    out, err = capsys.readouterr()
    [found] = json.loads(out)["diagnostics"]
    assert found["code"] == "invalid-flag"
    assert found["message"]
    assert err == ""


def test_a_wrong_command_line_is_told_in_words_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of("check", "--nothing", "--", "--format=json") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Usage: mcpgen check" in err
