"""Drive LangChain: `langchain-mcp-adapters`, and the schema that its chat models receive."""

from __future__ import annotations

from langchain_core.utils.function_calling import convert_to_openai_tool  # type: ignore[import-not-found]
from langchain_mcp_adapters.client import MultiServerMCPClient  # type: ignore[import-not-found]

from tests.converters.drivers.job import Job, Report, answered, arguments_of, drive


async def use(job: Job) -> Report:
    client = MultiServerMCPClient({"server": {"transport": "stdio", **job["server"]}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    offered = {name: convert_to_openai_tool(tool)["function"]["parameters"] for name, tool in tools.items()}
    answer = await answered(tools[job["tool"]].ainvoke(job["arguments"]))
    return {"tools": {name: arguments_of(schema) for name, schema in offered.items()}, "answer": answer}


drive(use)
