"""Send mutated lines to the real server process.

Each line must get one answer if the protocol demands it, and the server must keep running.

A raw socket receives the requests of the calls. Each request must have a path of the API and one credential. Each
argument must be at its place.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.hostile.fuzz.judge import Demand, Key, demand, key
from tests.hostile.fuzz.mutation import mutated, text, torn, tree_of
from tests.hostile.subject import playing, started
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META, REVISIONS
from tests.runtime.upstream import Connection, Upstream

GROUP = 24
"""Number of lines that are sent at once, before their answers are awaited."""

FORMS: dict[str, Any] = {"elicitation": {}}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_detail", {"id": "a", "q": "b", "tags": ["c", "d"], "x_t": "e", "sid": "f"}),
    ("delete_user", {"id": "7"}),
    ("drop_user", {"id": "7"}),
    ("create_item", {"name": "n", "count": 3, "price": 1.5, "tags": ["a"], "more": {"x": [1, {"y": None}]}}),
    ("save_form", {"name": "n", "note": "a b"}),
    ("upload", {"title": "t", "data": "AAEC"}),
    ("get_case", {"n": 1}),
]
SENT = re.compile(
    rb"(GET /api/v1/users/[^/?#\s]+/detail(\?[^?#\s]*)?|DELETE /api/v1/users/[^/?#\s]+(/all)?"
    rb"|POST /api/v1/items|PUT /api/v1/form|POST /api/v1/upload|GET /api/v1/case\?n=-?\d+) HTTP/1\.1"
)
FIELDS = {b"host", b"accept", b"content-type", b"x-key", b"x-t", b"cookie", b"user-agent", b"accept-encoding"} | {
    b"content-length"
}


def request(method: str, id_: object, params: dict[str, Any] | None = None, stateless: bool = False) -> dict[str, Any]:
    params = dict(params or {})
    if stateless:
        can = {META + "clientCapabilities": FORMS} if method == "tools/call" else {}
        params["_meta"] = {**params.get("_meta", {}), **ENVELOPE, **can}
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def seeds(number: int) -> list[Any]:
    """Return well-formed messages of the MCP revisions with and without a handshake, with ids made from `number`."""
    found: list[Any] = []
    for name, arguments in CALLS:
        meta = {"_meta": {"progressToken": f"t{number}"}}
        stateless = number % 2 == 0
        found.append(request("tools/call", number, {"name": name, "arguments": arguments, **meta}, stateless))
    for stateless in (False, True):
        methods = ("tools/list", "resources/list", "resources/templates/list", "no/such", "logging/setLevel")
        found += [request(method, f"s{number}", {}, stateless) for method in methods]
        found.append(request("resources/read", number, {"uri": "hostile://result/1"}, stateless))
    found.append(request("server/discover", number, stateless=True))
    found.append(request("subscriptions/listen", f"l{number}", {"notifications": {"toolsListChanged": True}}, True))
    found.append(request("ping", number))
    for revision in REVISIONS:
        hello = {"protocolVersion": revision, "capabilities": FORMS, "clientInfo": {"name": "f", "version": "1"}}
        found.append(request("initialize", number, hello))
    for cancelled in (number, number - 1, f"s{number - 3}", "nobody"):
        params = {"requestId": cancelled, "reason": "fuzz"}
        found.append({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    found.append({"jsonrpc": "2.0", "method": "notifications/initialized"})
    found.append({"jsonrpc": "2.0", "id": "mcpgen-1", "result": {"action": "accept", "content": {}}})
    found.append([request("ping", f"b{number}"), request("tools/list", f"c{number}"), found[0]])
    return found


def cases(chance: Random, count: int) -> Iterator[bytes]:
    """Yield random lines. Some contain line feeds, so a case can be several lines."""
    for number in range(1, count + 1):
        kinds = seeds(number)
        # More than half of the lines are made from tool calls or from the batch, which have the most members to mutate.
        seed = chance.choice(kinds[: len(CALLS)] + kinds[-1:]) if chance.random() < 0.5 else chance.choice(kinds)
        tree = mutated(chance, tree_of(seed), chance.choice((0, 1, 1, 1, 2, 2, 4, 8)))
        line = text(chance, tree).encode("utf-8", "surrogatepass")
        if chance.random() < 0.25:
            line = torn(chance, line, chance.choice((1, 1, 2, 5)), json.dumps(chance.choice(kinds)).encode())
        if chance.random() < 0.001:
            line = line + b" " * 8 * 1024 * 1024
        yield line


class Found(AssertionError):
    """Error with the lines that were sent, the last of which show a fault, and a description of the fault."""

    def __init__(self, lines: list[bytes], problem: object) -> None:
        super().__init__(f"{problem}\n" + "\n".join(repr(each[:2000]) for each in lines[-GROUP - 2 :]))
        self.lines = lines


class Dialogue:
    """A server process, and all lines that it was sent."""

    def __init__(self, server: Server, chance: Random) -> None:
        self._server = server
        self._chance = chance
        self._probes = 0
        self._open: Counter[Key] = Counter()
        self._cancelled: set[Key] = set()
        self._without_id = 0
        self.said: list[bytes] = []

    def run(self, cases: Iterator[bytes]) -> None:
        """Send all lines in groups, and check the answers. Raise Found if an answer is missing, wrong or too many."""
        group: list[bytes] = []
        taken: set[Key] = set()
        for case in cases:
            for line in case.split(b"\n"):
                # A handshake changes the revision, so no request may be pending when it is sent.
                alone = b"initialize" in line or b"\\u00" in line or b"cancelled" in line
                ids = set(demand(line, self._server.checker.agreed).ids)
                if group and (alone or len(group) >= GROUP or (ids & taken and line != group[-1])):
                    self._say(group)
                    group, taken = [], set()
                group.append(line)
                taken |= ids
                if alone and b"cancelled" not in line:
                    self._say(group)
                    group, taken = [], set()
        self._say(group)

    def _say(self, group: list[bytes]) -> None:
        self._probes += 1
        probe = request("ping", f"probe-{self._probes}")
        lines = [*group, json.dumps(probe).encode()]
        self.said += lines
        try:
            for line in lines:
                self._expect(demanded := demand(line, self._server.checker.agreed))
                if demanded.ids:
                    self._server.checker.heard(line)
            self._server.write(b"".join(line + b"\n" for line in lines))
            while self._left():
                self._hear(self._server.message())
            assert self._without_id == 0, f"{-self._without_id} errors without an id too many"
        except Exception as problem:
            raise Found(self.said, f"{type(problem).__name__}: {problem}") from problem

    def _expect(self, demanded: Demand) -> None:
        self._open += demanded.ids
        self._without_id += demanded.without_id
        self._cancelled |= demanded.cancelled & self._open.keys()

    def _left(self) -> bool:
        probe = key(f"probe-{self._probes}")
        others = any(number > 0 for each, number in self._open.items() if each not in self._cancelled and each != probe)
        return bool(others or self._without_id > 0 or self._open[probe] > 0)

    def _hear(self, value: Any) -> None:
        for message in value if isinstance(value, list) else [value]:
            if message.get("method") == "elicitation/create":
                answer = self._chance.choice(('{"action":"accept"}', '{"action":"decline"}', '"?"', "null"))
                self._server.say(
                    b'{"jsonrpc":"2.0","id":"%s","result":%s}\n' % (message["id"].encode(), answer.encode())
                )
            elif message.get("method") == "notifications/subscriptions/acknowledged":
                self._answered(message["params"]["_meta"][META + "subscriptionId"])
            elif "method" not in message and message.get("id") is not None:
                self._answered(message["id"])
                assert message.get("error", {}).get("code") != -32603, f"it broke: {message['error']['message']}"
            elif "method" not in message:
                self._without_id -= 1

    def _answered(self, id_: object) -> None:
        self._open[key(id_)] -= 1
        assert self._open[key(id_)] >= 0, f"{id_!r} was answered once more than it asked"


async def upstream_play(connection: Connection) -> None:
    """Answer each request after a short pause, so that calls overlap."""
    while await connection.request():
        await asyncio.sleep(0.002)
        await connection.send(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"a":42}')


def assert_sent(requests: list[bytes]) -> None:
    """Check that each request fits one of the path templates, holds the credential once, and has each argument at its
    place.
    """
    for each in requests:
        head, _, body = each.partition(b"\r\n\r\n")
        first, *fields = head.split(b"\r\n")
        assert SENT.fullmatch(first), each
        names = [field.partition(b":")[0].lower() for field in fields]
        assert len(names) == len(set(names)), each
        assert set(names) <= FIELDS, each
        found = dict(zip(names, (field.partition(b": ")[2] for field in fields), strict=True))
        assert found[b"x-key"].decode() == SECRET
        assert re.fullmatch(rb"127\.0\.0\.1:\d+", found[b"host"])
        assert re.fullmatch(rb"(sid=[^;,\s]*)?", found.get(b"cookie", b"")), each
        assert len(body) == int(found.get(b"content-length", b"0"))
        if b"application/json" in found.get(b"content-type", b""):
            assert isinstance(json.loads(body), dict)
        segments = first.split(b" ")[1].partition(b"?")[0].split(b"/")
        assert not {b".", b".."} & set(segments)


def events(server: Server) -> None:
    """Check the log on stderr: each line is a JSON object, and none reports a fault of the server."""
    for complaint in server.complaints():
        assert json.loads(complaint)["event"] not in ("call_broke", "not_loaded", "background_task"), complaint


def fuzz(project: Path, seed: int, count: int) -> None:
    """Run `count` cases. Raise Found if the server answers wrongly, and AssertionError if it sends its API a wrong
    request or logs a wrong line.
    """
    run(project, cases(Random(seed), count), seed)


def run(project: Path, said: Iterator[bytes], seed: int = 0) -> None:
    """Send the cases in `said` to a new server."""
    with playing(upstream_play) as upstream, started(project, upstream) as server:
        dialogue = Dialogue(server, Random(seed))
        dialogue.run(said)
        _end(server, dialogue, upstream)


def _end(server: Server, dialogue: Dialogue, upstream: Upstream) -> None:
    server.end()
    try:
        server.rest()
        assert server.ended() == 0, "exit code"
        events(server)
        assert_sent(upstream.requests)
    except Exception as problem:
        raise Found(dialogue.said, f"{type(problem).__name__}: {problem}") from problem
