"""Drive the client of the official Python SDK 2.x.

Its modes are `auto`, `legacy`, and a protocol revision (`2026-07-28`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, Literal

import anyio
from mcp import Client, MCPError, StdioServerParameters, types  # type: ignore[import-not-found]
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim  # type: ignore[import-not-found]
from pydantic import BaseModel

from tests.interop.drivers import session
from tests.interop.drivers.session import Object, Progress, ProtocolError


class Task(types.Result):  # type: ignore[misc]
    """A task of MCP's tasks extension. The client does not know tasks by itself, so this driver adds `Tasks` to it."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str


class OfTask(types.RequestParams):  # type: ignore[misc]
    task_id: str


class GetTask(types.Request[OfTask, Literal["tasks/get"]]):  # type: ignore[misc]
    method: Literal["tasks/get"] = "tasks/get"
    params: OfTask
    name_param = "taskId"


class CancelTask(types.Request[OfTask, Literal["tasks/cancel"]]):  # type: ignore[misc]
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: OfTask
    name_param = "taskId"


class State(types.Result):  # type: ignore[misc]
    task_id: str = ""
    status: str = ""
    result: Object | None = None


class Tasks(ClientExtension):  # type: ignore[misc]
    """The MCP extension for tasks, in the form in which an application adds it to this client."""

    identifier = "io.modelcontextprotocol/tasks"

    def claims(self) -> list[Any]:
        return [ResultClaim(result_type="task", model=Task, resolve=self._unresolved)]

    async def _unresolved(self, task: Any, context: ClaimContext) -> Any:
        raise NotImplementedError("The driver asks for tasks by hand.")


class Official:
    def __init__(self, client: Any, complaints: list[str], legacy: bool) -> None:
        self._client, self.complaints = client, complaints
        self._legacy = legacy
        self.answer, self.content = "", Object()
        self.logged: list[Object] = []
        self.changed = anyio.Event()

    async def hear_log(self, level: str) -> None:
        if self._legacy:
            await self._client.set_logging_level(level)

    async def tools(self) -> list[Object]:
        return [_wire(tool) for tool in (await self._client.list_tools()).tools]

    async def call(self, tool: str, arguments: Object, progress: Progress | None) -> Object:
        try:
            return _wire(await self._client.call_tool(tool, arguments, progress_callback=progress))
        except MCPError as error:
            raise ProtocolError(error.code, error.message) from error

    async def by_hand(self, tool: str, arguments: Object, state: str | None, answer: str | None) -> Object:
        brought = {"confirm": types.ElicitResult(action=answer)} if answer else None
        more = {"input_responses": brought, "request_state": state, "allow_input_required": True}
        try:
            return _wire(await self._client.session.call_tool(tool, arguments, **more))
        except MCPError as error:
            raise ProtocolError(error.code, error.message) from error

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
        except MCPError as error:
            raise ProtocolError(error.code, error.message) from error

    async def begin(self, tool: str, arguments: Object) -> Object:
        try:
            return _wire(await self._client.session.call_tool(tool, arguments, allow_claimed=True))
        except MCPError as error:
            raise ProtocolError(error.code, error.message) from error

    async def look(self, task: str) -> Object:
        return await self._about(GetTask(params=OfTask(task_id=task)))

    async def cancel(self, task: str) -> None:
        await self._about(CancelTask(params=OfTask(task_id=task)))

    async def _about(self, request: BaseModel) -> Object:
        try:
            return _wire(await self._client.session.send_request(request, State))
        except MCPError as error:
            raise ProtocolError(error.code, error.message) from error

    async def hear_change(self, change: Awaitable[None]) -> None:
        if self._legacy:
            await change
            await self.changed.wait()
            return
        async with self._client.listen(tools_list_changed=True) as told:
            await change
            await anext(aiter(told))

    async def abandon(self, tool: str, arguments: Object, progress: Progress, begun: Awaitable[None]) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self.call, tool, arguments, progress)
            await begun
            group.cancel_scope.cancel()


def _reference(ref: Object) -> Any:
    prompt = ref["type"] == "ref/prompt"
    return types.PromptReference(**ref) if prompt else types.ResourceTemplateReference(**ref)


def _wire(model: Any) -> Object:
    wire: Object = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return wire


@asynccontextmanager
async def connect(job: Object) -> AsyncIterator[Official]:
    complaints: list[str] = []

    async def hear(message: object) -> None:
        if isinstance(message, Exception):
            complaints.append(repr(message))
        elif isinstance(message, types.ToolListChangedNotification):
            official.changed.set()

    async def asked(context: object, params: Any) -> Any:
        return types.ElicitResult(
            action=official.answer, content=official.content if official.answer == "accept" else None
        )

    async def logged(params: Any) -> None:
        official.logged.append(_wire(params))

    server = job["server"]
    parameters = server.get("url") or StdioServerParameters(**server)
    more: Object = {"elicitation_callback": asked} if job.get("asks") else {}
    if any(step["do"] == "begin" or "task" in step for step in job["steps"]):
        more["extensions"] = [Tasks()]
    if levels := [step["log"] for step in job["steps"] if "log" in step]:
        more |= {"logging_callback": logged, "log_level": levels[0]}  # each stateless request names its log level
    async with Client(parameters, mode=job["mode"], message_handler=hear, **more) as client:
        official = Official(client, complaints, job["mode"] == "legacy")
        yield official


if __name__ == "__main__":
    session.drive(connect)
