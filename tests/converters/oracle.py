"""One official converter over tools: a tool as JSON a line on stdin, for each a line on stdout, `null` or the error.

    python oracle.py gemini|anthropic|openai

Runs in an environment that has the SDKs; of this repository it imports nothing.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

Convert = Callable[[dict[str, Any]], Any]


def gemini() -> Convert:
    """google-genai: what its sessions with MCP servers make of each tool."""
    converter = importlib.import_module("google.genai._mcp_utils").mcp_to_gemini_tool
    tool_type = importlib.import_module("mcp.types").Tool
    return lambda tool: converter(tool_type.model_validate(tool))


def anthropic() -> Convert:
    """anthropic: the schema of a strict tool."""
    converter = importlib.import_module("anthropic").transform_schema
    return lambda tool: converter(tool["inputSchema"])


def openai() -> Convert:
    """openai-agents: the schema of a strict tool."""
    converter = importlib.import_module("agents.strict_schema").ensure_strict_json_schema
    return lambda tool: converter(tool["inputSchema"])


def main() -> None:
    convert = {"gemini": gemini, "anthropic": anthropic, "openai": openai}[sys.argv[1]]()
    for line in sys.stdin:
        try:
            convert(json.loads(line))
        except Exception as error:  # whatever an SDK raises, its user loses the tool
            print(json.dumps(f"{type(error).__name__}: {error}"[:500]))
        else:
            print("null")


if __name__ == "__main__":
    main()
