"""Measure what telemetry costs: `python -m benchmarks.telemetry [--against FOLDER]`.

The CPU time of a small call is measured in turns for each setting. It includes the thread that encodes and sends
telemetry, and the time in the kernel. Valgrind counts the instructions of the process, on which noise has no effect.
`--against` names a checkout of mcpgen: its server is compared with ours when telemetry is off.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.speed import api, upstream
from benchmarks.speed.pipe import Client, shake_hands
from benchmarks.speed.process import HANDSHAKE, LIST, LIST_ID, Process, Subject

ROOT = Path(__file__).parents[1]
ON_BAR, OFF_BAR = 1.08, 1.01
FEW, MANY = 200, 1700
WARM = 1500
"""Number of calls before CPU time is measured. During these calls, the sending thread loads its library."""

ROUNDS = 7
TURNS, CALLS = 100, 250
ONE_CORE = ("taskset", "-c", "0")
"""A server over HTTP never polls on one core, and the instructions of a poll depend on the machine's speed."""

COUNT = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
OFF: dict[str, str] = {}


def generate(compiler: Path, folder: Path) -> Path:
    """Generate the measured server with the compiler in the checkout `compiler`, and return its folder."""
    document, out = folder / "bench.json", folder / "server"
    folder.mkdir(parents=True, exist_ok=True)
    document.write_text(json.dumps(api.document()), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mcpgen",
        "generate",
        "--parts",
        "all",
        str(document),
        "-o",
        str(out),
        "--name",
        "bench",
    ]
    environment = {**os.environ, "PYTHONPATH": str(compiler)}
    subprocess.run(command, cwd=compiler, env=environment, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(out)], check=True)
    return out


def subject(server: Path, url: str, more: dict[str, str]) -> Subject:
    """Return our server with additional settings."""
    told = {"BENCH_BASE_URL": url, "BENCH_API_KEY": api.KEY, "PYTHONHASHSEED": "0"}
    return Subject("bench", (sys.executable, "-m", "bench_mcp"), told | more, server)


def over_stdio(size: str, calls: int, server: Subject) -> None:
    """Start a server, list its tools, make `calls` calls one after another, and end the server."""
    with Process(server) as running:
        running.write(HANDSHAKE + LIST)
        running.until(LIST_ID)
        if calls:
            Client(running, api.calls()[size]).flow(calls, 1)
        running.end()


def instructions(server: Subject, use: Callable[[Subject], None]) -> int:
    """Return the number of instructions of a server's process, which `use` starts and ends."""
    with tempfile.NamedTemporaryFile("r") as log:
        use(replace(server, command=(*ONE_CORE, *COUNT, f"--log-file={log.name}", *server.command)))
        found = re.search(r"I\s+refs:\s+([\d,]+)", log.read())
        assert found is not None, "valgrind counted nothing"
        return int(found[1].replace(",", ""))


def per_call(server: Subject, use: Callable[[str, int, Subject], None] = over_stdio, size: str = "small") -> float:
    """Return the number of instructions for one call. `use`: as `over_stdio`."""
    few, many = (instructions(server, partial(use, size, number)) for number in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def milliseconds(server: Path, url: str, settings: dict[str, dict[str, str]]) -> dict[str, float]:
    """Return the CPU time of a call in milliseconds for each setting.

    The servers for all settings stay started, and are called in turn in short rounds. So noise affects all alike.
    """
    with ExitStack() as stack:
        running = {name: stack.enter_context(Process(subject(server, url, more))) for name, more in settings.items()}
        clients = {}
        for name, process in running.items():
            shake_hands(process)
            clients[name] = Client(process, api.calls()["small"])
            clients[name].flow(WARM, 1)
        before = {name: process.cpu() for name, process in running.items()}
        for _ in range(TURNS):
            for client in clients.values():
                client.flow(CALLS, 1)
        return {name: (process.cpu() - before[name]) / (TURNS * CALLS) * 1000 for name, process in running.items()}


def memory(server: Path, more: dict[str, str]) -> float:
    """Return the memory in KiB that a server uses after its first list of tools."""
    found = []
    for _ in range(ROUNDS):
        with Process(subject(server, "http://127.0.0.1:9", more)) as running:
            running.write(HANDSHAKE + LIST)
            running.until(LIST_ID)
            found.append(running.resident())
    return statistics.median(found)


@contextmanager
def collecting() -> Iterator[str]:
    """Run a telemetry collector in a process of its own, and yield its URL."""
    command = [sys.executable, "-m", "benchmarks.collector_sink"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.kill()


def main(against: Path | None) -> int:
    """Print the results, and return the exit code: 1 if a limit is not met."""
    with tempfile.TemporaryDirectory(prefix="mcpgen-telemetry-") as name, collecting() as collector:
        server = generate(ROOT, Path(name) / "now")
        met = True
        with upstream.serving(api.bodies(), upstream.kinds()[0]) as served:
            usual = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector}
            settings = {"off": OFF, "traces and metrics": usual, "/metrics alone": {"BENCH_METRICS": f"{name}/m.prom"}}
            counted = {each: per_call(subject(server, served.url, more)) for each, more in settings.items()}
            taken = milliseconds(server, served.url, settings)
            for each, number in counted.items():
                ratio, seconds = number / counted["off"], taken[each] / taken["off"]
                told = f"{number:,.0f} instructions of its own ({ratio:.3f})"
                print(f"{each}: {taken[each]:.4f} ms CPU a call ({seconds:.3f}; bar {ON_BAR}), {told}")
                met = met and seconds <= ON_BAR
            if against is not None:
                before = generate(against, Path(name) / "before")
                measures: dict[str, Callable[[Path], float]] = {
                    "instructions of the start": lambda it: instructions(
                        subject(it, "http://127.0.0.1:9", OFF), partial(over_stdio, "small", 0)
                    ),
                    "instructions of a call": lambda it: per_call(subject(it, served.url, OFF)),
                    "KiB after the first list": lambda it: memory(it, OFF),
                }
                for what, measure in measures.items():
                    met = _compared(what, before, server, measure) and met
    return int(not met)


def _compared(what: str, before: Path, now: Path, measure: Callable[[Path], float]) -> bool:
    earlier, later = measure(before), measure(now)
    print(f"off, {what}: {earlier:,.0f} before, {later:,.0f} now ({later / earlier:.4f}; bar {OFF_BAR})")
    return later / earlier <= OFF_BAR


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="a checkout of mcpgen to compare with")
    sys.exit(main(parser.parse_args().against))
