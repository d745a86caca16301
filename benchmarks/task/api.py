"""Serve the API for the benchmark's task. It records each request, and answers with a body of a given size."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from mcpgen.base import tokens

RUN, JOB, ISSUE, COMMENT = 9_120_331, 25_570_121, 214, 1_904_113
FAILURE = "E   AssertionError: expected 3 rows, got 2"
REPOSITORY = "/repos/octo/orders"
Row = dict[str, Any]


class Recorded:
    """A running API: its URL, and the requests that it received (`POST /path {json}`)."""

    def __init__(self, url: str, requests: list[str]) -> None:
        self.url = url
        self.requests = requests


@contextmanager
def serve(size: int) -> Iterator[Recorded]:
    """Serve the API on loopback in a thread. Each response has about `size` tokens."""
    loop, requests = asyncio.new_event_loop(), list[str]()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(_start(requests, size), loop).result()
    try:
        yield Recorded(f"http://127.0.0.1:{runner.addresses[0][1]}", requests)
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _start(requests: list[str], size: int) -> web.AppRunner:
    application = web.Application()

    @web.middleware
    async def record(request: web.Request, handler: Callable[[web.Request], Any]) -> web.StreamResponse:
        body = await request.text()
        requests.append(f"{request.method} {request.path_qs} {body}".rstrip())
        answered: web.StreamResponse = await handler(request)
        return answered

    application.middlewares.append(record)
    routes = {
        ("GET", "/actions/runs"): lambda: web.json_response(_runs(size)),
        ("GET", f"/actions/runs/{RUN}/jobs"): lambda: web.json_response(_jobs(size)),
        ("GET", f"/actions/jobs/{JOB}/logs"): lambda: web.Response(text=_log(size)),
        ("POST", "/issues"): lambda: web.json_response(_issue(size), status=201),
        ("POST", f"/issues/{ISSUE}/comments"): lambda: web.json_response(_comment(size), status=201),
    }
    for (method, path), made in routes.items():

        async def answer(_: web.Request, made: Callable[[], web.Response] = made) -> web.Response:
            return made()

        application.router.add_route(method, REPOSITORY + path, answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner


def _runs(size: int) -> Row:
    def row(number: int) -> Row:
        return {
            "id": RUN - number,
            "name": "tests",
            "head_branch": "main" if number == 0 else f"feature-{number}",
            "event": "push",
            "status": "completed",
            "conclusion": "failure",
            "run_number": 812 - number,
            "created_at": f"2026-02-03T{9 - number % 9:02}:14:07Z",
        }

    return {"total_count": 3, "workflow_runs": _filled(row, size)}


def _jobs(size: int) -> Row:
    def row(number: int) -> Row:
        return {
            "id": JOB + number,
            "run_id": RUN,
            "name": "test" if number == 0 else f"lint ({number})",
            "status": "completed",
            "conclusion": "failure" if number == 0 else "success",
            "started_at": "2026-02-03T09:14:20Z",
            "completed_at": "2026-02-03T09:16:02Z",
        }

    return {"total_count": 4, "jobs": _filled(row, size)}


def _log(size: int) -> str:
    lines = [f"2026-02-03T09:15:{number % 60:02}Z tests/test_orders.py::test_{number} PASSED" for number in range(9999)]
    shown = ["2026-02-03T09:15:00Z tests/test_orders.py::test_import FAILED", FAILURE]
    while tokens.estimate("\n".join(shown)) < size:
        shown.append(lines[len(shown)])
    return "\n".join(shown)


def _issue(size: int) -> Row:
    return _padded({"id": 77_120_090, "number": ISSUE, "state": "open", "title": "tests fail on main"}, size)


def _comment(size: int) -> Row:
    return _padded({"id": COMMENT, "body": "The log is attached.", "created_at": "2026-02-03T09:20:00Z"}, size)


def _filled(row: Callable[[int], Row], size: int) -> list[Row]:
    """Return as many rows made by `row` as have about `size` tokens together."""
    rows = [row(0)]
    while tokens.estimate([*rows]) < size:
        rows.append(row(len(rows)))
    return rows


def _padded(value: Row, size: int) -> Row:
    """Return the object with additional links, so that it has about `size` tokens."""
    for number in range(9999):
        if tokens.estimate(value) >= size:
            break
        value[f"{('events', 'labels', 'timeline', 'reactions')[number % 4]}_url_{number}"] = (
            f"https://api.github.com{REPOSITORY}/issues/{ISSUE}/{number}"
        )
    return value
