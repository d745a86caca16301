"""Call tools by the client of the official Python SDK, one after another, until stdin ends.

The first line of stdin is the server (`{"command", "args", "env"}`). Each further line is `{"tool", "arguments"}` or
`{"resource": URI}`, and is answered by a line on stdout. The driver runs in an environment with the SDK.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import Client, MCPError, StdioServerParameters  # type: ignore[import-not-found]


async def main() -> None:
    server = StdioServerParameters(**json.loads(sys.stdin.readline()))
    async with Client(server, mode="auto") as client:
        print(json.dumps({"tools": [_wire(tool) for tool in (await client.list_tools()).tools]}), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await _answer(client, json.loads(line))), flush=True)


async def _answer(client: Any, wanted: dict[str, Any]) -> dict[str, Any]:
    try:
        if "resource" in wanted:
            return _wire(await client.read_resource(wanted["resource"]))
        return _wire(await client.call_tool(wanted["tool"], wanted["arguments"]))
    except MCPError as error:
        return {"error": error.message}


def _wire(model: Any) -> dict[str, Any]:
    wire: dict[str, Any] = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return wire


asyncio.run(main())
