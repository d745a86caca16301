"""Let the token endpoint issue hostile access tokens, and let the API repeat them in many encodings.

Each call must be answered, no output may hold a token, and the server must still end at a signal.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from urllib.parse import quote

from tests.hostile.fuzz.limits import said, serving
from tests.hostile.subject import compiled, playing
from tests.runtime.upstream import Connection

TOOLS = Path(__file__).parents[1] / "granted.tools.yaml"
CPU_SECONDS = 20
"""CPU seconds of a server that fetches one token and makes some calls."""
CALLS = 6
SHORTEST = 12
"""Minimum length of a token that is searched for in the output. A shorter token may occur there by chance."""
PIECES = ("-", "a", "-a", "A", "%41", "%2541", "&amp;", "&#65;", "\\", "\\u0041", "+", "/", "=", "x" * 40, "0", "~!@")


def token(chance: Random) -> str:
    """Return a random token of repeated pieces with a different end, so that it nearly matches itself at
    many offsets.
    """
    made = "".join(chance.choice(PIECES) * chance.choice((1, 3, 50, 2000)) for _ in range(chance.choice((1, 2, 3))))
    return made[: chance.choice((100, 8000, 20_000))] + chance.choice(("", "A", "b"))


def echo(chance: Random, secret: str) -> str:
    """Return the token in an encoding that redaction recognises, among much similar text."""
    ways = [
        secret,
        json.dumps(secret),
        quote(secret, safe=""),
        json.dumps(quote(secret, safe="")),
        base64.b64encode(secret.encode()).decode(),
        "".join(f"\\u{ord(each):04x}" for each in secret),
    ]
    around = secret[: chance.choice((1, 2, 50))] * chance.choice((1, 100, 20_000))
    return f"{around[:400_000]} {chance.choice(ways)} {chance.choice(('', around[:1000]))}"


def fuzz(project: Path, seed: int, count: int) -> None:
    """Run `count` servers. Raise AssertionError if one shows a token or does not answer.

    `project` is used only by other kinds of fuzz.
    """
    chance = Random(seed)
    with TemporaryDirectory() as folder:
        granted = compiled(Path(folder), TOOLS)
        for number in range(count):
            _one(granted, chance, f"server {number} of seed {seed}")


def _one(project: Path, chance: Random, where: str) -> None:
    secret = token(chance)

    async def play(connection: Connection) -> None:
        while request := await connection.request():
            is_token = request.startswith(b"POST /token") or b"/token " in request
            grant = {"access_token": secret, "token_type": "Bearer", "expires_in": 3600}
            content = (json.dumps(grant) if is_token else echo(chance, secret)).encode()
            kind = b"application/json" if is_token or chance.random() < 0.5 else b"text/plain"
            head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(content))
            await connection.send(head + content)

    login = {"HOSTILE_OAUTH_CLIENT_ID": "client", "HOSTILE_OAUTH_CLIENT_SECRET": "client-secret"}
    with playing(play) as upstream, serving(project, upstream, CPU_SECONDS, variables=login) as server:
        for call in range(CALLS):
            text = said(server, "get_case", {"n": call})
            assert text, where
            assert len(secret) < SHORTEST or secret not in text, f"{where}: {secret[:200]}"
        server.process.terminate()
        server.rest()
        assert server.ended() == 128 + 15, where
