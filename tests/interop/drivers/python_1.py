"""Drive the client of the official Python SDK 1.x, which always opens a session by `initialize`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

from mcp import ClientSession, McpError, StdioServerParameters, stdio_client, types  # type: ignore[import-not-found]
from mcp.client.streamable_http import streamable_http_client  # type: ignore[import-not-found]

from tests.interop.drivers import session
from tests.interop.drivers.session import Object, Progress, ProtocolError


class Official:
    def __init__(self, client: Any, complaints: list[str]) -> None:
        self._client, self.complaints = client, complaints
        self.answer, self.content = "", Object()
        self.logged: list[Object] = []
        self.changed = asyncio.Event()

    async def hear_log(self, level: str) -> None:
        await self._client.set_logging_level(level)

    async def tools(self) -> list[Object]:
        return [_wire(tool) for tool in (await self._client.list_tools()).tools]

    async def call(self, tool: str, arguments: Object, progress: Progress | None) -> Object:
        try:
            return _wire(await self._client.call_tool(tool, arguments, progress_callback=progress))
        except McpError as error:
            raise ProtocolError(error.error.code, error.error.message) from error

    async def by_hand(self, tool: str, arguments: Object, state: str | None, answer: str | None) -> Object:
        raise NotImplementedError("This client knows the older era alone.")

    async def ask(self, method: str, params: Object) -> Object:
        client = self._client
        functions = {
            "resources/list": lambda: client.list_resources(),
            "resources/templates/list": lambda: client.list_resource_templates(),
            "resources/read": lambda: client.read_resource(params["uri"]),
            "prompts/list": lambda: client.list_prompts(),
            "prompts/get": lambda: client.get_prompt(params["name"], params["arguments"]),
            "completion/complete": lambda: client.complete(_reference(params["ref"]), params["argument"]),
        }
        try:
            return _wire(await functions[method]())
        except McpError as error:
            raise ProtocolError(error.error.code, error.error.message) from error

    async def begin(self, tool: str, arguments: Object) -> Object:
        begun: Object = _wire(await self._told(self._client.experimental.call_tool_as_task(tool, arguments)))["task"]
        return begun

    async def look(self, task: str) -> Object:
        found = _wire(await self._told(self._client.experimental.get_task(task)))
        if found["status"] not in ("working", "cancelled"):
            result = self._client.experimental.get_task_result(task, types.CallToolResult)
            found["result"] = _wire(await self._told(result))
        return found

    async def cancel(self, task: str) -> None:
        await self._told(self._client.experimental.cancel_task(task))

    async def _told(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except McpError as error:
            raise ProtocolError(error.error.code, error.error.message) from error

    async def hear_change(self, change: Awaitable[None]) -> None:
        await change
        await self.changed.wait()

    async def abandon(self, tool: str, arguments: Object, progress: Progress, begun: Awaitable[None]) -> None:
        # This client has no function to cancel a request, and hides request ids. So the notification is written by
        # hand.
        params = types.CancelledNotificationParams(requestId=self._client._request_id)
        call = asyncio.ensure_future(self.call(tool, arguments, progress))
        await begun
        cancelled = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self._client.send_notification(types.ClientNotification(cancelled))
        call.cancel()


def _reference(ref: Object) -> Any:
    prompt = ref["type"] == "ref/prompt"
    return types.PromptReference(**ref) if prompt else types.ResourceTemplateReference(**ref)


def _wire(model: Any) -> Object:
    wire: Object = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return wire


def _opened(server: Object) -> Any:
    """Return the streams to a server: over HTTP if the job gives a URL, otherwise over stdio."""
    return streamable_http_client(server["url"]) if "url" in server else stdio_client(StdioServerParameters(**server))


@asynccontextmanager
async def connect(job: Object) -> AsyncIterator[Official]:
    complaints: list[str] = []

    async def hear(message: object) -> None:
        if isinstance(message, Exception):
            complaints.append(repr(message))
        elif isinstance(getattr(message, "root", None), types.ToolListChangedNotification):
            official.changed.set()

    async def asked(context: object, params: Any) -> Any:
        return types.ElicitResult(
            action=official.answer, content=official.content if official.answer == "accept" else None
        )

    async def logged(params: Any) -> None:
        official.logged.append(_wire(params))

    more: Object = {"elicitation_callback": asked} if job.get("asks") else {}
    async with (
        _opened(job["server"]) as streams,
        ClientSession(*streams[:2], message_handler=hear, logging_callback=logged, **more) as client,
    ):
        await client.initialize()
        official = Official(client, complaints)
        yield official


if __name__ == "__main__":
    session.drive(connect)
