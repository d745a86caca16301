"""Measure REL-08 and REL-10: `mcpgen generate`, if killed, leaves the old or the new project, and of several processes
that generate a project, only one writes at a time.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, Process
from collections import Counter
from pathlib import Path

from benchmarks.bars import Bar

Contents = dict[str, bytes]
_TOOLS = 40


async def killed(_project: Path, runs: int = 200, seed: int = 8) -> list[Bar]:
    """Measure REL-08: kill (SIGKILL), at a random time, a run that rewrites a project in which the user has files too.

    Count projects that are then neither the old nor the new one, and those that the next run does not complete.
    """
    chance, seen = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        home = _Home(Path(folder))
        await home.generate(0)
        home.live_in()
        inode = home.target.stat().st_ino
        for number in range(1, runs + 1):
            old = home.contents()
            await _kill_while_it_writes(home, await home.started(number), chance)
            moved, found = home.target.stat().st_ino != inode, home.contents()
            code, new = await home.generate(number), home.contents()
            whole = "old" if found == old else "new" if found == new else "a mix"
            seen[whole] += 1
            seen["between the exchanges"] += moved
            seen["not mended"] += code != 0 or home.left() != [] or home.target.stat().st_ino != inode
    print(f"{runs} runs killed: {dict(seen)}")
    return [
        Bar(f"REL-08 projects that were a mix, of {runs}", seen["a mix"], "<=", 0),
        Bar(f"REL-08 projects that the next run left unmended, of {runs}", seen["not mended"], "<=", 0),
    ]


async def at_once(_project: Path, rounds: int = 100) -> list[Bar]:
    """Measure requirement REL-10: two concurrent runs of `mcpgen generate` over a project or an empty directory.

    Count results that are neither those of one run nor those of both runs, one after the other.
    """
    seen = Counter[str]()
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            home = _Home(Path(folder))
            first = [0] if number % 2 else []
            for each in first:
                await home.generate(each)
            codes = sorted(await asyncio.gather(home.generate(1), home.generate(2)))
            found, left = home.contents(), home.left()
            possible = [[*first, 1], [*first, 2]] if codes == [0, 3] else [[*first, 1, 2], [*first, 2, 1]]
            seen[f"ended with {codes}"] += 1
            seen["wrong"] += left != [] or codes not in ([0, 3], [0, 0]) or found not in await _each(home, possible)
    print(f"{rounds} times two runs: {dict(seen)}")
    return [Bar(f"REL-10 results that are not of one run, of {rounds}", seen["wrong"], "<=", 0)]


async def _each(home: _Home, possible: list[list[int]]) -> list[Contents]:
    """Run `mcpgen generate` in each of the possible orders, and return the contents of the project after each order.

    `possible`: for each order, the numbers of the tools files.
    """
    made = []
    for runs in possible:
        home.target = home.folder / "-".join(map(str, runs))
        for each in runs:
            await home.generate(each)
        made.append(home.contents())
    return made


class _Home:
    """A folder with tools files for several versions of a server, and the server's project."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.target = folder, folder / "out"

    async def started(self, number: int) -> Process:
        source = self.folder / f"{number}.yaml"
        tools = "".join(
            f"  - {{name: tool_{each}, description: In version {number}., request: GET /{number}/{each}}}\n"
            for each in range(number, number + _TOOLS)
        )
        source.write_text(f"mcpgen: 1\nserver: {{name: t}}\nbase_url: https://t.example\ntools:\n{tools}")
        command = [sys.executable, "-m", "mcpgen", "generate", str(source), "-o", str(self.target)]
        return await asyncio.create_subprocess_exec(*command, stdout=DEVNULL, stderr=DEVNULL)

    async def generate(self, number: int) -> int:
        return await (await self.started(number)).wait()

    def live_in(self) -> None:
        for path in (".git/HEAD", "tests/test_it", "t_mcp/own/notes", "notes", "t_mcp/hooks.py"):
            (self.target / path).parent.mkdir(exist_ok=True)
            (self.target / path).write_text("# mine\n")

    def contents(self) -> Contents:
        """Return a mapping from path to bytes of the project's files. Links are followed."""
        found = {}
        for folder, _, names in os.walk(self.target, followlinks=True):
            for name in names:
                path = Path(folder, name)
                found[path.relative_to(self.target).as_posix()] = path.read_bytes()
        return found

    def left(self) -> list[str]:
        """Return the names of temporary files and folders of mcpgen (`.mcpgen-*`), beside the project and in it."""
        return [path.name for path in (*self.folder.iterdir(), *self.target.iterdir()) if path.name[:8] == ".mcpgen-"]


async def _kill_while_it_writes(home: _Home, process: Process, chance: random.Random) -> None:
    """Kill a process of mcpgen: in three of four cases shortly after it began to write, otherwise at a random time."""
    begun = time.perf_counter()
    if chance.random() < 0.75:
        while process.returncode is None and not home.left():
            await asyncio.sleep(0)
        begun = time.perf_counter()
        patience = chance.uniform(0, 0.1)
    else:
        patience = chance.uniform(0, 1.0)
    while process.returncode is None and time.perf_counter() - begun < patience:
        await asyncio.sleep(0)
    if process.returncode is None:
        process.send_signal(signal.SIGKILL)
    await process.wait()
