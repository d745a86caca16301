"""A minimal MCP client for revisions with a handshake (handshake era) and without one (stateless era). Each of its
requests may go to another replica.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import aiohttp

META = "io.modelcontextprotocol/"
NEWER, OLDER = "2026-07-28", "2025-11-25"
_BOTH = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@dataclass
class Client:
    """Client of one protocol revision. `session`: the session id in the response to `initialize`, or "" for none.

    `asks`: ways in which the client can ask its user (modes of elicitation), for the revision without a handshake.
    """

    http: aiohttp.ClientSession
    url: str
    revision: str
    session: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    asks: tuple[str, ...] = ("form",)
    _ids: count[int] = field(default_factory=lambda: count(1))

    async def begin(self) -> None:
        """Send `initialize` if the revision has a handshake. Otherwise do nothing."""
        if self.revision == NEWER:
            return
        params = {
            "protocolVersion": self.revision,
            "capabilities": {"elicitation": {"form": {}}},
            "clientInfo": {"name": "rig", "version": "1"},
        }
        async with self.post(
            {"jsonrpc": "2.0", "id": next(self._ids), "method": "initialize", "params": params}
        ) as answer:
            answer.raise_for_status()
            # "": the server, such as another product, uses no sessions
            self.session = answer.headers.get("Mcp-Session-Id", "")

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return a new request of the client's revision, with a new id."""
        whole = dict(params or {})
        if self.revision == NEWER:
            capabilities: dict[str, Any] = {"elicitation": {mode: {} for mode in self.asks}}
            whole["_meta"] = {META + "protocolVersion": NEWER, META + "clientCapabilities": capabilities}
        return {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": whole}

    def post(self, message: dict[str, Any], url: str = "") -> Any:
        """Send a message, and yield the HTTP response."""
        headers = dict(_BOTH) | self.headers
        if self.session:
            headers["Mcp-Session-Id"] = self.session
            headers["MCP-Protocol-Version"] = self.revision
        elif self.revision == NEWER:
            headers |= {"MCP-Protocol-Version": NEWER, "Mcp-Method": message["method"]}
            params = message.get("params", {})
            if isinstance(named := params.get("name", params.get("uri")), str):
                headers["Mcp-Name"] = named
        return self.http.post(url or self.url, data=json.dumps(message).encode(), headers=headers)

    async def messages(self, answer: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
        """Yield the messages of a response, which is JSON or an event stream."""
        if answer.content_type == "application/json":
            yield await answer.json()
            return
        async for _, data in events(answer):
            if data:
                yield json.loads(data)

    async def call(self, tool: str, arguments: dict[str, Any], more: dict[str, Any] | None = None) -> dict[str, Any]:
        """Make a call that asks the user nothing, and return its response."""
        message = self.request("tools/call", {"name": tool, "arguments": arguments, **(more or {})})
        async with self.post(message) as answer:
            async for each in self.messages(answer):
                if each.get("id") == message["id"] and "method" not in each:
                    return each
        raise RuntimeError(f"The answer ended without a response (status {answer.status}).")

    async def confirmed(self, tool: str, arguments: dict[str, Any], say: str = "accept") -> dict[str, Any]:
        """Make a call that asks the user a question (elicitation), answer with `say`, and return the response."""
        if self.revision == NEWER:
            asked = await self.call(tool, arguments)
            if asked.get("result", {}).get("resultType") != "input_required":
                return asked
            state = asked["result"]["requestState"]
            more = {"requestState": state, "inputResponses": {"confirm": {"action": say, "content": {}}}}
            return await self.call(tool, arguments, more)
        message = self.request("tools/call", {"name": tool, "arguments": arguments})
        async with self.post(message) as answer:
            async for each in self.messages(answer):
                if each.get("method") == "elicitation/create":
                    reply = {"jsonrpc": "2.0", "id": each["id"], "result": {"action": say, "content": {}}}
                    async with self.post(reply) as taken:
                        taken.raise_for_status()
                elif each.get("id") == message["id"]:
                    return each
        raise RuntimeError(f"The answer ended without a response (status {answer.status}).")


async def events(answer: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, str]]:
    """Yield the id and the data of each event of a stream."""
    id_, data = "", ""
    async for raw in answer.content:
        line = raw.decode().rstrip("\r\n")
        if line.startswith("id: "):
            id_ = line[4:]
        elif line.startswith("data: "):
            data = line[6:]
        elif not line:
            if id_ or data:
                yield id_, data
            id_ = data = ""
