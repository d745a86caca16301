"""Drive smolagents: `smolagents[mcp]`, which makes its own kind of schema with `mcpadapt`."""

from __future__ import annotations

import asyncio

from mcp import StdioServerParameters  # type: ignore[import-not-found]
from smolagents import MCPClient  # type: ignore[import-not-found]

from tests.converters.drivers.job import Job, Report, answered, drive


async def use(job: Job) -> Report:
    with MCPClient(StdioServerParameters(**job["server"]), structured_output=True) as found:
        tools = {tool.name: tool for tool in found}
        answer = await answered(asyncio.to_thread(tools[job["tool"]], **job["arguments"]))
        return {"tools": {name: sorted(tool.inputs) for name, tool in tools.items()}, "answer": answer}


drive(use)
