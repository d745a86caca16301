"""Control a headless Chromium by its DevTools protocol, and record a page's errors, dialogs and requests."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"),
)
PATIENCE = 120
"""Timeout in seconds for an event that must happen. No test measures time with it."""

_BAD = {"error", "warning"}


class Page:
    """One browser tab. `errors`: error messages of the console.

    `dialogs`, `requests`: dialogs that the page opened, and URLs that it requested. `contexts`: frame -> the id of the
    context in which its scripts run.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._seen: set[str] = set()
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        self.contexts: dict[str, int] = {}

    async def ask(self, method: str, **params: Any) -> Any:
        """Send a DevTools command, and return its result."""
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        while (message := await self._received()).get("id") != self._number:
            pass
        assert "error" not in message, message
        return message["result"]

    async def open(
        self, path: Path, width: int = 1280, height: int = 900, scheme: str = "light", part: str = ""
    ) -> None:
        """Open a file in a window of this size, and wait until it has loaded."""
        self.errors, self.dialogs, self.requests = [], [], []
        await self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        await self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        await self.ask("Page.navigate", url="about:blank")
        await self._until("Page.loadEventFired")
        await self.ask("Page.navigate", url=path.as_uri() + part)
        await self._until("Page.loadEventFired")
        await self.drawn()

    async def run(self, script: str) -> Any:
        """Evaluate a JavaScript expression, which may be a promise, and return its value."""
        answer = await self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def drawn(self) -> None:
        """Wait until the next frame has been drawn."""
        await self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    async def type(self, text: str) -> None:
        """Type text into the focused element."""
        await self.ask("Input.insertText", text=text)
        await self.drawn()

    async def press(self, key: str) -> None:
        """Press and release one key in the page."""
        for kind in ("keyDown", "keyUp"):
            await self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, text="\r" if key == "Enter" else "")
        await self.drawn()

    async def point(self, selector: str, click: bool = False) -> None:
        """Move the pointer to the middle of an element, and click if `click` is given."""
        box = await self.run(
            f"(() => {{ const box = document.querySelector({selector!r}); box.scrollIntoView({{block: 'center'}});"
            " const at = box.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; })()"
        )
        kinds = ("mouseMoved", "mousePressed", "mouseReleased") if click else ("mouseMoved",)
        for kind in kinds:
            more = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            await self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], **more)
        await self.drawn()

    async def _until(self, event: str) -> None:
        while event not in self._seen:
            await self._received()
        self._seen.discard(event)

    async def _received(self) -> Any:
        message = await self._socket.receive_json(timeout=PATIENCE)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: Any) -> None:
        self._seen.add(method)
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in _BAD:
            self.errors.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.errors.append(f"console.{params['type']}")
        elif method == "Runtime.executionContextCreated" and params["context"]["auxData"].get("isDefault"):
            self.contexts[params["context"]["auxData"]["frameId"]] = params["context"]["id"]
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(params["message"])
        elif method == "Network.requestWillBeSent" and params["request"]["url"] != "about:blank":
            self.requests.append(params["request"]["url"])


@asynccontextmanager
async def browsing(profile: Path, *flags: str) -> AsyncIterator[Page]:
    """Yield the tab of a new browser, which ends with the `with` block. `flags`: further flags of the browser."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *FLAGS,
        *flags,
        f"--user-data-dir={profile}",
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        address = await asyncio.wait_for(_address(process), PATIENCE)
        draining = asyncio.ensure_future(_drain(process))
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://{address}/json/list") as answer:
                tab = next(each for each in await answer.json() if each["type"] == "page")
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Page(socket)
                for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
                    await page.ask(f"{domain}.enable")
                yield page
    finally:
        process.terminate()
        await process.wait()
    await draining


async def _address(process: asyncio.subprocess.Process) -> str:
    """Return the host and port that the browser prints when it listens."""
    assert process.stderr is not None
    while line := (await process.stderr.readline()).decode(errors="replace"):
        if found := re.search(r"DevTools listening on ws://([^/]+)/", line):
            return found[1]
    raise AssertionError("Chromium ended before it listened")


async def _drain(process: asyncio.subprocess.Process) -> None:
    assert process.stderr is not None
    while await process.stderr.read(65536):
        pass
