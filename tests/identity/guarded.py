"""Make requests with access tokens to a server that trusts two authorization servers.

No sent token may appear in the server's output.
"""

from __future__ import annotations

from typing import Any

from tests.identity.issuer import Issuer
from tests.streamable.client import Answer, Connection, Fields
from tests.streamable.messages import calling, encoded, mirrored
from tests.streamable.servers import Server

URL = "http://127.0.0.1:8000/mcp"
METADATA = "/.well-known/oauth-protected-resource/mcp"
CHALLENGE = f'resource_metadata="http://127.0.0.1:8000{METADATA}"'
PAGE = "https://app.example.com"
SCOPES = "pets:read pets:write"


class Guarded:
    """The server, its two authorization servers, and the access tokens that tests have sent to the server (`sent`)."""

    def __init__(self, server: Server, first: Issuer, second: Issuer) -> None:
        self.server, self.first, self.second = server, first, second
        self.sent: set[str] = set()

    def token(self, **claims: Any) -> str:
        """Return a valid token of the first authorization server with the scopes `pets:read` and `pets:write`."""
        return self.first.token(URL, **{"scope": SCOPES, **claims})

    def bearer(self, token: str | None = None, **claims: Any) -> Fields:
        """Return the Authorization header with `token`, by default a valid token."""
        found = self.token(**claims) if token is None else token
        self.sent.add(found)
        return {"Authorization": f"Bearer {found}"}

    def call(self, fields: Fields, message: dict[str, Any] | None = None, path: str = "/mcp") -> Answer:
        """Make a call of the stateless revision 2026-07-28 with these header fields, and return the response."""
        told = message or calling("echo", text="hi")
        return self.server.ask("POST", path, {**mirrored(told), **fields}, encoded(told))

    def connect(self) -> Connection:
        """Return a new connection to the server."""
        return self.server.connect()

    def search(self) -> None:
        """Raise AssertionError if the server's output holds a sent token, its claims or its signature."""
        written = b"".join(self.server.written).decode("latin-1")
        for token in self.sent:
            for part in (token, *token.split(".")[1:]):
                assert len(part) < 16 or part not in written, part


def challenge(answer: Answer) -> str:
    """Return the WWW-Authenticate field of a refusal.

    Raise AssertionError if the field is missing, or if caches may store the refusal.
    """
    assert answer.field("cache-control") == "no-store"
    assert answer.field("content-type") == "application/json"
    found = answer.field("www-authenticate")
    assert found is not None
    assert found.startswith("Bearer ")
    return found
