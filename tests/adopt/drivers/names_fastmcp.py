"""Print the names of the tools that FastMCP makes of API descriptions (documents).

stdin is a JSON list of paths of documents, stdout a JSON list of lists of names. The item for a document that FastMCP
refuses is null.
"""

# mypy: ignore-errors
# This script runs in the other tool's environment; its types are not installed here.

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

import httpx
import yaml
from fastmcp import FastMCP


async def names(path: str) -> list[str] | None:
    text = Path(path).read_text(encoding="utf-8-sig")
    spec: Any = json.loads(text) if path.endswith(".json") else yaml.load(text, yaml.CSafeLoader)
    try:
        server = FastMCP.from_openapi(
            spec, httpx.AsyncClient(base_url="https://api.example.com"), validate_output=False
        )
    except Exception:
        return None
    return [tool.name for tool in await server.list_tools()]


async def main() -> None:
    logging.disable(logging.CRITICAL)
    print(json.dumps([await names(path) for path in json.load(sys.stdin)]))


asyncio.run(main())
