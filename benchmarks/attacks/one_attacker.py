"""Let one attacker use up each thing that callers share, and measure the calls of another user meanwhile.

    python -m benchmarks.attacks.one_attacker [--only ATTACK] [--rounds N] [--calls N]

The server may open 1,024 files. The attacker has a valid token, and a process and an address of its own. The user makes
calls on new connections, alone and attacked by turns, so that both figures are of the same minutes. All calls of the
user must be answered, their 99th percentile must stay within 5 times that of the calls alone, and the server must log
at most 100 lines a minute. The exit code is 1 if one of this does not hold.

Attacker and API are other machines. So they share one processor, and the server and the user share another. Without
that, a busy attacker or API would take the user's own time, and a busy user would keep the attacker from attacking. The
attacker has the lowest priority, since a busy attacker would also slow down the API, which is not attacked.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import aiohttp

from benchmarks.attacks import attackers
from benchmarks.replicas.client import NEWER, Client
from benchmarks.replicas.rig import answers, free_port, wait_for
from benchmarks.replicas.upstream import DOCUMENT
from tests.delegation import authority
from tests.delegation.authority import Authority
from tests.identity.issuer import CLIENT, SECRET, Issuer

FILES = 1024
TOKEN = "b-token-of-bob-0123456789-0123456789"
PATIENCE = 20.0
"""Seconds after which a call of the user counts as not answered."""

_MINE, *_THEIRS = sorted(os.sched_getaffinity(0))
"""Processor of the server and the user, and processors of the attacker and the API."""

SETTLING = 3.0
"""Seconds from the beginning of an attack to the first call under attack."""

MOST_TIMES, MOST_LINES = 5.0, 100.0
TOOLS_FILE = """\
mcpgen: 1
server: {name: depot, logging: true, tools: search, programs: all}
openapi: [{document: depot.yaml}]
overrides: {deleteThing: {confirm: always}}
resources:
  - {name: thing, uri: "depot://things/{name}", request: "GET /things/{name}", poll: 1s}
"""
OWN = """\
  /things/mine:
    get:
      operationId: getMine
      summary: Get my own thing
      security: [{account: []}]
      responses: {"200": {description: The thing., content: {text/plain: {schema: {type: string}}}}}
components:
  securitySchemes:
    account:
      type: oauth2
      flows: {authorizationCode: {authorizationUrl: "https://a.example/a", tokenUrl: "https://a.example/t", scopes: {}}}
"""
"""Part of the document with a tool for which each user logs in."""


class Row(NamedTuple):
    """Seconds of each answered call of the user alone and attacked, calls without an answer, and log lines a minute."""

    attack: str
    alone: list[float]
    attacked: list[float]
    missed: list[str]
    lines: float

    @property
    def held(self) -> bool:
        return not self.missed and high(self.attacked) <= MOST_TIMES * high(self.alone) and self.lines <= MOST_LINES


def high(seconds: list[float]) -> float:
    """Return the 99th percentile."""
    return sorted(seconds)[max(0, -(-len(seconds) * 99 // 100) - 1)] if seconds else 0.0


def generate(folder: Path, port: int) -> None:
    """Generate the server, and write the tokens of its two callers."""
    (folder / "depot.yaml").write_text(DOCUMENT % port + OWN)
    (folder / "tools.yaml").write_text(TOOLS_FILE)
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", "tools.yaml", "-o", "server"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    callers = {"anna": attackers.TOKEN, "bob": TOKEN}
    lines = [f"{name} {hashlib.sha256(token.encode()).hexdigest()}\n" for name, token in callers.items()]
    (folder / "callers").write_text("".join(lines))
    (folder / "callers").chmod(0o600)


def start(folder: Path, port: int, variables: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the server with few descriptors."""
    environ = {**os.environ, "DEPOT_STATE_KEY": "5" * 64, "DEPOT_TIMEOUT": "60", **variables}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "depot_mcp", "--http", str(port)],
            cwd=folder / "server",
            env=environ,
            stdout=log,
            stderr=log,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
        )
    wait_for(lambda: answers(port, "/readyz"))
    return process


@asynccontextmanager
async def attacked(name: str, port: int) -> AsyncIterator[None]:
    """Run the attack in its own process."""
    async with elsewhere("benchmarks.attacks.attackers", name, str(port), priority=19):
        await asyncio.sleep(SETTLING)
        yield


@asynccontextmanager
async def elsewhere(*command: str, priority: int = 0) -> AsyncIterator[str]:
    """Run a module in a process on the other processors. Yield the first line that it prints.

    `priority`: how much less important the process is than others (`nice`, 0 to 19).
    """

    def place() -> None:
        os.sched_setaffinity(0, _THEIRS or [_MINE])
        os.nice(priority)

    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *command,
        stdout=subprocess.PIPE,
        preexec_fn=place,
    )
    try:
        assert process.stdout is not None
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()


async def call(client: Client) -> str:
    return str((await client.call("get_thing", {"name": "b"}))["result"]["content"])


async def program(client: Client) -> str:
    return str((await client.call("run_program", {"code": "1 + 1"}))["result"]["content"])


async def deletion(client: Client) -> str:
    return str((await client.confirmed("delete_thing", {"name": "b"}))["result"]["content"])


async def login(provider: Authority, client: Client) -> str:
    """Log in, and make a call with the rights of the login. The login of a former call has ended before."""
    provider.revoked.add("bob")
    asked = await client.call("get_mine", {})
    provider.revoked.clear()
    location = provider.authorize(asked["result"]["inputRequests"]["login"]["params"]["url"], "bob")
    async with client.http.get(location) as page:
        ticket = re.search(r'name="ticket" value="([^"]+)"', await page.text())
    assert ticket is not None, page.status
    async with client.http.post(location.partition("?")[0], data={"ticket": ticket[1]}) as done:
        done.raise_for_status()
    told = await client.call("get_mine", {}, {"inputResponses": {"login": {"action": "accept"}}})
    return str(told["result"]["content"])


