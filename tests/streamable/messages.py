"""Build messages of revisions with a handshake, and of the stateless revision 2026-07-28, with the header fields that
HTTP requests need.
"""

from __future__ import annotations

import json
from typing import Any

from tests.streamable.client import Answer, Connection, Fields
from tests.streamable.servers import Server

META = "io.modelcontextprotocol/"
NEW, OLD = "2026-07-28", "2025-11-25"
BOTH = "application/json, text/event-stream"
JSON: Fields = {"Content-Type": "application/json", "Accept": BOTH}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def encoded(message: object) -> bytes:
    """Return a message as the body of a request."""
    return json.dumps(message).encode()


def meta(**more: Any) -> dict[str, Any]:
    """Return the member `_meta` of a stateless request."""
    return {META + "protocolVersion": NEW, META + "clientCapabilities": {"elicitation": {}}, **more}


def request(method: str, id_: object = 1, **params: Any) -> dict[str, Any]:
    """Return a request as in the MCP revisions that begin with `initialize`."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def stateless(method: str, id_: object = 1, **params: Any) -> dict[str, Any]:
    """Return a request as in MCP 2026-07-28, which has no sessions."""
    return request(method, id_, **{"_meta": meta(), **params})


def mirrored(message: dict[str, Any], **more: str) -> Fields:
    """Return the header fields of a stateless request. Some fields repeat parts of the body."""
    named = message["params"].get(NAMED.get(message["method"], ""))
    fields = {**JSON, "MCP-Protocol-Version": NEW, "Mcp-Method": message["method"]}
    return {**fields, **({"Mcp-Name": named} if isinstance(named, str) else {}), **more}


def calling(tool: str, id_: object = 1, token: object = None, **arguments: Any) -> dict[str, Any]:
    """Return a stateless tool call. With a progress token, the call asks for progress notifications."""
    told = meta() if token is None else meta(progressToken=token)
    return stateless("tools/call", id_, name=tool, arguments=arguments, _meta=told)


def call(tool: str, id_: object = 1, token: object = None, **arguments: Any) -> dict[str, Any]:
    """Return a tool call for a session, which only revisions with a handshake have.

    With a progress token, the call asks for progress notifications.
    """
    more = {} if token is None else {"_meta": {"progressToken": token}}
    return request("tools/call", id_, name=tool, arguments=arguments, **more)


def notification(method: str, **params: Any) -> dict[str, Any]:
    """Return a JSON-RPC notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def post(connection: Connection, message: dict[str, Any], **more: str) -> None:
    """Write a stateless message to the connection as a POST with its header fields."""
    connection.send("POST", fields=mirrored(message, **more), body=encoded(message))


def said(message: dict[str, Any]) -> str:
    """Return the text of the result in the response `message`."""
    return str(message["result"]["content"][0]["text"])


class Session:
    """One client's session, in a revision with a handshake. `fields`: header fields sent with each of its requests."""

    def __init__(self, server: Server, revision: str = OLD, asks: bool = True, fields: Fields | None = None) -> None:
        self._server = server
        self._own = fields or {}
        said = {"protocolVersion": revision, "capabilities": {"elicitation": {}} if asks else {}}
        hello = request("initialize", 0, clientInfo={"name": "tests", "version": "1"}, **said)
        self.greeting = server.ask("POST", fields={**JSON, **self._own}, body=encoded(hello))
        assert self.greeting.status == 200, self.greeting
        self.id = self.greeting.field("mcp-session-id") or ""

    @property
    def fields(self) -> Fields:
        """Return the header fields of a request in this session."""
        return {**JSON, **self._own, "Mcp-Session-Id": self.id}

    def post(self, connection: Connection, message: object) -> None:
        """Write a message of the session to the connection as a POST."""
        connection.send("POST", fields=self.fields, body=encoded(message))

    def ask(self, message: object) -> Answer:
        """Send a message on a new connection, and return the response."""
        return self._server.ask("POST", fields=self.fields, body=encoded(message))

    def listen(self, connection: Connection, **more: str) -> None:
        """Write a GET, which opens the session's stream."""
        connection.send("GET", fields={**self.fields, "Accept": "text/event-stream", **more})

    def resume(self, connection: Connection, last: str) -> None:
        """Write a GET that resumes a stream after the event with the id `last`."""
        connection.send("GET", fields={**self.fields, "Accept": "text/event-stream", "Last-Event-ID": last})

    def end(self) -> Answer:
        """Delete the session, and return the response."""
        return self._server.ask("DELETE", fields=self.fields)
