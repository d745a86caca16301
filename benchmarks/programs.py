"""Measure the tool `run_program`, which runs programs that a model writes.

The results are how often random programs do something forbidden (such as opening a file), how many mistakes are found
before a request is sent, and how much slower other calls are while a program runs.

    python -m benchmarks.programs [--fuzzed 10000] [--mistaken 2000] [--seconds 3]

For each program, other calls are timed five times, for `--seconds` without the program and for `--seconds` with it. The
median counts. `pytest tests/functional/test_programs_over_http.py -k five_hundred` counts how many waiting programs
continue in another process.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import tempfile
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "templates")]

from benchmarks.bars import Bar, show  # noqa: E402
from benchmarks.promises.session import Session, session  # noqa: E402
from tests.functional.orders_api import Api, generated  # noqa: E402
from tests.hostile.programs import CONFIRMED, Fuzz, told_first  # noqa: E402
from tests.hostile.subject import compiled  # noqa: E402
from tests.hostile.test_programs import QUICK, Port, fuzzed  # noqa: E402
from tests.runtime.upstream import OK, Connection, serving  # noqa: E402
from tests.streamable.servers import Server  # noqa: E402

TOOLS = """
mcpgen: 1
server: {tools: search, programs: all}
base_url: https://api.example.com/api/v1
tools:
  - name: get_case
    request: GET /case
    parameters: [{name: n, in: query, schema: {type: integer}}]
  - name: list_cases
    request: GET /cases
  - name: remove_case
    request: DELETE /case/{n}
    confirm: always
    parameters: [{name: n, in: path, required: true, schema: {type: integer}}]
"""
HEAVY = {
    "an endless loop": "while True:\n    pass",
    "an allocation without end": "x = []\nwhile True:\n    x.append('a' * 100000)",
    "an endless recursion": (
        "def f(n):\n    return f(n + 1)\nwhile True:\n    try:\n        f(0)\n    except RecursionError:\n        pass"
    ),
}
LARGE = {
    "a value of 20,000 rows": "[{'a': n, 'b': str(n)} for n in range(20000)]",
    "an answer of 20,000 rows": "len(list_cases())",
    "a question with 20,000 rows held": "x = [{'a': n, 'b': str(n)} for n in range(20000)]\nremove_case(1)\nx",
}
"""Programs whose result, call or question takes time in the server itself, because large values are handed over."""

ROWS = json.dumps([{"a": number, "b": str(number)} for number in range(20_000)]).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(ROWS), ROWS)

AT_ONCE, ROUNDS = 4, 5


def fuzz_and_mistakes(folder: Path, fuzz: int, mistakes: int) -> list[Bar]:
    """Let the tool `run_program` run random programs, and programs with a mistake.

    Return the number of forbidden actions of the random programs, and the share of mistakes that are reported before a
    request is sent.
    """
    api = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    (folder / "reached").mkdir()
    with contextlib.redirect_stderr(None), contextlib.redirect_stdout(None):
        project = generated(folder, api.server_port, name="caller", more=CONFIRMED)
    with Server(project, Port(api.server_port), "aiohttp", QUICK) as server:
        tried: Fuzz = fuzzed(server, folder / "reached", fuzz)
        told, others = told_first(server, mistakes)
    api.shutdown()
    api.server_close()
    print(f"{fuzz} programs: {dict(tried.outcomes)}; wrong: {tried.wrong[:5]}")
    print(f"{mistakes} mistakes; not told first: {dict(others)}")
    return [
        Bar(
            f"writes without a yes, requests outside the table, files, sockets, secrets, of {fuzz}",
            len(tried.wrong),
            "<=",
            0,
        ),
        Bar(f"mistakes told before the first request, %, of {mistakes}", 100 * told / mistakes, ">=", 95),
    ]


async def beside(folder: Path, seconds: float) -> list[Bar]:
    """Measure how much slower ordinary calls are while the tool `run_program` runs a program that needs much CPU time
    or memory, or has large values.

    Return the ratio of the calls' 99th percentiles with and without the program.
    """
    source = folder / "beside.tools.yaml"
    source.write_text(TOOLS)
    project = await asyncio.to_thread(compiled, folder, source)
    bars = []
    async with serving(_play) as upstream, session(project, upstream.port) as server:
        await server.call("run_program", code="1")
        await _percentile(server, 1)
        for what, code in {**HEAVY, **LARGE}.items():
            rounds = [
                (await _percentile(server, seconds), await _percentile(server, seconds, code)) for _ in range(ROUNDS)
            ]
            alone, ratio = statistics.median(each for each, _ in rounds), statistics.median(b / a for a, b in rounds)
            bars.append(
                Bar(
                    f"99th percentile beside {what}, times alone ({alone:.1f} ms)",
                    ratio,
                    "<=",
                    2,
                )
            )
    return bars


async def _play(connection: Connection) -> None:
    while request := await connection.request():
        await connection.send(ANSWER if request.startswith(b"GET /api/v1/cases ") else OK)


async def _percentile(server: Session, seconds: float, code: str = "") -> float:
    """Return the 99th percentile of the duration of ordinary calls, in milliseconds, while `run_program` runs `code`
    again and again.

    If `code` is "", no program runs.
    """
    until = time.perf_counter() + seconds
    calls = [asyncio.ensure_future(_ordinary(server, until)) for _ in range(AT_ONCE)]
    while code and time.perf_counter() < until:
        await server.call("run_program", code=code)
    found = sorted(taken for each in await asyncio.gather(*calls) for taken in each)
    return found[len(found) * 99 // 100]


async def _ordinary(server: Session, until: float) -> list[float]:
    found = []
    while time.perf_counter() < until:
        began = time.perf_counter()
        assert not (await server.call("get_case", n=1))["isError"]
        found.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(0.005)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fuzzed", type=int, default=10_000)
    parser.add_argument("--mistaken", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bars = asyncio.run(beside(Path(folder), options.seconds))
        if options.fuzzed:
            bars += fuzz_and_mistakes(Path(folder), options.fuzzed, options.mistaken)
    print()
    return show(bars)


if __name__ == "__main__":
    sys.exit(main())
