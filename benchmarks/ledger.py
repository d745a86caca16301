"""Count the instructions and the copied bytes of each stage of a call.

The first stage sends the request to the API and reads the response. The last stage writes the answer to the client.

    python -m benchmarks.ledger [--against FOLDER]

For each size of a response, as text and as a structured value, the table shows the instructions of each stage, and the
bytes that the stage writes to memory blocks of more than 512 bytes. These are copies of the content, since small
objects live in other blocks. Valgrind counts both (cachegrind, DHAT), so a busy machine does not change the counts.
The table also shows the floor of each stage: the least work that any server does there, such as one parse or one write.

Each stage runs in a fork of a warm process, which calls the runtime's own functions. The stage `socket` sends a request
and reads its response over an open connection; its floor does both with a blocking socket. `--against` names another
checkout of mcpgen, whose runtime is counted as well. Reading the call, its arguments and its request is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
INSTRUCTIONS = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
COPIES = ("valgrind", "-q", "--tool=dhat")
SHOWN = 1_000_000
"""Bytes of a response that a result shows, so that a response is shown whole. A row that is cut has the default."""
SECRETS = ("bench-key-0123456789abcdef", "another$secret=with&signs")
STAGES = ("socket", "decode", "check", "redact", "shape", "redact the result", "validate", "encode", "write")
ANSWERS = {
    "200 B, text": ("small", False, SHOWN),
    "200 B, structured": ("small", True, SHOWN),
    "10 kB, text": ("medium", False, SHOWN),
    "10 kB, structured": ("medium", True, SHOWN),
    "1 MB, text": ("large", False, SHOWN),
    "1 MB, structured": ("large", True, SHOWN),
    "1 MB, text, cut": ("large", False, 32_000),
    "1 MB, structured, cut": ("large", True, 32_000),
}
"""Row of the table → size of the response, whether the tool has an output schema, and how many bytes are shown."""
TIMES = {"small": 64, "medium": 4, "large": 1}
"""How often each stage runs, so that its cost exceeds that of the loop."""
FIRST = ("first of socket", "first of floor of socket")
"""Functions that open a connection for one request. What they cost is no part of the stage that sends more requests."""
API = """
import socket, sys
body = sys.stdin.buffer.read()
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], len(head), flush=True)
while True:
    connection, _ = listener.accept()
    request = b""
    while received := connection.recv(65536):
        request += received
        if request.endswith(b"\\r\\n\\r\\n"):
            connection.sendall(head + body)
            request = b""
