"""Measure calls over HTTP in both eras of MCP (with and without a handshake): how many a second on one and on many
connections, and the time of each.

Each connection has one call in flight, and in the handshake era its own session. All servers run all the time, and call
the same API. The client writes prepared bytes and checks every response. Our servers run over aiohttp and as ASGI
applications. They are compared with FastMCP and the SDK with default settings, and with both as ASGI applications under
the same uvicorn. FastMCP and the SDK send event streams. No server writes an access log.
"""

from __future__ import annotations

import json
import selectors
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import product
from types import MappingProxyType
from typing import Self

from benchmarks.replicas.client import NEWER, OLDER
from benchmarks.replicas.rig import can_connect, free_port, wait_for
from benchmarks.speed import api
from benchmarks.speed.calls import UNITS, make_round
from benchmarks.speed.connection import Answer, Connection, begin_session, message_of, post, without_comments
from benchmarks.speed.figures import Found
from benchmarks.speed.pipe import Flow, Wrong, check
from benchmarks.speed.process import DIGITS, PATIENCE, Process, Subject
from benchmarks.speed.programs import ASGI, FASTMCP_ASGI, HTTP, SDK_ASGI, Programs
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns

ROUNDS = 5
CONNECTIONS = (1, 64, 512)
ERAS = (OLDER, NEWER)
MORE_SECONDS = 2.0
"""A round takes this many times as long as over stdio, because each connection first makes a warm-up call."""
BARS = MappingProxyType({(HTTP, "FastMCP"): 5, (ASGI, FASTMCP_ASGI): 5, (HTTP, "SDK lowlevel"): 2, (ASGI, SDK_ASGI): 2})
"""Pair of our server and another one → lower limit on the ratio of calls per second."""
ALONE = MappingProxyType({(ASGI, FASTMCP_ASGI): 3, (ASGI, SDK_ASGI): 1.5})
"""The same on one connection, for applications under uvicorn. The loop there is not ours: most of the time of a lone
call passes in it, on both sides.
"""


def measure(setting: Setting) -> Found:
    """Measure calls over HTTP: with and without a handshake, with each number of connections, on each server in turn.

    Return the results. For each pair of servers in BARS, they include the ratio of our calls per second to the other
    server's, and the lower limit on this ratio.
    """
    return measured(setting, CONNECTIONS)


def measured(
    setting: Setting, connections: Sequence[int], where: str = "", bars: Mapping[tuple[str, str], float] = BARS
) -> Found:
    """Measure calls over HTTP with each of these numbers of connections.

    `where`: text to add to the names of cases. `bars`: as `BARS`.
    """
    cases: dict[tuple[str, str], Callable[[], Flow]] = {}
    with ExitStack() as stack:
        programs, url = setting.programs, setting.upstream.url
        servers = [stack.enter_context(each) for each in (*started(programs, url), *_under_uvicorn(programs, url))]
        clients = {(each.name, era): Client(each, era) for each, era in product(servers, ERAS)}
        for era, many, server in product(ERAS, connections, servers):
            source, seconds = clients[server.name, era], setting.seconds * MORE_SECONDS
            cases[case_of(era, many, where), server.name] = make_round(source, many, seconds)
        taken = in_turns(cases, setting.rounds)
    found = Found()
    for (case, name), flows in taken.items():
        for unit, value in UNITS.items():
            found.add(case, name, unit, [value(flow) for flow in flows])
    for ((door, peer), bar), era, many in product(bars.items(), ERAS, connections):
        case = case_of(era, many, where)
        limit = ALONE.get((door, peer), bar) if many == 1 else bar
        ours, theirs = (found.median(case, name, "calls/s") for name in (door, peer))
        found.at_least(limit, f"{case}: {door} / {peer}", ours, theirs)
    return found


def case_of(era: str, connections: int, where: str = "") -> str:
    """Return the name under which results for this MCP revision and number of connections are stored.

    `where`: text to add, such as `, one core`.
    """
    return f"HTTP, {era}, {connections} connection{'s' * (connections > 1)}{where}"


def started(programs: Programs, url: str, *flags: str) -> Iterator[Server]:
    """Start all servers over HTTP, each at its own port. `flags`: flags of our server in addition to `--http`."""
    makers: tuple[Callable[[int], Subject], ...] = (
        lambda port: programs.over_http(url, port, *flags),
        lambda port: programs.under_uvicorn(url, port),
        lambda port: programs.theirs(url, TEXT="1", PORT=str(port)),
        lambda port: programs.lowlevel(url, PORT=str(port)),
    )
    return (Server(make(port), port) for make, port in ((make, free_port()) for make in makers))


