"""Test the terminal line that shows that a command is still working. It is erased at the end, if it was shown."""

from __future__ import annotations

import contextlib
import io
import threading

import pytest

from mcpgen.cli import report


class Terminal(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        count = super().write(text)
        if count:  # click first writes an empty text to test the stream
            self.written.set()
        return count


def shown_on(terminal: Terminal, *, until_shown: bool) -> str:
    """Return everything that is written to `terminal` while a command works.

    `until_shown`: the work ends only after the line "Compiling" was shown.
    """
    with contextlib.redirect_stderr(terminal), report.progress("Compiling"):
        assert not until_shown or terminal.written.wait(120)
    return terminal.getvalue()


def test_what_takes_long_is_told_and_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = shown_on(Terminal(), until_shown=True)
    assert shown.startswith("\rCompiling … ")
    assert shown.endswith("\r\x1b[K")


def test_where_nothing_was_shown_nothing_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert shown_on(Terminal(), until_shown=False) == ""


def test_a_terminal_that_takes_nothing_back_is_shown_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    before, terminal = threading.active_count(), Terminal()
    with contextlib.redirect_stderr(terminal), report.progress("Compiling"):
        assert threading.active_count() == before
    assert terminal.getvalue() == ""
