"""Drive pydantic-ai: run a complete agent, whose model is a function that calls one tool."""

from __future__ import annotations

from typing import Any

from fastmcp.client.transports import StdioTransport  # type: ignore[import-not-found]
from pydantic_ai import Agent  # type: ignore[import-not-found]
from pydantic_ai.mcp import MCPToolset  # type: ignore[import-not-found]
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # type: ignore[import-not-found]
from pydantic_ai.models.function import FunctionModel  # type: ignore[import-not-found]

from tests.converters.drivers.job import Job, Report, answered, arguments_of, drive


async def use(job: Job) -> Report:
    offered: dict[str, Any] = {}

    def model(messages: list[Any], info: Any) -> Any:
        if not offered:
            offered.update({tool.name: tool.parameters_json_schema for tool in info.function_tools})
            return ModelResponse(parts=[ToolCallPart(job["tool"], job["arguments"])])
        return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])

    agent = Agent(FunctionModel(model), toolsets=[MCPToolset(StdioTransport(**job["server"]))])
    answer = await answered(agent.run("Call the tool."))
    if not offered:
        return {"failed": answer}
    return {"tools": {name: arguments_of(schema) for name, schema in offered.items()}, "answer": answer}


drive(use)
