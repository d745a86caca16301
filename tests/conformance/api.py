"""Serve the API for `everything.tools.yaml`: one path for each kind of upstream response that the tests of the
conformance suite need.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

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
    app.router.add_get("/greet", _greet)
    _add_jobs(app)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, int(runner.addresses[0][1])


def _answering(content: bytes, media_type: str, status: int) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=content, status=status, content_type=media_type)

    return answer


async def _greet(request: web.Request) -> web.Response:
    return web.Response(text=f"Hello, {request.query.get('name')}!")


def _add_jobs(app: web.Application) -> None:
    """Add paths that start, read and cancel jobs.

    After the requested number of seconds, a job started by `/jobs/slow` is done, and one by `/jobs/failing` has failed.
    A job started by `/jobs/forgotten` does not exist: reading it always returns 404.
    """
    jobs: dict[str, tuple[float, dict[str, Any]]] = {}

    async def begin(request: web.Request) -> web.Response:
        asked, number = await request.json() if request.can_read_body else {}, str(len(jobs) + 1)
        status = "failed" if request.path.endswith("failing") else "done"
        if not request.path.endswith("forgotten"):
            jobs[number] = time.monotonic() + asked.get("seconds", 0), {**asked, "id": number, "status": status}
        return web.json_response({"id": number, "status": "running"}, status=202)

    async def look(request: web.Request) -> web.Response:
        if (found := jobs.get(request.match_info["id"])) is None:
            return web.json_response({}, status=404)
        end, job = found
        return web.json_response(job if time.monotonic() >= end else {"status": "running"})

    async def cancel(request: web.Request) -> web.Response:
        jobs.pop(request.match_info["id"], None)
        return web.Response(status=204)

    for kind in ("slow", "failing", "forgotten"):
        app.router.add_post(f"/jobs/{kind}", begin)
    app.router.add_get("/jobs/{id}", look)
    app.router.add_delete("/jobs/{id}", cancel)


async def _template(request: web.Request) -> web.Response:
    return web.Response(text=f"Data of {request.match_info['id']}.")


async def _slow(request: web.Request) -> web.StreamResponse:
    """Refuse the first of every two requests with 503.

    Answer the second one slowly: send headers and body separately, so that each phase of the call takes a while.
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
