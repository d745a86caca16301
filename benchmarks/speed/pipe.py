"""Client for measurements over stdio: it writes prepared lines to a raw pipe, with a number of calls in flight.

The client must cost little compared with the servers, and still check every response. It parses the first response to a
call, and compares it with the API's body. Each later response must be the same line, byte for byte, except for its id.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.speed.api import Call
from benchmarks.speed.process import DIGITS, HANDSHAKE, Process, line


class Wrong(Exception):
    """Raised if a response differs from the expected one."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Timing of a number of calls: the total seconds, the seconds of each call, and the server's CPU seconds."""

    seconds: float
    latencies: list[float]
    cpu: float

    @property
    def rate(self) -> float:
        """Return the calls per second."""
        return len(self.latencies) / self.seconds

    def quantile(self, part: float) -> float:
        """Return the time in seconds within which the fraction `part` of the calls was answered."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))]

    @property
    def cpu_each(self) -> float:
        """Return the CPU seconds per call."""
        return self.cpu / len(self.latencies)


class Client:
    """Client of one server. The client makes the same call repeatedly."""

    def __init__(self, server: Process, call: Call, exact: bool = True) -> None:
        """Prepare a call.

        `exact`: if True, the text of a result must equal the API's body byte for byte; otherwise their JSON values must
        be equal.
        """
        self._server = server
        self._call = call
        self._exact = exact
        self._before = self._after = b""

    def first(self) -> bytes:
        """Make one call, and check its result completely. Raise Wrong if the result is not the API's body."""
        number = self._server.take_ids(1)
        self._server.write(request(self._call, number))
        answer = self._server.until(number)
        check(answer, self._call, self._exact)
        before, id_, after = answer.partition(str(number).encode())
        if not id_ or id_ in after:
            raise Wrong(f"{self._server.name}: the id stands in the answer more than once")
        self._before, self._after = before, after
        return answer

    def flow(self, calls: int, at_once: int) -> Flow:
        """Make `calls` calls, `at_once` at a time. Raise Wrong if a response differs from the first one."""
        if not self._before:
            self.first()
        first = self._server.take_ids(calls)
        lines = [request(self._call, id_) for id_ in range(first, first + calls)]
        latencies: list[float] = []
        write = self._server.write
        cpu, began = self._server.cpu(), time.perf_counter()
        write(b"".join(lines[:at_once]))
        sent = at_once = min(at_once, calls)
        started = dict.fromkeys(range(first, first + at_once), began)
        with self._server.patience():
            while len(latencies) < calls:
                for answer in self._server.lines():
                    # send the next call before checking the response, so that the server need not wait
                    if sent < calls:
                        write(lines[sent])
                        started[first + sent] = self._server.heard
                        sent += 1
                    latencies.append(self._server.heard - started.pop(self._id(answer), _UNASKED))
        seconds = time.perf_counter() - began
        if min(latencies) < 0:
            raise Wrong(f"{self._server.name}: a call was answered twice, or one that was never made")
        return Flow(seconds, latencies, self._server.cpu() - cpu)

    def _id(self, answer: bytes) -> int:
        """Return the id of a response. Raise Wrong if its other bytes differ from the first response."""
        begin, end = len(self._before), len(answer) - len(self._after)
        digits = answer[begin:end] if end - begin == DIGITS else b""
        if digits.isdigit() and answer.startswith(self._before) and answer.endswith(self._after):
            return int(digits)
        raise Wrong(f"{self._server.name}: another answer than the first: {answer[:300]!r}")


_UNASKED = float("inf")
"""Start time of a call that was never made. It is infinite, so that its latency is negative."""


def shake_hands(server: Process) -> None:
    """Shake hands with the server."""
    server.write(HANDSHAKE)
    server.until(1)


def request(call: Call, id_: int) -> bytes:
    """Return the line that makes a call with this id."""
    params = {"name": call.tool, "arguments": call.arguments}
    return line({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params})


def check(answer: bytes, call: Call, exact: bool) -> None:
    """Raise Wrong unless the response is a result whose text is the API's body.

    If the result has a structured value, this value must equal the body as well.
    """
    message: Mapping[str, Any] = json.loads(answer)
    result = message.get("result", {})
    texts = [block["text"] for block in result.get("content", ()) if block.get("type") == "text"]
    if result.get("isError") or not texts:
        raise Wrong(f"{call.tool} failed: {answer[:500]!r}")
    value = json.loads(call.body)
    if texts[0].encode() != call.body if exact else json.loads(texts[0][max(0, texts[0].find("{")) :]) != value:
        raise Wrong(f"{call.tool} answers with another body: {texts[0][:300]!r}")
    if result.get("structuredContent", value) != value:
        raise Wrong(f"{call.tool} answers with another value: {result['structuredContent']!r:.300}")