Use = Callable[[Client], Awaitable[str]]
USES: dict[str, tuple[Use, str]] = {
    "programs": (program, "2"),
    "used confirmations": (deletion, "DELETE b"),
}
"""What the user does beside an attack, and what the result says; by default the user reads a thing."""


class Setup(NamedTuple):
    """The server's variables beside one attack; the user's new token; what the user does, and what the result says."""

    variables: dict[str, str]
    token: Callable[[], str]
    use: Use
    said: str


@contextmanager
def setup(name: str, folder: Path, port: int) -> Iterator[Setup]:
    """Run the authorization server that an attack needs. Without one, callers have tokens of a file."""
    url, tokens = f"http://127.0.0.1:{port}/mcp", {"DEPOT_HTTP_TOKENS": str(folder / "callers")}
    use, said = USES.get(name, (call, "GET b"))
    if name == "random tokens":
        with Issuer() as issuer:

            def token() -> str:
                found = os.urandom(16).hex()
                issuer.introspected[found] = {"active": True, **issuer.claims(url)}
                return found

            variables = {
                "DEPOT_HTTP_URL": url,
                "DEPOT_AUTH_ISSUER": issuer.name,
                "DEPOT_AUTH_INTROSPECTION_CLIENT_ID": CLIENT,
                "DEPOT_AUTH_INTROSPECTION_CLIENT_SECRET": SECRET,
            }
            yield Setup(variables, token, use, said)
    elif name == "logins":
        with Authority(seconds=0) as provider:
            variables = {
                "DEPOT_HTTP_URL": url,
                "DEPOT_ACCOUNT_AS": "user",
                "DEPOT_ACCOUNT_ISSUER": provider.issuer,
                "DEPOT_ACCOUNT_CLIENT_ID": authority.CLIENT,
                "DEPOT_ACCOUNT_CLIENT_SECRET": authority.SECRET,
            }
            yield Setup(tokens | variables, lambda: TOKEN, partial(login, provider), "GET mine")
    else:
        yield Setup(tokens, lambda: TOKEN, use, said)


async def calls(beside: Setup, port: int, many: int, missed: list[str]) -> list[float]:
    """Let the user make calls one after another, each on a new connection. Return the seconds of the answered ones."""
    took = []
    timeout = aiohttp.ClientTimeout(total=PATIENCE)
    headers, url = {"Authorization": f"Bearer {beside.token()}"}, f"http://127.0.0.1:{port}/mcp"
    for _ in range(many):
        async with aiohttp.ClientSession(timeout=timeout) as http:
            client = Client(http, url, NEWER, headers=headers, asks=("form", "url"))
            began = time.perf_counter()
            try:
                found = await beside.use(client)
                assert beside.said in found, found
                took.append(time.perf_counter() - began)
            except Exception as problem:  # whatever went wrong, the user has no answer
                missed.append(f"{type(problem).__name__} {problem}"[:160])
    return took


async def measured(name: str, folder: Path, rounds: int, many: int) -> Row:
    """Start a server, and measure the user's calls alone and attacked by turns."""
    port, began = free_port(), time.monotonic()
    row = Row(name, [], [], [], 0.0)
    with setup(name, folder, port) as beside:
        server = await asyncio.to_thread(start, folder, port, beside.variables)
        try:
            await calls(beside, port, 5, [])
            for _ in range(rounds):
                row.alone.extend(await calls(beside, port, many, row.missed))
                async with attacked(name, port):
                    row.attacked.extend(await calls(beside, port, many, row.missed))
        finally:
            server.kill()
            server.wait()
    logged = (folder / "log").read_bytes().splitlines()
    lines = sum(b'"outcome":"accept"' not in line for line in logged)  # the user's own yes
    return row._replace(lines=lines / max(1.0, (time.monotonic() - began) / 60))


async def run(folder: Path, chosen: list[str], rounds: int, many: int) -> bool:
    held = True
    line = "{:20} {:>9} {:>9} {:>6} {:>9} {:>11}  {}"
    print(line.format("attack", "alone", "attacked", "times", "answered", "log a minute", ""))
    os.sched_setaffinity(0, [_MINE])
    async with elsewhere("benchmarks.replicas.upstream") as upstream:
        generate(folder, int(upstream))
        for name in chosen:
            row = await measured(name, folder, rounds, many)
            times = high(row.attacked) / (high(row.alone) or 1.0)
            answered = f"{len(row.attacked)}/{rounds * many}"
            figures = (
                f"{high(row.alone) * 1000:.1f} ms",
                f"{high(row.attacked) * 1000:.1f} ms",
                f"{times:.1f}",
                answered,
            )
            print(
                line.format(name, *figures, f"{row.lines:.0f}", "held" if row.held else f"FAILED {row.missed[:2]}"),
                flush=True,
            )
            held = held and row.held
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=attackers.ATTACKS, help="only this attack")
    parser.add_argument("--rounds", type=int, default=3, help="how often the user is alone and attacked")
    parser.add_argument("--calls", type=int, default=100, help="calls of the user in each part of a round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        chosen = options.only or [*attackers.ATTACKS]
        return 0 if asyncio.run(run(Path(place), chosen, options.rounds, options.calls)) else 1


if __name__ == "__main__":
    sys.exit(main())
