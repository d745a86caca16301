# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Stored data of a login: a refresh token, the client that it belongs to, and data that `whoami` shows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """Stored login.

    `refresh_token` is "" if the authorization server gave none; then `access_token` is stored instead. Times are
    seconds since 1970; 0 means unknown. `client_secret` is set only for a client that was registered dynamically (RFC
    7591); `port` is the port of its redirect URI.
    """

    client_id: str
    refresh_token: str = ""
    access_token: str = ""
    access_ends: float = 0.0
    refresh_ends: float = 0.0
    client_secret: str = ""
    registered: bool = False
    port: int = 0
    scopes: str = ""
    user: str = ""
    issuer: str = ""
    token_endpoint: str = ""
    metadata_url: str = ""

    def written(self) -> str:
        """Return the login as JSON."""
        return json.dumps({name: value for name, value in asdict(self).items() if value})


def read(text: str | None) -> Entry | None:
    """Return the login that the stored JSON describes, or None if `text` is not a stored login."""
    value = _object(text)
    given = {each.name: value[each.name] for each in fields(Entry) if each.name in value}
    if not given.get("client_id") or not all(_fits(name, each) for name, each in given.items()):
        return None
    return Entry(**given)


def pointer(client_id: str) -> str:
    """Return a JSON text to store, which says which client logged in last."""
    return json.dumps({"last_client": client_id})


def pointed(text: str | None) -> str:
    """Return the id of the client that logged in last, from the JSON text of `pointer`; "" for any other text."""
    found = _object(text).get("last_client")
    return found if isinstance(found, str) else ""


def _fits(name: str, value: Any) -> bool:
    if name == "registered":
        return isinstance(value, bool)
    if name in ("access_ends", "refresh_ends", "port"):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, str)


def _object(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
