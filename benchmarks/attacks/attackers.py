"""Attack what callers share, as one caller with a valid token, from one address. Each attack is a process of its own.

    python -m benchmarks.attacks.attackers NAME PORT

The process prints `on` when the attack has begun, and goes on until it is killed. Attacks that repeat requests pause
between them: they fill tables and pools, and do not measure how fast the server is.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import secrets
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count, cycle
from urllib.parse import parse_qs, urlencode, urlsplit

from benchmarks.replicas.client import NEWER, OLDER

ADDRESS = "127.0.0.2"
TOKEN = "a-token-of-anna-0123456789-0123456789"
"""The attacker's address and token. The user has others."""

PAUSE = 0.1
"""Seconds between two requests on one connection."""

META = "io.modelcontextprotocol/"
CAPABILITIES: dict[str, dict[str, dict[str, object]]] = {"elicitation": {"form": {}, "url": {}}}
_ids = count(1)
Attack = Callable[[int], Awaitable[None]]


def head(method: str, length: int, token: str, *fields: str) -> bytes:
    """Return the head of a POST request to the server."""
    lines = (
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Authorization: Bearer {token}",
        f"Content-Length: {length}",
        *fields,
    )
    return "\r\n".join([*lines, "", ""]).encode()


def newer(method: str, **params: object) -> bytes:
    """Return a request of the revision without sessions."""
    return newer_with(TOKEN, method, **params)


def newer_with(token: str, method: str, **params: object) -> bytes:
    meta = {META + "protocolVersion": NEWER, META + "clientCapabilities": CAPABILITIES}
    told = {"jsonrpc": "2.0", "id": next(_ids), "method": method, "params": {**params, "_meta": meta}}
    body = json.dumps(told).encode()
    name = [f"Mcp-Name: {params['name']}"] if "name" in params else []
    return head(method, len(body), token, f"MCP-Protocol-Version: {NEWER}", f"Mcp-Method: {method}", *name) + body


def older(session: str, method: str, *, notifies: bool = False, **params: object) -> bytes:
    """Return a request of a session, or a notification."""
    told = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if notifies else {"id": next(_ids)})
    body = json.dumps(told).encode()
    fields = [f"Mcp-Session-Id: {session}", f"MCP-Protocol-Version: {OLDER}"] if session else []
    return head(method, len(body), TOKEN, *fields) + body


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected(port: int) -> Stream:
    """Connect to the server from the attacker's address. Wait and try again after a failure."""
    while True:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(5):
                return await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0), limit=2**20)
        await asyncio.sleep(0.05)


async def answer(stream: Stream, request: bytes) -> tuple[bytes, bytes]:
    """Send a request, and return head and body of its response. The body of an event stream is its first part."""
    stream[1].write(request)
    found = await stream[0].readuntil(b"\r\n\r\n")
    for line in found.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return found, await stream[0].readexactly(int(line[15:]))
    return found, await stream[0].read(2**20)


async def many(port: int, at_once: int, one: Callable[[Stream], Awaitable[object]], pause: float = PAUSE) -> None:
    """Run `one` in a loop on each of `at_once` connections, and open a connection again when it is closed."""

    async def loop() -> None:
        while True:
            stream = await connected(port)
            with suppress(OSError, EOFError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while True:
                    await one(stream)
                    await asyncio.sleep(pause)
                    if stream[0].at_eof():
                        break
            stream[1].close()

    print("on", flush=True)
    await asyncio.gather(*(loop() for _ in range(at_once)))


def held(begin: bytes, at_once: int, drip: bytes = b"") -> Attack:
    """Return an attack that holds connections on which it only sends `begin`, and then `drip` each half second."""

    async def attack(port: int) -> None:
        async def one(stream: Stream) -> None:
            stream[1].write(begin)
            while not stream[0].at_eof():
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.5):
                        await stream[0].read(4096)
                stream[1].write(drip)
                await stream[1].drain()

        await many(port, at_once, one)

    return attack


def repeated(request: Callable[[], bytes], at_once: int, pause: float = PAUSE) -> Attack:
    """Return an attack that sends requests in loops, and waits for each response."""

    async def attack(port: int) -> None:
        await many(port, at_once, lambda stream: answer(stream, request()), pause)

    return attack


def random_token() -> bytes:
    return newer_with(secrets.token_urlsafe(32), "tools/call", name="get_thing", arguments={"name": "a"})


