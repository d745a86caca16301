"""A catalog as the HTTP side sees it, without files: what the table's header says, and tools made on the spot."""

from __future__ import annotations

from typing import Any

from package.runtime.catalog import Tool


class Catalog:
    """Has what `settings.load` and `calls.Caller` read of catalog.Catalog."""

    def __init__(
        self,
        tools: dict[str, dict[str, Any]] | None = None,
        servers: list[dict[str, Any]] | None = None,
        security: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        self.name, self.version, self.prefix = "petstore", "1.2.3", "PETSTORE"
        self.servers = [{"url": "https://api.petstore.example/v1"}] if servers is None else servers
        self.security = security or {}
        self.hidden: list[str] = []
        self._tools = tools or {}

    def names(self) -> list[str]:
        return list(self._tools)

    def request_of(self, name: str) -> str:
        if name not in self._tools:
            return ""
        binding = self._tools[name]["binding"]
        return f"{binding['method']} {binding['path'][0]}"

    def tool(self, name: str) -> Tool:
        made = self._tools[name]
        schema, output_schema = made.get("schema", {"type": "object"}), made.get("output_schema")
        return Tool(name, schema, {"open": True, **made["binding"]}, output_schema=output_schema)
