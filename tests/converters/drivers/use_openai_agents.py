"""Drive OpenAI Agents: `openai-agents`, with schemas made strict where possible."""

from __future__ import annotations

import json

from agents import Agent, RunContextWrapper  # type: ignore[import-not-found]
from agents.mcp import MCPServerStdio, MCPUtil  # type: ignore[import-not-found]
from agents.tool_context import ToolContext  # type: ignore[import-not-found]

from tests.converters.drivers.job import Job, Report, answered, arguments_of, drive


async def use(job: Job) -> Report:
    async with MCPServerStdio(params=job["server"]) as server:
        agent = Agent(name="agent", mcp_servers=[server])
        found = await MCPUtil.get_all_function_tools([server], True, RunContextWrapper(None), agent)
        tools = {tool.name: tool for tool in found}
        given = json.dumps(job["arguments"])
        context = ToolContext(None, tool_name=job["tool"], tool_call_id="1", tool_arguments=given)
        answer = await answered(tools[job["tool"]].on_invoke_tool(context, given))
        offered = {name: arguments_of(tool.params_json_schema) for name, tool in tools.items()}
        return {"tools": offered, "answer": answer}


drive(use)
