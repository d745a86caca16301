"""Test that the SDK of each model provider accepts the tools of all examples, and of documents with every schema
feature.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.converters.converters import CONVERTERS, Tool, Unavailable, has_map, verdicts

ROOT = Path(__file__).parents[2]
GOLDEN = sorted(ROOT.glob("generated/*/*/tools.json"))
DOCUMENTS = sorted(ROOT.glob("tests/wire/documents/*.yaml")) + sorted(ROOT.glob("tests/cases/schemas/*/openapi.yaml"))


def _tools() -> Iterator[tuple[str, Tool]]:
    """Yield each tool with its source: an example or a document."""
    for path in GOLDEN:
        yield from ((path.parts[-3], tool) for tool in json.loads(path.read_bytes()))
    for path in DOCUMENTS:
        tree = compile_source(fetch.read(str(path)), Options()).tree
        listed = next(data for name, data in tree.items() if name.endswith("_mcp/tools.json"))
        yield from ((path.relative_to(ROOT).as_posix(), tool) for tool in json.loads(listed))


@pytest.mark.parametrize("converter", CONVERTERS)
def test_every_tool_is_taken(converter: str) -> None:
    """Convert every tool.

    Tools with maps (`additionalProperties` with a schema) are not given to the OpenAI converter: it converts schemas
    for strict mode, which its SDK turns off for these tools.
    """
    tools = [(source, tool) for source, tool in _tools() if converter != "openai" or not has_map(tool["inputSchema"])]
    assert len(tools) > 50
    try:
        found = verdicts(converter, [tool for _, tool in tools])
    except Unavailable as reason:
        pytest.skip(str(reason))
    refused = {
        f"{source}: {tool['name']}": verdict
        for (source, tool), verdict in zip(tools, found, strict=True)
        if verdict is not None
    }
    assert refused == {}


@pytest.mark.parametrize(
    ("converter", "schema"),
    [
        ("gemini", {"type": "object", "properties": {}, "additionalProperties": False}),
        ("anthropic", {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
        ("openai", {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": True}}}),
    ],
)
def test_a_converter_refuses_what_its_provider_does(converter: str, schema: Tool) -> None:
    try:
        (verdict,) = verdicts(converter, [{"name": "a", "description": "A.", "inputSchema": schema}])
    except Unavailable as reason:
        pytest.skip(str(reason))
    assert verdict is not None
