"""Run the tool converters of the official SDKs of three model providers.

If a converter raises an exception for a tool, the provider's models never see the tool.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.interop import environments

CONVERTERS = {
    "gemini": "google-genai mcp_to_gemini_tool",
    "anthropic": "anthropic transform_schema",
    "openai": "openai-agents ensure_strict_json_schema",
}
REQUIREMENTS = ("google-genai>=3.4,<4", "anthropic>=2.12,<3", "openai-agents>=0.24,<0.25", "mcp>=2.3,<3")
ORACLE = Path(__file__).with_name("oracle.py")
#: Timeout in seconds for one SDK that converts all tools. It is long, because no test measures time with it.
PATIENCE = 600

Tool = dict[str, Any]


class Unavailable(Exception):
    """Raised if the SDKs cannot be installed here. The message says why."""


def verdicts(converter: str, tools: Iterable[Tool]) -> list[str | None]:
    """Return for each tool the error that the converter raises, or None. One process converts all tools.

    Raise Unavailable if the SDKs cannot be installed.
    """
    try:
        environment = environments.python("converters", *REQUIREMENTS)
    except (RuntimeError, OSError, subprocess.SubprocessError) as failure:
        raise Unavailable(f"the SDKs cannot be installed: {str(failure)[-300:]}") from failure
    command = [str(environment / "bin" / "python"), "-I", str(ORACLE), converter]
    lines = "".join(json.dumps(tool) + "\n" for tool in tools)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=PATIENCE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def has_map(schema: Any) -> bool:
    """Return True if an object in the schema has a schema as `additionalProperties`, which strict mode
    cannot express.
    """
    if isinstance(schema, list):
        return any(map(has_map, schema))
    if not isinstance(schema, dict):
        return False
    return isinstance(schema.get("additionalProperties"), dict) or any(map(has_map, _inner(schema)))


def _inner(schema: Tool) -> Iterator[Any]:
    yield from schema.get("properties", {}).values()
    yield schema.get("items")
    for keyword in ("anyOf", "oneOf", "allOf"):
        yield schema.get(keyword)
