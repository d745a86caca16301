"""Drive Strands: `strands-agents`, whose client runs in a thread of its own."""

from __future__ import annotations

import asyncio

from mcp import StdioServerParameters, stdio_client  # type: ignore[import-not-found]
from strands.tools.mcp import MCPClient  # type: ignore[import-not-found]

from tests.converters.drivers.job import Job, Report, answered, arguments_of, drive


async def use(job: Job) -> Report:
    with MCPClient(lambda: stdio_client(StdioServerParameters(**job["server"]))) as client:
        offered = {tool.tool_name: tool.tool_spec["inputSchema"]["json"] for tool in client.list_tools_sync()}
        answer = await answered(asyncio.to_thread(client.call_tool_sync, "1", job["tool"], job["arguments"]))
    return {"tools": {name: arguments_of(schema) for name, schema in offered.items()}, "answer": answer}


drive(use)
