"""Show views in a browser as clients with MCP Apps do: with the official bridge, in a frame that only runs scripts."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from mcpgen.views import application
from tests.page.browser import Page

HERE = Path(__file__).parent
PACKAGES = {"@modelcontextprotocol/ext-apps": "2.0.4", "axe-core": "4.14.1"}

FLAGS = ("--disable-features=IsolateSandboxedIframes", "--disable-site-isolation-trials")
"""Flags of a browser that runs the frame of the view in the process of the host, where a test sees its requests."""

CAN: dict[str, Any] = {
    "openLinks": {},
    "serverTools": {},
    "serverResources": {},
    "message": {"text": {}},
    "updateModelContext": {"text": {}},
}
"""Capabilities of the host."""

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; connect-src 'none'; "
    "img-src 'self' data:; font-src 'self'; media-src 'self' data:; frame-src 'none'; object-src 'none'; "
    "base-uri 'self'"
)
"""Content security policy that the extension demands of a host for a view that declares no hosts."""

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
"""A picture of one pixel, in PNG."""

Answer = Callable[[Any], Awaitable[Any]]


class Host:
    """A program that shows views. `call`, `read`: functions that answer `tools/call` and `resources/read`.

    `seen`: paths that the browser has asked of the host's server. `page`: the browser. `pictures`: origins whose
    pictures the view may show.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.call: Answer = refuse
        self.read: Answer = refuse
        self.seen: list[str] = []
        self.pictures: list[str] = []

    async def open(self, width: int, scheme: str = "light") -> None:
        """Open the host's page in a window of this size."""
        self.page.errors, self.page.dialogs, self.page.requests = [], [], []
        self.seen.clear()
        await self.page.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        await self.page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        await self.page.ask("Page.navigate", url=f"{self.address}/")
        await self.until("window.ready === true")

    async def play(self, result: Any, given: Any = None, can: Any = CAN, **context: Any) -> None:
        """Show the view in a frame, and give it the input and the result of a call."""
        context = {"theme": "light", "timeZone": "Europe/Berlin", "locale": "en-US", **context}
        asked = {"can": can, "context": context, "input": given, "result": result}
        await self.page.run(f"play({json.dumps(asked)})")
        await self.drawn()

    async def inside(self, script: str) -> Any:
        """Evaluate a JavaScript expression in the frame of the view, and return its value."""
        tree = (await self.page.ask("Page.getFrameTree"))["frameTree"]
        frame = tree["childFrames"][-1]["frame"]["id"]
        context = self.page.contexts[frame]
        answer = await self.page.ask(
            "Runtime.evaluate", expression=script, contextId=context, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def drawn(self) -> None:
        """Wait until the view has drawn what its last messages say, and the host has given it the room it asks for."""
        for _ in range(3):
            await self.inside("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            await self.page.drawn()

    async def assert_quiet(self) -> None:
        """Check that nothing failed, and that the browser asked nobody but this host's server."""
        assert [each for each in self.page.errors if each != "console.debug"] == []  # the bridge writes debug messages
        assert await self.page.run("faults") == []
        assert self.page.dialogs == []
        elsewhere = [url for url in self.page.requests if not url.startswith((self.address, "data:"))]
        assert elsewhere == [], elsewhere

    async def until(self, script: str, inside: bool = False) -> None:
        """Wait until a JavaScript expression is true."""
        while not await (self.inside if inside else self.page.run)(script):
            await self.page.drawn()


async def refuse(params: Any) -> Any:
    """Answer a call or the reading of a resource as a server that has neither."""
    return {"content": [{"type": "text", "text": "Not here."}], "isError": True}


@asynccontextmanager
async def hosting(page: Page, packages: Path) -> AsyncIterator[Host]:
    """Yield a host. `packages`: the folder of npm packages with the official bridge."""
    html = application().decode()

    async def view(request: web.Request) -> web.Response:
        text, policy = (each.replace("data:", " ".join(["data:", *host.pictures]), 1) for each in (html, POLICY))
        return web.Response(text=text, content_type="text/html", headers={"Content-Security-Policy": policy})

    async def shell(request: web.Request) -> web.FileResponse:
        return web.FileResponse(HERE / "host.html")

    async def picture(request: web.Request) -> web.Response:
        return web.Response(body=PICTURE, content_type="image/png")

    async def nothing(request: web.Request) -> web.Response:
        return web.Response(status=204)

    async def answered(request: web.Request) -> web.Response:
        answer = host.call if request.path == "/call" else host.read
        return web.json_response(await answer(await request.json()))

    @web.middleware
    async def noted(request: web.Request, handler: Any) -> Any:
        host.seen.append(request.path)
        return await handler(request)

    app = web.Application(middlewares=[noted])
    app.router.add_get("/", shell)
    app.router.add_get("/favicon.ico", nothing)
    app.router.add_get("/view", view)
    app.router.add_get("/pictures/{name}", picture)
    app.router.add_post("/call", answered)
    app.router.add_post("/resource", answered)
    app.router.add_static("/packages", packages, follow_symlinks=False)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host = Host(page, f"http://127.0.0.1:{runner.addresses[0][1]}")
        yield host
    finally:
        await runner.cleanup()
