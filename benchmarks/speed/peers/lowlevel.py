"""Run the official Python SDK's lowlevel server, with the HTTP client and validator of generated servers.

A person who wants speed from the SDK would build such a server by hand. It supports only parameters in path and query.
Environment variables: DOCUMENT, path of the document (JSON); BASE_URL of the API; PORT, to serve HTTP at this port
under uvicorn.
"""

import asyncio
import json
import os
from typing import Any
from urllib.parse import quote

import aiohttp
import jsonschema_rs
import mcp_types as types  # type: ignore[import-not-found]
from mcp.server.lowlevel import Server  # type: ignore[import-not-found]
from mcp.server.stdio import stdio_server  # type: ignore[import-not-found]
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler  # type: ignore[import-not-found]


class Tool:
    """One operation with its schema and its validator."""

    def __init__(self, path: str, method: str, operation: dict[str, Any]) -> None:
        self.path, self.method = path, method
        self.parameters = operation.get("parameters", [])
        properties = {each["name"]: each["schema"] for each in self.parameters}
        required = [each["name"] for each in self.parameters if each.get("required")]
        schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        self.validator = jsonschema_rs.Draft202012Validator(schema)
        self.listed = types.Tool(name=operation["operationId"], description=operation["summary"], input_schema=schema)

    def request(self, arguments: dict[str, Any]) -> tuple[str, dict[str, str]]:
        """Return the path and query of the request for these arguments."""
        path, query = self.path, {}
        for each in self.parameters:
            if (name := each["name"]) in arguments:
                value = arguments[name]
                text = str(value).lower() if isinstance(value, bool) else str(value)
                if each["in"] == "path":
                    path = path.replace("{" + name + "}", quote(text, safe=""))
                else:
                    query[name] = text
        return path, query


async def main() -> None:
    with open(os.environ["DOCUMENT"], encoding="utf-8") as file:
        paths = json.load(file)["paths"]
    made = [Tool(path, method, each) for path, item in paths.items() for method, each in item.items()]
    tools = {tool.listed.name: tool for tool in made}

    async def list_tools(context: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[tool.listed for tool in made])

    async def call_tool(context: Any, params: Any) -> Any:
        tool, arguments = tools[params.name], params.arguments or {}
        if problems := [each.message for each in tool.validator.iter_errors(arguments)]:
            return types.CallToolResult(content=[types.TextContent(text="\n".join(problems))], is_error=True)
        path, query = tool.request(arguments)
        async with session.request(tool.method, path, params=query) as response:
            text = await response.text()
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=response.status >= 400)

    listen = ListenHandler(InMemorySubscriptionBus())
    server = Server("bench", on_list_tools=list_tools, on_call_tool=call_tool, on_subscriptions_listen=listen)
    async with aiohttp.ClientSession(os.environ["BASE_URL"], headers={"X-API-Key": os.environ["KEY"]}) as session:
        await (serve_http(server, int(os.environ["PORT"])) if "PORT" in os.environ else serve_stdio(server))


async def serve_stdio(server: Any) -> None:
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


async def serve_http(server: Any, port: int) -> None:
    import uvicorn  # imported late, because stdio does not need it

    config = uvicorn.Config(server.streamable_http_app(), port=port, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve()


def loop_factory() -> Any:
    """Return the function that makes the event loop. Over HTTP it is uvicorn's, which uses uvloop if installed; over
    stdio it is None (asyncio's default).
    """
    if "PORT" not in os.environ:
        return None
    import uvicorn

    return uvicorn.Config("").get_loop_factory()


with asyncio.Runner(loop_factory=loop_factory()) as runner:
    runner.run(main())
