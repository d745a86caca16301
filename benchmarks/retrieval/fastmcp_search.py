"""Run FastMCP's search over the tools that FastMCP itself makes of a document.

Start this script in FastMCP's environment.

Without arguments it reads a JSON object from stdin: `documents` (paths), `most` (number of tools in a result),
`questions` (search queries), and `schemas` (false: tools have no output schemas). For each query it writes a JSON line
to stdout: the operations that were found (`GET /path`), the text of the result, and the CPU milliseconds of the search.

With `--serve` it serves DOCUMENT over stdio, for an API at BASE_URL.
"""

import asyncio
import json
import os
import sys
import time
from typing import Any

import httpx2 as httpx  # type: ignore[import-not-found]
import yaml
from fastmcp import FastMCP  # type: ignore[import-not-found]
from fastmcp.server.transforms.search import BM25SearchTransform  # type: ignore[import-not-found]

OPERATIONS: dict[str, str] = {}
"""Name of a tool → method and path of its operation."""


def server(documents: list[str], base_url: str, most: int, schemas: bool) -> Any:
    """Return a FastMCP server of the documents with the search. `most`: number of tools in an answer."""
    if len(documents) == 1:
        whole = _served(documents[0], base_url, schemas, "")
    else:
        whole = FastMCP("pool")
        for number, document in enumerate(documents):
            whole.mount(_served(document, base_url, schemas, f"s{number}_"), namespace=f"s{number}")
    whole.add_transform(BM25SearchTransform(max_results=most))
    return whole


def _served(document: str, base_url: str, schemas: bool, front: str) -> Any:
    """Return a server of one document. `front`: what stands before the names of its tools in the whole server."""

    def seen(route: Any, tool: Any) -> None:
        OPERATIONS[front + tool.name] = f"{route.method} {route.path}"
        if not schemas:
            tool.output_schema = None

    with open(document, encoding="utf-8") as file:
        text = file.read()
    content = json.loads(text) if document.endswith(".json") else yaml.load(text, yaml.CSafeLoader)
    return FastMCP.from_openapi(
        openapi_spec=content, client=httpx.AsyncClient(base_url=base_url), mcp_component_fn=seen
    )


async def answer(job: dict[str, Any]) -> None:
    """Search the tools for each question in `job`, and write each result as a line of JSON.

    An additional first search, which also builds the index, is not measured.
    """
    made = server(job["documents"], "http://127.0.0.1:9", job["most"], job["schemas"])
    await made.call_tool("search_tools", {"query": "anything"})
    for question in job["questions"]:
        started = time.process_time()
        result = await made.call_tool("search_tools", {"query": question})
        took = 1000 * (time.process_time() - started)
        text = "\n".join(block.text for block in result.content)
        found = [OPERATIONS[tool["name"]] for tool in json.loads(text)] if text else []
        print(json.dumps({"operations": found, "text": text, "ms": took}), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        server([os.environ["DOCUMENT"]], os.environ["BASE_URL"], 5, schemas=True).run(show_banner=False)
    else:
        asyncio.run(answer(json.load(sys.stdin)))
