"""Call tools with thousands of arguments of every shape, for every kind of body.

Each call must be answered within limits on CPU time, memory and the length of the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.hostile.fuzz.limits import MOST_MEMORY, peak, said, serving
from tests.hostile.subject import compiled, playing
from tests.runtime.process import Server
from tests.runtime.upstream import answer_ok

TOOLS = Path(__file__).parents[1] / "work.tools.yaml"
CPU_SECONDS = 60
"""Limit on the CPU seconds of a server for a round of forty calls, each of at most 8 MB."""
LONGEST_LINE = 7_500_000
LONGEST_ANSWER = 40_000
ARGUMENTS = {
    "search": ("filter", "rule", "other"),
    "create": ("tags", "kinds", "more"),
    "save": ("tags", "more"),
    "upload": ("tags", "more"),
    "export": ("tags", "more"),
    "look": ("tags", "more"),
    "get_case": ("n", "other"),
}

Make = Callable[[Random, int], Any]


def _names(chance: Random, count: int) -> dict[str, Any]:
    width = chance.choice((1, 4, 40, 400))
    return {f"{'n' * width}{number}": chance.choice((1, "x", None, [], {})) for number in range(count // width + 1)}


def _nested(chance: Random, count: int) -> Any:
    value: Any = [chance.choice((1, "x", 1.5))] * (count // 4)
    for _ in range(chance.choice((2, 20, 100))):
        value = {chance.choice(("a", "b" * 50, "and", "next")): value} if chance.random() < 0.7 else [value]
    return value


def _objects(chance: Random, count: int) -> Any:
    member: Any = chance.choice(({"a": 0}, {"field": "x"}, {"": []}, {"and": [], "or": []}))
    return [member] * (count // 3)


def _texts(chance: Random, count: int) -> Any:
    letters = chance.choice(("x", "\u00e9", "%41", "&amp;", "\\", "[0]", "\U0001f600", "-a"))
    if chance.random() < 0.5:
        return letters * (count * 10 // len(letters))
    return [letters * chance.choice((1, 20))] * (count // 4)


def _numbers(chance: Random, count: int) -> Any:
    return [chance.choice((1, -1.5, 1e300, 10**30, 0.1))] * count


SHAPES: tuple[Make, ...] = (_names, _nested, _objects, _texts, _numbers)


def case(chance: Random) -> tuple[str, dict[str, Any]]:
    """Return a random tool name and random arguments for the tool."""
    tool = chance.choice(list(ARGUMENTS))
    count = chance.choice((10, 1000, 20_000, 90_000, 400_000))
    if chance.random() < 0.15:
        return tool, _names(chance, count)
    chosen = chance.sample(ARGUMENTS[tool], chance.choice((1, 1, 2)))
    return tool, {name: chance.choice(SHAPES)(chance, count) for name in chosen}


def fuzz(project: Path, seed: int, count: int) -> None:
    """Run `count` calls. Raise AssertionError if one is not answered. `project` is used only by other kinds of fuzz."""
    chance = Random(seed)
    with TemporaryDirectory() as folder, playing(answer_ok) as upstream:
        server = serving(compiled(Path(folder), TOOLS), upstream, CPU_SECONDS)
        with server:
            said(server, "get_case", {"n": 1})
            for number in range(count):
                _one(server, *case(chance), f"call {number} of seed {seed}")


def _one(server: Server, tool: str, arguments: dict[str, Any], where: str) -> None:
    line = json.dumps(arguments)
    if len(line) > LONGEST_LINE:
        return
    before = peak(server)
    text = said(server, tool, arguments)
    where = f"{where}: {tool} with {len(line):,} bytes, {line[:300]}"
    assert text, where
    assert len(text) < LONGEST_ANSWER, where
    assert peak(server) - before < MOST_MEMORY, where
    assert said(server, "get_case", {"n": 1}) == "ok", where
