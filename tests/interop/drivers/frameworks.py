"""Call tools of an MCP server through an agent framework, as a model that sets only some arguments.

Arguments of the script: the framework, the Python of the server, the folder of its project and the name of its package.
stdin has a list of calls as JSON, each `[TOOL, ARGUMENTS]`; stdout gets the text of each result.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

Call = tuple[str, dict[str, Any]]


def by_mcpadapt(command: str, arguments: list[str], calls: list[Call]) -> list[str]:
    """Validate the arguments with mcpadapt's model of the input schema, and send all its members, as CrewAI does."""
    from mcp import StdioServerParameters  # type: ignore[import-not-found]
    from mcpadapt.core import MCPAdapt, ToolAdapter  # type: ignore[import-not-found]
    from mcpadapt.utils.modeling import create_model_from_json_schema  # type: ignore[import-not-found]

    class Adapter(ToolAdapter):  # type: ignore[misc]
        def adapt(self, func: Any, mcp_tool: Any) -> Any:
            model = create_model_from_json_schema(mcp_tool.inputSchema)
            return mcp_tool.name, lambda given: func(model(**given).model_dump()).content[0].text

        def async_adapt(self, afunc: Any, mcp_tool: Any) -> Any:
            raise NotImplementedError

    server = StdioServerParameters(command=command, args=arguments, env={**os.environ})
    with MCPAdapt(server, Adapter()) as tools:
        by_name = dict(tools)
        return [str(by_name[tool](given)) for tool, given in calls]


def by_langchain(command: str, arguments: list[str], calls: list[Call]) -> list[str]:
    """Call the tools of langchain-mcp-adapters, with null for each argument that is not set."""
    from langchain_mcp_adapters.client import MultiServerMCPClient  # type: ignore[import-not-found]

    async def main() -> list[str]:
        server = {"command": command, "args": arguments, "transport": "stdio", "env": {**os.environ}}
        tools = {tool.name: tool for tool in await MultiServerMCPClient({"server": server}).get_tools()}
        results = []
        for name, given in calls:
            unset = dict.fromkeys(tools[name].args_schema["properties"])
            results.append(json.dumps(await tools[name].ainvoke({**unset, **given}), default=str))
        return results

    return asyncio.run(main())


def by_openai_agents(command: str, arguments: list[str], calls: list[Call]) -> list[str]:
    """Call the tools of OpenAI's Agents SDK in strict mode, in which a model must give each member of the schema."""
    from agents.mcp import MCPServerStdio, MCPUtil  # type: ignore[import-not-found]
    from agents.run_context import RunContextWrapper  # type: ignore[import-not-found]
    from agents.tool_context import ToolContext  # type: ignore[import-not-found]

    async def main() -> list[str]:
        parameters = {"command": command, "args": arguments, "env": {**os.environ}}
        async with MCPServerStdio(params=parameters) as server:
            found = {tool.name: tool for tool in await server.list_tools()}
            results = []
            for name, given in calls:
                tool = MCPUtil.to_function_tool(found[name], server, convert_schemas_to_strict=True)
                text = json.dumps({**dict.fromkeys(tool.params_json_schema["properties"]), **given})
                context = ToolContext.from_agent_context(
                    RunContextWrapper(None), "call_1", tool_name=name, tool_arguments=text
                )
                results.append(json.dumps(await tool.on_invoke_tool(context, text), default=str))
            return results

    return asyncio.run(main())


FRAMEWORKS = {"mcpadapt": by_mcpadapt, "langchain": by_langchain, "openai-agents": by_openai_agents}

if __name__ == "__main__":
    framework, python, folder, package = sys.argv[1:]
    os.chdir(folder)
    print(json.dumps(FRAMEWORKS[framework](python, ["-m", package], json.load(sys.stdin))))
