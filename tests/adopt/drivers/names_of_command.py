"""Start servers over stdio, and print the names of their tools.

stdin is a JSON list of [command, arguments, environment variables].
"""

# mypy: ignore-errors
# This script runs in the other tool's environment; its types are not installed here.

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def names(command: str, arguments: list[str], variables: dict[str, str]) -> list[str]:
    log = Path("/dev/null")
    transport = StdioTransport(command, arguments, env=variables, log_file=log)
    async with Client(transport, timeout=60) as client:
        return [tool.name for tool in await client.list_tools()]


async def main() -> None:
    logging.disable(logging.CRITICAL)
    print(json.dumps([await names(*job) for job in json.load(sys.stdin)]))


asyncio.run(main())
