"""Drive LlamaIndex: `llama-index-tools-mcp`, which makes a pydantic model of each tool."""

from __future__ import annotations

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec  # type: ignore[import-not-found]

from tests.converters.drivers.job import Job, Report, answered, arguments_of, drive


async def use(job: Job) -> Report:
    server = job["server"]
    client = BasicMCPClient(server["command"], args=server["args"], env=server["env"])
    tools = {tool.metadata.name: tool for tool in await McpToolSpec(client).to_tool_list_async()}
    offered = {name: tool.metadata.get_parameters_dict() for name, tool in tools.items()}
    answer = await answered(tools[job["tool"]].acall(**job["arguments"]))
    return {"tools": {name: arguments_of(schema) for name, schema in offered.items()}, "answer": answer}


drive(use)
