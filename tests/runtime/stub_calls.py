"""Replacement for `runtime/calls/execution.py` in tests of the server process: its tools need no API."""

from __future__ import annotations

import asyncio
import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

Result = importlib.import_module("..core.wire_formats", __package__).Result
KeptResults = importlib.import_module("..result.result_store", __package__).KeptResults


def _say(word: str) -> None:
    os.write(2, f"{word}\n".encode())


class ToolExecutor:
    """Fake ToolExecutor, whose tools need no API."""

    hooked = False

    def __init__(self, catalog: Any, settings: Any, handles: Any = None) -> None:
        self.lasting = SimpleNamespace(record=None)
        self.resources = KeptResults(1000)
        self.resources.begin("mirror://result/1", "text/plain", True)
        self.resources.add("mirror://result/1", b"kept")
        _say("loaded")

    def report(self) -> None:
        """Do nothing: this fake has no problems to report."""

    async def call(
        self, name: str, arguments: dict[str, Any], report: Callable[[str], None], dialogue: Any, ask: Any
    ) -> Any:
        """Run a tool. `wait` never ends.

        `echo` returns its argument `text` after some turns of the event loop; the number depends on the text.
        """
        if arguments.get("text") == "ask":
            return Result.text(repr(await ask("May I?")))
        if name == "wait":
            return await self._wait(report)
        text = arguments.get("text", "")
        if text in ("print", "break", "exit", "cancel"):
            return getattr(self, f"_{text}")()
        for _ in range(hash(text) % 7):
            await asyncio.sleep(0)
        return Result.text(text)

    async def _wait(self, report: Callable[[str], None]) -> Any:
        report("sent")
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            _say("cancelled")
            raise

    def _print(self) -> Any:
        print("a print")
        os.write(1, b"a library in C\n")
        child = "import sys; print('a child'); sys.stderr.write(repr(sys.stdin.read()))"
        return Result.text(
            subprocess.run([sys.executable, "-c", child], stderr=subprocess.PIPE, check=True).stderr.decode()
        )

    def _break(self) -> Any:
        raise RuntimeError("text that may hold secrets")

    def _exit(self) -> Any:
        raise SystemExit(3)

    def _cancel(self) -> Any:
        raise asyncio.CancelledError
