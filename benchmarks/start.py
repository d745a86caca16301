"""Start: how long a host waits for the first list of tools, and for the first call, after it spawned a server.

    python -m benchmarks.start [--rounds N]

Interleaved in one run: bare Python, the generated petstore server by console script and by `python -m`, and FastMCP's
`from_openapi` on the same document. Both servers answer the same handshake, call the same API, and hold compiled
bytecode. Memory is the peak of the process up to that moment. Bars: DESIGN, section 3, *Start*.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bars import Bar, show
from mcpgen.demo import petstore
from tests.interop import environments
from tests.interop.environments import ROOT

PROJECT = ROOT / "generated" / "petstore"
DOCUMENT = ROOT / "specs" / "petstore.openapi.yaml"
FASTMCP = ("fastmcp>=4.1,<5", "pyyaml>=6,<7")
PEER = """
import os, yaml, httpx2 as httpx
from fastmcp import FastMCP
document = yaml.safe_load(open(os.environ["DOCUMENT"], encoding="utf-8"))
client = httpx.AsyncClient(base_url=os.environ["BASE_URL"], headers={"X-API-Key": "demo-key"})
FastMCP.from_openapi(openapi_spec=document, client=client).run(show_banner=False)
"""
HANDSHAKE = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


@dataclass(frozen=True, slots=True)
class Sample:
    """Seconds from spawn to the answer, and the peak memory of the process then, in MiB."""

    seconds: float
    memory: float = 0.0


@dataclass(frozen=True, slots=True)
class Subject:
    """A server under test: how it is started, and what its tool for one pet is called."""

    name: str
    command: tuple[str, ...]
    directory: Path
    variables: Mapping[str, str]
    tool: str

    def until(self, *messages: object, last_id: int) -> Sample:
        """Spawn, send `messages` at once, and wait for the answer to `last_id`."""
        lines = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
        started = time.perf_counter()
        process = subprocess.Popen(
            self.command,
            cwd=self.directory,
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **self.variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(lines)
            process.stdin.flush()
            for line in process.stdout:
                if json.loads(line).get("id") == last_id:
                    return Sample(time.perf_counter() - started, _peak(process.pid))
            raise RuntimeError(f"{self.name} ended without an answer")
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


def _peak(pid: int) -> float:
    """VmHWM in MiB, 0 where there is no /proc."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def _bare(python: Path) -> Callable[[], Sample]:
    def run() -> Sample:
        started = time.perf_counter()
        subprocess.run([str(python), "-c", "pass"], check=True)
        return Sample(time.perf_counter() - started)

    return run


def _subjects(url: str) -> tuple[Path, list[Subject]]:
    seen = hashlib.sha256()
    for path in sorted(path for path in PROJECT.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        seen.update(path.read_bytes())
    ours = environments.python("bench-server", str(PROJECT), digest=seen.hexdigest()) / "bin"
    peer = environments.python("bench-fastmcp", *FASTMCP) / "bin"
    own = {"PETSTORE_BASE_URL": url, "PETSTORE_API_KEY": petstore.API_KEY, "PETSTORE_BEARER": petstore.TOKEN}
    their = {"DOCUMENT": str(DOCUMENT), "BASE_URL": url}
    return ours / "python", [
        Subject("console script", (str(ours / "petstore-mcp"),), ROOT, own, "get_pet"),
        Subject("python -m", (str(ours / "python"), "-m", "petstore_mcp"), ROOT / "benchmarks", own, "get_pet"),
        Subject("FastMCP", (str(peer / "python"), "-c", PEER), ROOT, their, "getPet"),
    ]


def measure(rounds: int) -> dict[str, list[Sample]]:
    """Samples by case, taken in turns: one of each case, then the next of each."""
    with petstore.serve() as api:
        python, subjects = _subjects(api.url)
        cases: dict[str, Callable[[], Sample]] = {"bare": _bare(python)}
        for subject in subjects:
            call = {
                "jsonrpc": "2.0",
                "id": 3,
                "method": "tools/call",
                "params": {"name": subject.tool, "arguments": {"petId": 1}},
            }
            cases[f"list: {subject.name}"] = lambda s=subject: s.until(*HANDSHAKE, LIST, last_id=2)  # type: ignore[misc]
            cases[f"call: {subject.name}"] = lambda s=subject, c=call: s.until(*HANDSHAKE, c, last_id=3)  # type: ignore[misc]
        samples: dict[str, list[Sample]] = {name: [] for name in cases}
        for turn in range(rounds + 1):
            for name, case in cases.items():
                sample = case()
                if turn:  # the first turn warms the caches of the file system
                    samples[name].append(sample)
        return samples


def report(samples: dict[str, list[Sample]]) -> list[Bar]:
    """The samples, printed as a table, and the bars; a ratio is of medians."""

    def seconds(name: str) -> float:
        return statistics.median(sample.seconds for sample in samples[name])

    def memory(name: str) -> float:
        return statistics.median(sample.memory for sample in samples[name])

    print(f"{'case':24} {'median ms':>10} {'fastest':>9} {'slowest':>9} {'peak MiB':>9}")
    for name, taken in samples.items():
        times = [sample.seconds * 1000 for sample in taken]
        print(f"{name:24} {statistics.median(times):10.1f} {min(times):9.1f} {max(times):9.1f} {memory(name):9.1f}")
    print()
    ours, peer = "console script", "FastMCP"
    return [
        Bar("first list by console script / bare Python", seconds(f"list: {ours}") / seconds("bare"), "<=", 2.5),
        Bar("first list by python -m / bare Python", seconds("list: python -m") / seconds("bare"), "<=", 3.0),
        Bar("FastMCP's first list / ours", seconds(f"list: {peer}") / seconds(f"list: {ours}"), ">=", 40.0),
        Bar("FastMCP's first call / ours", seconds(f"call: {peer}") / seconds(f"call: {ours}"), ">=", 5.0),
        Bar("memory at the first list, of FastMCP's", memory(f"list: {ours}") / memory(f"list: {peer}"), "<=", 0.15),
        Bar("memory after a call, of FastMCP's", memory(f"call: {ours}") / memory(f"call: {peer}"), "<=", 0.42),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    return show(report(measure(parser.parse_args().rounds)))


if __name__ == "__main__":
    sys.exit(main())