def _under_uvicorn(programs: Programs, url: str) -> Iterator[Server]:
    """Start the servers of other projects under the same uvicorn as mcpgen's server."""
    for make in (programs.theirs_under_uvicorn, programs.lowlevel_under_uvicorn):
        port = free_port()
        yield Server(make(url, port), port)


class Server(Process):
    """A server that listens at a port."""

    def __init__(self, subject: Subject, port: int) -> None:
        super().__init__(subject)
        self.port = port

    def __enter__(self) -> Self:
        wait_for(lambda: can_connect(self.port), PATIENCE)
        return self

    def connection(self) -> Connection:
        """Return a new connection to the server."""
        return Connection(self.port, PATIENCE)


class Client:
    """Many connections to one server. All make the same call, and all use the same MCP revision."""

    def __init__(self, server: Server, era: str) -> None:
        self._server = server
        self._era = era
        self._call = api.calls()["small"]
        self._sessions: list[str] = []
        self._before = self._after = b""

    def flow(self, calls: int, at_once: int) -> Flow:
        """Make `calls` calls over `at_once` connections, and return their times and the server's CPU time.

        Raise Wrong if a response differs from the first one.
        """
        sessions = self._begun(at_once)
        with ExitStack() as stack, selectors.DefaultSelector() as selector:
            callers = []
            for session in sessions:
                connection = stack.enter_context(closing(self._server.connection()))
                callers.append(_Caller(self._server, connection, self._request(session)))
                selector.register(connection, selectors.EVENT_READ, callers[-1])
            self._made(callers, selector, at_once)  # warm up first: accepting the connections must not count
            cpu, began = self._server.cpu(), time.perf_counter()
            latencies = self._made(callers, selector, calls)
            return Flow(time.perf_counter() - began, latencies, self._server.cpu() - cpu)

    def _made(self, callers: list[_Caller], selector: selectors.BaseSelector, calls: int) -> list[float]:
        """Make `calls` calls, one at a time on each connection. Return the seconds of each call."""
        latencies: list[float] = []
        for first in callers[:calls]:
            first.send()
        left = calls - len(callers)
        while len(latencies) < calls:
            for key, _ in selector.select(PATIENCE):
                caller: _Caller = key.data
                if (answer := caller.connection.take()) is None:
                    continue
                id_, heard = caller.id, time.perf_counter()
                latencies.append(heard - caller.asked)
                if left > 0:  # send the next call before checking the response, so that the server need not wait
                    caller.send()
                    left -= 1
                self._look_at(answer, id_)
        return latencies

    def _begun(self, number: int) -> list[str]:
        """Open `number` sessions, which outlive their connections. If the MCP revision has no sessions, return empty
        ids.
        """
        if self._era != OLDER:
            return [""] * number
        if len(self._sessions) < number:
            with closing(self._server.connection()) as connection:
                while len(self._sessions) < number:
                    self._sessions.append(begin_session(connection, self._server.port, self._era))
        return self._sessions[:number]

    def _request(self, session: str) -> bytes:
        """Return the call as a request, with a placeholder for its id."""
        params = {"name": self._call.tool, "arguments": self._call.arguments}
        return post(self._server.port, self._era, {"id": _HOLE, "method": "tools/call", "params": params}, session)

    def _look_at(self, answer: Answer, id_: int) -> None:
        """Parse and check the first response. Later responses must equal it except for their id.

        Raise Wrong if the first response is not a correct result.
        """
        id_bytes = str(id_).encode()
        if not self._before:
            self._first(answer, id_bytes)
        right = self._before + id_bytes + self._after
        if answer.status != 200 or (answer.body != right and without_comments(answer.body) != right):
            raise Wrong(f"{self._server.name}: another answer than the first: {answer.status} {answer.body[:300]!r}")

    def _first(self, answer: Answer, id_: bytes) -> None:
        if answer.status != 200:
            raise Wrong(f"{self._server.name}: {answer.status} {answer.body[:300]!r}")
        message = message_of(answer)
        check(message, self._call, exact=True)
        if json.loads(message)["id"] != int(id_) or answer.body.count(id_) != 1:
            raise Wrong(f"{self._server.name}: the id is another, or stands in the answer more than once")
        self._before, _, self._after = answer.body.partition(id_)


_HOLE = 10**DIGITS - 1


class _Caller:
    """One connection with its call. `id`: id of the pending request. `asked`: time at which the request was sent."""

    def __init__(self, server: Server, connection: Connection, request: bytes) -> None:
        self.connection = connection
        self.id = 0
        self.asked = 0.0
        self._server = server
        self._before, _, self._after = request.rpartition(str(_HOLE).encode())

    def send(self) -> None:
        """Send the call with a new id."""
        self.id = self._server.take_ids(1)
        self.asked = time.perf_counter()
        self.connection.send(b"%b%d%b" % (self._before, self.id, self._after))
