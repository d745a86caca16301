"""Drive AutoGen: `autogen-ext[mcp]`, which makes a pydantic model of each tool."""

from __future__ import annotations

from typing import Any

from autogen_core import CancellationToken  # type: ignore[import-not-found]
from autogen_ext.tools.mcp import StdioServerParams, mcp_server_tools  # type: ignore[import-not-found]

from tests.converters.drivers.job import Job, Report, answered, arguments_of, drive


async def _called(tool: Any, arguments: dict[str, Any]) -> str:
    text: str = tool.return_value_as_string(await tool.run_json(arguments, CancellationToken()))
    return text


async def use(job: Job) -> Report:
    tools = {tool.name: tool for tool in await mcp_server_tools(StdioServerParams(**job["server"]))}
    answer = await answered(_called(tools[job["tool"]], job["arguments"]))
    return {"tools": {name: arguments_of(each.schema["parameters"]) for name, each in tools.items()}, "answer": answer}


drive(use)
