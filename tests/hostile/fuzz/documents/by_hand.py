"""A family of hostile tools files: handwritten tools, whose schemas are passed on unchanged."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.hostile.fuzz.documents.schemas import combined, deep, graph, ladder, listed, mutual, wide


def tools_file(chance: Random, size: int) -> Any:
    """Return a tools file with handwritten tools, whose schemas are passed on unchanged."""
    source = chance.choice((graph, mutual, ladder, wide, listed, deep, combined))(chance, size)
    schemas = source.get("definitions") or source["components"]["schemas"]
    definitions = json.loads(
        json.dumps(schemas).replace("#/definitions/", "#/$defs/").replace("#/components/schemas/", "#/$defs/")
    )
    whole = {
        "type": "object",
        "properties": {"v": {"$ref": f"#/$defs/{next(iter(definitions))}"}},
        "$defs": definitions,
    }
    tools = [
        {"name": "one", "request": "POST /a", "inputSchema": whole, "send": {"body": "{v}"}},
        {"name": "two", "request": "GET /a", "outputSchema": whole, "arguments": {"x": "string required"}},
        {"name": "three", "request": "POST /b/{id}", "arguments": {"id": "string required"}, "body": source["paths"]},
    ]
    tools += [{"name": f"t{number}", "request": f"GET /t{number}?a={{a}}"} for number in range(min(size, 2000) // 10)]
    return {
        "mcpgen": 1,
        "server": {"name": "x"},
        "base_url": "https://a.example",
        "tools": tools,
        "components": {"schemas": schemas},
    }