"""
"""Program of an API that answers each request with the bytes of its standard input. It prints its port, and the length
of its head.
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Instructions of a stage, and bytes that it writes to large blocks of memory."""

    instructions: float
    copied: float

    def less(self, other: Cost) -> Cost:
        return Cost(self.instructions - other.instructions, self.copied - other.copied)

    def each_of(self, times: int) -> Cost:
        return Cost(self.instructions / times, self.copied / times)

    def __str__(self) -> str:
        return f"{self.instructions:,.0f} / {self.copied:,.0f}"


class Exchanges:
    """Requests to an API in another process, which Valgrind does not count."""

    def __init__(self, load: Callable[[str], Any], body: bytes) -> None:
        self._load = load
        self._api = subprocess.Popen([sys.executable, "-S", "-c", API], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._api.stdin is not None
        assert self._api.stdout is not None
        self._api.stdin.write(body)
        self._api.stdin.close()
        self._port, head = map(int, self._api.stdout.readline().split())
        self._size = head + len(body)

    def send(self, times: int) -> None:
        """Send a request `times` times with the client of the runtime."""
        asyncio.run(self._send(times))

    async def _send(self, times: int) -> None:
        client = self._load("http.client").Client(self._load("settings.settings").Settings("BENCH"), "bench/1")
        request = self._load("request.request").Request("GET", "/")
        address = self._load("text.addresses").parse(f"http://127.0.0.1:{self._port}")
        for _ in range(times):
            response = await client.send(request, address, 60.0)
            assert response.status == 200
            response.close()
        await client.close()

    def send_plainly(self, times: int) -> None:
        """Send a request `times` times with a blocking socket."""
        with socket.create_connection(("127.0.0.1", self._port)) as connection:
            for _ in range(times):
                connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                connection.recv(self._size, socket.MSG_WAITALL)

    def end(self) -> None:
        self._api.kill()
        self._api.wait()


class Stages:
    """The stages of one answer in the runtime below `templates`, and their floors, as functions without arguments."""

    def __init__(self, templates: Path, size: str, structured: bool, shown: int) -> None:
        sys.path[:0] = [str(ROOT), str(templates)]
        from benchmarks.speed import api  # imported here, since this process counts the runtime of another checkout

        self._body, self._typed, self._shown, self._times = api.bodies()[size], structured, shown, TIMES[size]
        name = "package.runtime."
        self._load: Callable[[str], Any] = lambda module: importlib.import_module(name + module)
        self._redactor = self._load("text.redaction").Redactor(SECRETS)
        self._tool = self._load("core.catalog").Tool(
            f"get_{size}", {}, {"path": ["/"], "output": "object"}, output_schema=api.ANSWER if structured else None
        )
        sent = self._load("http.exchange").Sent(self._tool, "GET", "/", [], "bench://result/1")
        self._sent, self._identity = sent, {"name": "bench", "version": "1"}
        self._exchanges = Exchanges(self._load, self._body)

    def functions(self) -> dict[str, Callable[[], object]]:
        """Return the functions by name, each with inputs of its own, since a text that was examined is remembered."""
        sanitize, response, again = self._load("text.sanitize"), self._load("result.response"), self._texts
        plain = self._load("calls.plain_call")
        writer = plain.ResultWriter(self._redactor, None, None, self._shown)
        line = self._line(self._result())
        out = os.open(os.devnull, os.O_WRONLY)

        def redact() -> None:
            call = plain.CallUnderWay(self._tool, {}, plain.unheard, plain.SILENT, None, None)
            call.result = self._result()  # the text was just examined, as in a call
            writer.redact(call)

        checked, redacted, value = again(), again(), json.loads(self._body)
        looked = sanitize.holds_nothing if self._typed else lambda text, redactor: sanitize.clean(text)
        found: dict[str, Callable[[], object]] = {
            "decode": lambda: self._decoded(sanitize, response),
            "check": lambda: looked(checked.pop(), self._redactor),
            "redact": (lambda: None) if self._typed else lambda: self._redactor.text(redacted.pop()),
            "interpret": lambda: self._interpreted(response),
            "interpret and redact": redact,
            "encode": lambda: self._line(self._result_of),
            "write": lambda: os.write(out, line),
            "nothing": lambda: None,
        }
        self._result_of = self._result()
        if self._typed:
            keep = self._load("results.structured").OutputChecker().keep
            keep(self._tool, self._result_of)
            found["validate"] = lambda: keep(self._tool, self._result_of)
        exchanges = self._exchanges
        for name, send in (("socket", exchanges.send), ("floor of socket", exchanges.send_plainly)):
            found |= {name: partial(send, 1 + self._times), f"first of {name}": partial(send, 1)}
        return found | self._floors(value, out)

    def _floors(self, value: object, out: int) -> dict[str, Callable[[], object]]:
        from _json import make_scanner

        text = str(self._body, "ascii")[: self._shown]
        quote = self._load("core.jsonrpc").dumps
        scan = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]
        return {
            "floor of decode": lambda: scan(self._body.decode(), 0) if self._typed else self._body.decode(),
            "floor of check": lambda: "\x7f" in text,
            "floor of encode": lambda: b"".join([quote(text), text.encode()] if self._typed else [quote(text)]),
            "floor of write": lambda: os.write(out, self._body[: self._shown]),
        }

    def _texts(self) -> list[str]:
        return [self._body[: self._shown].decode() for _ in range(self._times + 1)]

    def _decoded(self, sanitize: Any, response: Any) -> None:
        most = self._shown * 2 if self._shown < len(self._body) and not self._typed else len(self._body)
        text, _ = sanitize.decode(self._body[:most], "application/json")
        if self._typed and self._shown >= len(self._body):
            response.read_json(text)

    def _interpreted(self, response: Any) -> Any:
        answer = self._load("http.exchange").Response(200, "OK", [("Content-Type", "application/json")], self._body)
        return response.interpret(answer, self._sent, self._redactor, self._shown)

    def _result(self) -> Any:
        return self._interpreted(self._load("result.response"))

    def _line(self, result: Any) -> bytes:
        line: bytes = self._load("core.wire_formats").result_line(7, result, "2025-11-25", self._identity)
        return line

    def run(self) -> None:
        """Run each function in a fork, which Valgrind counts alone. Print the name of each with its process id."""
        found = self.functions()
        for function in found.values():
            function()  # loads what is loaded late; each list of inputs has one more for this
        for name, function in found.items():
            if (fork := os.fork()) == 0:
                for _ in range(1 if "socket" in name else self._times):
                    function()
                os._exit(0)
            os.waitpid(fork, 0)
            print(name, fork, flush=True)
        self._exchanges.end()


def counted(templates: Path, row: str) -> dict[str, Cost]:
    """Return the cost of each stage of one answer, and of each floor."""
    child = (sys.executable, "-m", "benchmarks.ledger", "--child", row, str(templates))
    names, told = _run((*INSTRUCTIONS, *child))
    refs = {pid: int(number.replace(",", "")) for pid, number in re.findall(r"==(\d+)== I +refs: +([\d,]+)", told)}
    instructions = {name: refs[pid] for name, pid in names.items()}
    with tempfile.TemporaryDirectory() as folder:
        names, _ = _run((*COPIES, f"--dhat-out-file={folder}/%p", *child))
        points = {name: json.loads(Path(folder, pid).read_text(encoding="ascii"))["pps"] for name, pid in names.items()}
    raw = {name: Cost(instructions[name], sum(point["wb"] for point in points[name])) for name in names}
    nothing, times = raw.pop("nothing"), TIMES[ANSWERS[row][0]]
    first = {name.removeprefix("first of "): raw.pop(name) for name in FIRST}
    found = {name: cost.less(first.get(name, nothing)).each_of(times) for name, cost in raw.items()}
    shape = found.pop("interpret")
    again = found.pop("interpret and redact").less(shape)
    for name in ("decode", "check", "redact"):
        shape = shape.less(found[name])
    return found | {"shape": shape, "redact the result": again}


def _run(command: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """Run the stages under Valgrind. Return the process id of each, and what Valgrind printed."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines()), done.stderr


def main(checkouts: list[Path]) -> None:
    """Print the table: for each answer and stage, instructions and bytes copied in each checkout, and the floor."""
    print(f"instructions / bytes copied, in {' and '.join(map(str, checkouts))}, and the floor")
    for row in ANSWERS:
        counts = [counted(checkout / "templates", row) for checkout in checkouts]
        print(f"\n{row}")
        for stage in STAGES:
            if stage in counts[-1]:
                floor = counts[-1].get(f"floor of {stage}", "")
                print(f"  {stage:<20}" + "".join(f"{found[stage]!s:>28}" for found in (*counts,)) + f"{floor!s:>28}")
        totals = [[found[stage] for stage in STAGES if stage in found] for found in counts]
        sums = [Cost(sum(c.instructions for c in each), sum(c.copied for c in each)) for each in totals]
        print(f"  {'all':<20}" + "".join(f"{each!s:>28}" for each in sums))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="a checkout of mcpgen to count as well")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        Stages(Path(options.child[1]), *ANSWERS[options.child[0]]).run()
    else:
        main([options.against, ROOT] if options.against else [ROOT])
