"""Check the results of each method for members that its protocol revision requires beyond the published
JSON schemas.
"""

from __future__ import annotations

from typing import Any

R1, R2, R3, R4, R5 = REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
BLOCKS = {"text": R1, "image": R1, "resource": R1, "audio": R2, "resource_link": R3}


def _initialize(result: dict[str, Any], revision: str) -> None:
    assert revision in (R1, R2, R3, R4)
    assert result.keys() <= {"protocolVersion", "capabilities", "serverInfo", "instructions"}
    server = result["serverInfo"]
    assert {"name", "version"} <= server.keys()
    assert "title" not in server or revision >= R3
    assert "description" not in server or revision >= R4


def _discover(result: dict[str, Any], revision: str) -> None:
    assert revision == R5
    assert result["supportedVersions"] == [R5]
    _cached(result)


def _list(result: dict[str, Any], revision: str) -> None:
    assert "nextCursor" not in result
    for tool in result["tools"]:
        assert {"name", "description", "inputSchema"} <= tool.keys()
        assert tool["inputSchema"]["type"] == "object"
        assert None not in tool.values()
    if revision == R5:
        _cached(result)


def _call(result: dict[str, Any], revision: str) -> None:
    assert isinstance(result["content"], list)
    assert isinstance(result.get("isError", False), bool)
    for block in result["content"]:
        assert BLOCKS[block["type"]] <= revision, f"{revision} has no {block['type']}"
    if "structuredContent" in result:
        assert revision >= R3
        assert not result.get("isError")
        assert revision == R5 or isinstance(result["structuredContent"], dict)


def _resources(result: dict[str, Any], revision: str) -> None:
    [entries] = [result[key] for key in ("resources", "resourceTemplates", "prompts") if key in result]
    assert "nextCursor" not in result
    for entry in entries:
        assert entry["name"]
        assert None not in entry.values()
    if revision == R5:
        _cached(result)


def _read(result: dict[str, Any], revision: str) -> None:
    assert result["contents"]
    for content in result["contents"]:
        assert {"uri", "mimeType"} < content.keys()
        assert ("text" in content) != ("blob" in content)
    if revision == R5:
        _cached(result)


def _prompt(result: dict[str, Any], revision: str) -> None:
    assert result["messages"]
    for message in result["messages"]:
        assert message["role"] in ("user", "assistant")
        assert BLOCKS[message["content"]["type"]] <= revision


def _completion(result: dict[str, Any], revision: str) -> None:
    found = result["completion"]
    total = found.get("total", 101)  # `total` is absent if there are more values than the server counts
    assert len(found["values"]) <= min(total, 100)
    assert found["hasMore"] is (total > len(found["values"]))


def _ping(result: dict[str, Any], revision: str) -> None:
    assert result == {}
    assert revision != R5


def _cached(result: dict[str, Any]) -> None:
    assert type(result["ttlMs"]) is int
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] in ("public", "private")


RULES = {
    "initialize": _initialize,
    "ping": _ping,
    "logging/setLevel": _ping,
    "resources/subscribe": _ping,
    "resources/unsubscribe": _ping,
    "server/discover": _discover,
    "tools/list": _list,
    "tools/call": _call,
    "resources/list": _resources,
    "resources/templates/list": _resources,
    "resources/read": _read,
    "prompts/list": _resources,
    "prompts/get": _prompt,
    "completion/complete": _completion,
}
