"""Serve the API for `everything.tools.yaml`: one path for each kind of response that the conformance suite expects."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web

DOT = (Path(__file__).parent / "dot.png").read_bytes()
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==")
MIXED = json.dumps(
    {"text": "Multiple content types test:", "image": base64.b64encode(DOT).decode(), "data": {"test": "data"}}
).encode()
_TRIED: list[int] = []
PHASE = 0.35
"""Seconds between two phases of a slow response. A shorter phase would cause no progress notification."""

ANSWERS = {
    "/text": (b"This is a simple text response for testing.", "text/plain", 200),
    "/image": (DOT, "image/png", 200),
    "/audio": (WAV, "audio/wav", 200),
    "/embedded": (b"\x00\x01\x02 resource", "application/octet-stream", 200),
    "/mixed": (MIXED, "application/json", 200),
    "/error": (b"This tool intentionally returns an error for testing", "text/plain", 500),
    "/confirmed": (b"The user confirmed.", "text/plain", 200),
}
"""Path → content, media type and status of its response."""


async def start() -> tuple[web.AppRunner, int]:
    """Serve the API on loopback until the returned runner is cleaned up. Return the runner and the port."""
    app = web.Application()
    for path, (content, media_type, status) in ANSWERS.items():
        app.router.add_route("*", path, _answering(content, media_type, status))
    app.router.add_get("/slow", _slow)
    app.router.add_get("/template/{id}", _template)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, int(runner.addresses[0][1])


def _answering(content: bytes, media_type: str, status: int) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=content, status=status, content_type=media_type)

    return answer


async def _template(request: web.Request) -> web.Response:
    return web.Response(text=f"Data of {request.match_info['id']}.")


async def _slow(request: web.Request) -> web.StreamResponse:
    """Refuse each first try with 503.

    Then send headers and body separately, so that each phase of the call takes a while.
    """
    await asyncio.sleep(PHASE)
    _TRIED.append(1)
    if len(_TRIED) % 2:
        return web.Response(status=503, headers={"Retry-After": "0"})
    answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await answer.prepare(request)
    await asyncio.sleep(PHASE)
    await answer.write(b"It took a while.")
    await asyncio.sleep(PHASE)
    await answer.write_eof()
    return answer
