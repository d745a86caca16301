"""Convert tools with one official SDK.

Each line of stdin is a tool as JSON; the output is `null` or the error for each.

Usage: python oracle.py gemini|anthropic|openai

The script runs in the environment of the SDKs, and imports nothing of this repository.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

Convert = Callable[[dict[str, Any]], Any]


def gemini() -> Convert:
    """Return a function that converts a tool as google-genai does for the tools of MCP servers."""
    converter = importlib.import_module("google.genai._mcp_utils").mcp_to_gemini_tool
    tool_type = importlib.import_module("mcp.types").Tool
    return lambda tool: converter(tool_type.model_validate(tool))


def anthropic() -> Convert:
    """Return a function that converts a tool to a strict tool with the anthropic SDK."""
    converter = importlib.import_module("anthropic").transform_schema
    return lambda tool: converter(tool["inputSchema"])


def openai() -> Convert:
    """Return a function that converts a tool to a strict tool with openai-agents."""
    converter = importlib.import_module("agents.strict_schema").ensure_strict_json_schema
    return lambda tool: converter(tool["inputSchema"])


def main() -> None:
    convert = {"gemini": gemini, "anthropic": anthropic, "openai": openai}[sys.argv[1]]()
    for line in sys.stdin:
        try:
            convert(json.loads(line))
        except Exception as error:  # any exception means that the SDK's user loses the tool
            print(json.dumps(f"{type(error).__name__}: {error}"[:500]))
        else:
            print("null")


if __name__ == "__main__":
    main()
