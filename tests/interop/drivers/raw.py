"""A client without an SDK: it writes lines of JSON in the protocol revision that the job names as `mode`. It reads
messages without checking them.

Request ids and progress tokens are alternately numbers and strings. The first id and the first token are the number 0,
which a server must not take for a missing one.
"""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from tests.interop.drivers import session
from tests.interop.drivers.session import Object, Progress, ProtocolError

STATELESS = "2026-07-28"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    CAPABILITIES: {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
LONGEST_LINE = 10 << 20


class Raw:
    def __init__(self, server: Process, revision: str, asks: bool, follows: bool) -> None:
        self._server, self._revision = server, revision
        self._capabilities: Object = {"elicitation": {}} if asks else {}
        if follows and revision == STATELESS:
            self._capabilities["extensions"] = {"io.modelcontextprotocol/tasks": {}}
        self.answer, self.content = "", Object()
        self.logged: list[Object] = []
        self._level: Object = {}
        self.complaints: list[str] = []  # this client checks nothing, so it never reports a fault
        self._last_id = -1
        self._waiting: dict[str | int, asyncio.Future[Object]] = {}
        self._hearing: dict[str | int, Progress] = {}
        self._acknowledged, self._changed = asyncio.Event(), asyncio.Event()

    async def open(self) -> None:
        if self._revision == STATELESS:
            await self._ask("server/discover")
            return
        client: Object = {"protocolVersion": self._revision, "clientInfo": {"name": "raw", "version": "1"}}
        client["capabilities"] = self._capabilities
        opened = await self._ask("initialize", **client)
        assert opened["protocolVersion"] == self._revision, opened
        await self._say(method="notifications/initialized")
        await self._ask("ping")

    async def hear_log(self, level: str) -> None:
        if self._revision == STATELESS:
            self._level = {LOG_LEVEL: level}
        else:
            await self._ask("logging/setLevel", level=level)

    async def tools(self) -> list[Object]:
        listed: list[Object] = (await self._ask("tools/list"))["tools"]
        return listed

    async def call(self, tool: str, arguments: Object, progress: Progress | None) -> Object:
        result = await self._ask("tools/call", progress, name=tool, arguments=arguments)
        while result.get("resultType") == "input_required":
            brought = {"requestState": result["requestState"]}
            brought["inputResponses"] = dict.fromkeys(result["inputRequests"], self._said())
            result = await self._ask("tools/call", name=tool, arguments=arguments, **brought)
        return result

    def _said(self) -> Object:
        return {"action": self.answer, **({"content": self.content} if self.content else {})}

    async def by_hand(self, tool: str, arguments: Object, state: str | None, answer: str | None) -> Object:
        brought: Object = {"requestState": state} if state else {}
        if answer:
            brought["inputResponses"] = {"confirm": {"action": answer}}
        return await self._ask("tools/call", name=tool, arguments=arguments, **brought)

    async def ask(self, method: str, params: Object) -> Object:
        return await self._ask(method, **params)

    async def begin(self, tool: str, arguments: Object) -> Object:
        older: Object = {"task": {}} if self._revision != STATELESS else {}
        begun = await self._ask("tools/call", name=tool, arguments=arguments, **older)
        task: Object = begun["task"] if older else begun
        return task

    async def look(self, task: str) -> Object:
        found = await self._ask("tasks/get", taskId=task)
        if self._revision != STATELESS and found["status"] not in ("working", "cancelled"):
            found["result"] = await self._ask("tasks/result", taskId=task)
        return found

    async def cancel(self, task: str) -> None:
        await self._ask("tasks/cancel", taskId=task)

    async def hear_change(self, change: Awaitable[None]) -> None:
        if self._revision == STATELESS:
            wanted = {"notifications": {"toolsListChanged": True}, "_meta": ENVELOPE}
            await self._say(id="stream", method="subscriptions/listen", params=wanted)
            await self._acknowledged.wait()
        await change
        await self._changed.wait()

    async def abandon(self, tool: str, arguments: Object, progress: Progress, begun: Awaitable[None]) -> None:
        call = asyncio.ensure_future(self.call(tool, arguments, progress))
        await begun
        await self._say(method="notifications/cancelled", params={"requestId": self._id()})
        call.cancel()

    async def listen(self) -> None:
        """Read lines, and pass each to the request that waits for it."""
        assert self._server.stdout is not None
        async for line in self._server.stdout:
            message = json.loads(line)
            if message.get("method") == "notifications/progress":
                params = message["params"]
                hear = self._hearing[params["progressToken"]]
                await hear(params["progress"], params.get("total"), params.get("message"))
            elif message.get("method") == "notifications/message":
                self.logged.append(message["params"])
            elif message.get("method") == "elicitation/create":
                await self._say(id=message["id"], result=self._said())
            elif message.get("method") == "notifications/subscriptions/acknowledged":
                self._acknowledged.set()
            elif message.get("method") == "notifications/tools/list_changed":
                self._changed.set()
            elif "method" not in message:
                self._waiting.pop(message["id"]).set_result(message)

    async def _ask(self, method: str, progress: Progress | None = None, /, **params: object) -> Object:
        self._last_id += 1
        id_ = self._id()
        stateless = {**ENVELOPE, CAPABILITIES: self._capabilities, **self._level}
        meta: Object = stateless if self._revision == STATELESS else {}
        if progress is not None:
            meta["progressToken"] = token = self._token()
            self._hearing[token] = progress
        self._waiting[id_] = asyncio.get_running_loop().create_future()
        with_meta = {**params, "_meta": meta} if meta else params
        await self._say(id=id_, method=method, **({"params": with_meta} if with_meta else {}))
        answer = await self._waiting[id_]
        if "error" in answer:
            raise ProtocolError(answer["error"]["code"], answer["error"]["message"])
        result: Object = answer["result"]
        return result

    def _id(self) -> str | int:
        return f"request {self._last_id}" if self._last_id % 2 else self._last_id

    def _token(self) -> str | int:
        number = len(self._hearing)
        return f"token {number}" if number % 2 else number

    async def _say(self, **message: object) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self._server.stdin.drain()


@asynccontextmanager
async def connect(job: Object) -> AsyncIterator[Raw]:
    how = job["server"]
    environment = {"PATH": os.environ["PATH"], **how["env"]}
    server = await asyncio.create_subprocess_exec(
        how["command"], *how["args"], env=environment, cwd=how["cwd"], stdin=PIPE, stdout=PIPE, limit=LONGEST_LINE
    )
    follows = any(step["do"] == "begin" or "task" in step for step in job["steps"])
    client = Raw(server, job["mode"], bool(job.get("asks")), follows)
    listening = asyncio.ensure_future(client.listen())
    await client.open()
    yield client
    assert server.stdin is not None
    server.stdin.close()
    await listening
    assert await server.wait() == 0, server.returncode


if __name__ == "__main__":
    session.drive(connect)
