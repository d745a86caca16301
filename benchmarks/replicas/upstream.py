"""The API that the replicas call.

It counts requests, and responds as slowly and with as much data as a request asks for.

    python -m benchmarks.replicas.upstream

The process prints its port, and serves until it is killed.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from aiohttp import web

DOCUMENT = """\
openapi: 3.1.0
info: {title: Depot, version: 1.0.0, description: Holds things.}
servers: [{url: "http://127.0.0.1:%d"}]
paths:
  /things/{name}:
    parameters: [{name: name, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getThing
      summary: Get a thing
      parameters:
        - {name: seconds, in: query, description: How long it takes., schema: {type: number}}
        - {name: size, in: query, description: How many bytes it has., schema: {type: integer}}
      responses: {"200": {description: The thing., content: {text/plain: {schema: {type: string}}}}}
    delete:
      operationId: deleteThing
      summary: Delete a thing
      responses: {"200": {description: Gone., content: {text/plain: {schema: {type: string}}}}}
"""

TOOLS_FILE = """\
mcpgen: 1
server: {name: depot, logging: true}
openapi: [{document: depot.yaml}]
overrides: {deleteThing: {confirm: always}}
"""


class Upstream:
    """API that counts requests by HTTP method and NAME in `/things/NAME`. Use an instance in one event loop only."""

    def __init__(self) -> None:
        self.seen: Counter[tuple[str, str]] = Counter()
        self.port = 0
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen at a free port on loopback."""
        app = web.Application()
        app.router.add_route("*", "/things/{name}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        self.seen[request.method, request.match_info["name"]] += 1
        await asyncio.sleep(float(request.query.get("seconds", 0)))
        text = f"{request.method} {request.match_info['name']}"
        return web.Response(text=text + "." * (int(request.query.get("size", 0)) - len(text)))


async def main() -> None:
    upstream = Upstream()
    await upstream.start()
    print(upstream.port, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