def thing(**arguments: object) -> bytes:
    return newer("tools/call", name="get_thing", arguments={"name": "a", **arguments})


async def confirmations(port: int) -> None:
    """Use up confirmations: ask for a deletion, and decline it."""

    async def one(stream: Stream) -> None:
        call = {"name": "delete_thing", "arguments": {"name": "a"}}
        body = json.loads((await answer(stream, newer("tools/call", **call)))[1])
        state, given = body["result"]["requestState"], {"confirm": {"action": "decline"}}
        await answer(stream, newer("tools/call", **call, requestState=state, inputResponses=given))

    await many(port, 16, one)


async def session(stream: Stream) -> str:
    """Begin a session, and return its id."""
    client = {"name": "attacker", "version": "1"}
    request = older("", "initialize", protocolVersion=OLDER, capabilities={}, clientInfo=client)
    found = (await answer(stream, request))[0].decode()
    return next(line[15:].strip() for line in found.split("\r\n") if line.lower().startswith("mcp-session-id:"))


async def sessions(port: int) -> None:
    """Begin sessions that choose a log level, and subscribe to many resources."""

    async def one(stream: Stream) -> None:
        name = await session(stream)
        await answer(stream, older(name, "logging/setLevel", level="debug"))
        for number in range(20):
            await asyncio.sleep(PAUSE)
            await answer(stream, older(name, "resources/subscribe", uri=f"depot://things/{number}"))

    await many(port, 64, one)


async def events(port: int) -> None:
    """Let large results be recorded: leave each call before its result."""

    async def one(stream: Stream) -> None:
        name = await session(stream)
        for _ in range(8):
            other = await connected(port)
            arguments = {"name": "a", "size": 20_000, "seconds": 0.3}
            meta = {"progressToken": secrets.token_hex(4)}
            other[1].write(older(name, "tools/call", name="get_thing", arguments=arguments, _meta=meta))
            await asyncio.sleep(0.05)
            other[1].close()

    await many(port, 4, one)


def page(method: str, target: str, form: bytes = b"") -> bytes:
    """Return a browser's request for a page of the server."""
    kind = "Content-Type: application/x-www-form-urlencoded"
    lines = (f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", kind, f"Content-Length: {len(form)}")
    return "\r\n".join([*lines, "", ""]).encode() + form


async def logins(port: int) -> None:
    """Begin logins, and return from them with wrong codes or from a wrong server. Other calls wait for a login."""
    call = {"name": "get_mine", "arguments": {}}
    waiting = newer("tools/call", **call, inputResponses={"login": {"action": "accept"}})
    issuers = cycle(({}, {"iss": "https://other.example"}))

    async def one(stream: Stream) -> None:
        result = json.loads((await answer(stream, newer("tools/call", **call)))[1]).get("result", {})
        if "inputRequests" not in result:
            return
        link = result["inputRequests"]["login"]["params"]["url"]
        asked = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
        path = urlsplit(asked["redirect_uri"]).path
        told = urlencode({"state": asked["state"], "code": secrets.token_hex(8), **next(issuers)})
        found = re.search(rb'name="ticket" value="([^"]+)"', (await answer(stream, page("GET", f"{path}?{told}")))[1])
        if found is not None:
            await answer(stream, page("POST", path, urlencode({"ticket": found[1]}).encode()))

    await asyncio.gather(many(port, 16, one), many(port, 200, lambda stream: answer(stream, waiting), 10 * PAUSE))


PROGRAM = "n = 0\nwhile n < 45:\n    get_thing(name='a', seconds=20)\n    n += 1"
ATTACKS: dict[str, Attack] = {
    "idle connections": held(b"", 1100),
    "heads without end": held(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n", 1100),
    "slow bodies": held(head("ping", 15_000, TOKEN), 600, b" "),
    "event streams": held(newer("subscriptions/listen", notifications={"toolsListChanged": True}), 800),
    "slow calls": repeated(lambda: thing(seconds=20), 300),
    "calls": repeated(thing, 16),
    "large results": repeated(lambda: thing(size=2_000_000), 4),
    "programs": repeated(lambda: newer("tools/call", name="run_program", arguments={"code": PROGRAM}), 16),
    "random tokens": repeated(random_token, 64),
    "used confirmations": confirmations,
    "recorded events": events,
    "watched resources": sessions,
    "logins": logins,
}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    asyncio.run(ATTACKS[sys.argv[1]](int(sys.argv[2])))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
