"""Build a catalog without files for tests of the HTTP client: the first line of `bindings.json`, and tools made on
demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from package.runtime.core.catalog import Tool
from package.runtime.questions.asked_arguments import complete_schema

from tests.runtime.parts import part


class Catalog:
    """Fake of `catalog.Catalog` with only the members that `settings.load` and ToolExecutor read."""

    def __init__(
        self,
        tools: dict[str, dict[str, Any]] | None = None,
        servers: list[dict[str, Any]] | None = None,
        security: dict[str, dict[str, Any]] | None = None,
        origins: list[str] | None = None,
    ) -> None:
        """Build a catalog.

        `origins`: the origins to which calls may go; by default all that servers and security schemes name.
        """
        self.name, self.version, self.prefix = "petstore", "1.2.3", "PETSTORE"
        self.servers = [{"url": "https://api.petstore.example/v1"}] if servers is None else servers
        self.security = security or {}
        self.origins = [*_named(self.servers, self.security)] if origins is None else origins
        self.hidden: list[str] = []
        self.reader = self.looker = self.account = ""
        self.header: dict[str, Any] = {}
        self.finders: dict[str, str] = {}
        self._tools = tools or {}

    def names(self) -> list[str]:
        return list(self._tools)

    def has(self, name: str) -> bool:
        return name in self._tools

    def offers(self, feature: str) -> bool:
        return feature == "tasks" and any("task" in each["binding"] for each in self._tools.values())

    def binds(self, *keys: bytes) -> list[bytes]:
        return []

    def request_of(self, name: str) -> str:
        if name not in self._tools:
            return ""
        binding = self._tools[name]["binding"]
        return f"{binding['method']} {binding['path'][0]}"

    def described(self, name: str) -> dict[str, Any]:
        return {"annotations": {"readOnlyHint": self._tools[name]["binding"]["method"] == "GET"}}

    def tool(self, name: str) -> Tool:
        made = self._tools[name]
        schema, output_schema = made.get("schema", {"type": "object"}), made.get("output_schema")
        tool = Tool(name, schema, part({"open": True, **made["binding"]}), output_schema=output_schema)
        if "ask" in tool.binding:
            tool.schema = complete_schema(tool.listed, tool.binding["ask"])
        return tool


def _named(servers: list[dict[str, Any]], security: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the origin of every server and security scheme, as written, and with the default values of its
    variables.
    """
    for server in servers:
        filled = server["url"]
        for name, variable in server.get("variables", {}).items():
            filled = filled.replace(f"{{{name}}}", variable["default"])
        yield from (_origin(server["url"]), _origin(filled))
    for scheme in security.values():
        yield from (_origin(scheme[key]) for key in ("tokenUrl", "openIdConnectUrl") if key in scheme)


def _origin(url: str) -> str:
    found = re.match(r"([a-z]+://[^/?#]*)", url.lower())
    return found[1] if found else ""
