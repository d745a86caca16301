# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe the server to clients before they connect: a server card (SEP-2127, v1), and an AI catalog with this card.

Both documents have the server's name, URL and MCP revisions, but no tools. They are public: any client and any web page
may read them. Pure functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.jsonrpc import dumps
from ...core.wire_formats import HANDSHAKE_REVISIONS, STATELESS_REVISIONS
from .admission import PATH, Answer

if TYPE_CHECKING:
    from ...core.catalog import Catalog
    from ..listening import Listening
    from .admission import Head

CARD, CATALOG = f"{PATH}/server-card", "/.well-known/ai-catalog.json"
SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
CARD_TYPE, CATALOG_TYPE = "application/mcp-server-card+json", "application/ai-catalog+json"
CATALOG_VERSION = "1.0"
LONGEST = 100
"""Longest title and description of a card, in characters."""

_PUBLIC = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", "GET"),
    ("Access-Control-Allow-Headers", "Content-Type"),
]


def answer(head: Head, listening: Listening, catalog: Catalog) -> Answer | None:
    """Return the response to a request for the card or the AI catalog, or None for any other path.

    Both documents exist only if the operator has set a name for the server card.
    """
    name, url = listening["HTTP_CARD"], listening["HTTP_URL"]
    if not name or url is None or head.path not in (CARD, CATALOG):
        return None
    if head.method == "OPTIONS":
        return Answer(204, fields=list(_PUBLIC))
    if head.method not in ("GET", "HEAD"):
        return Answer(405, fields=[("Allow", "GET, HEAD, OPTIONS")])
    is_card = head.path == CARD
    told = card(name, url, catalog) if is_card else ai_catalog(name, url, catalog)
    kind = CARD_TYPE if is_card else CATALOG_TYPE
    return Answer(200, dumps(told), [("Content-Type", kind), ("Cache-Control", "public, max-age=3600"), *_PUBLIC])


def card(name: str, url: str, catalog: Catalog) -> dict[str, object]:
    """Return the server card. `name`: NAMESPACE/NAME, as in the MCP registry. `url`: URL of the MCP endpoint."""
    revisions = [*HANDSHAKE_REVISIONS, *STATELESS_REVISIONS]
    return {
        "$schema": SCHEMA,
        "name": name,
        "title": _shortened(catalog.title),
        "description": _shortened(f"MCP server for {catalog.title}"),
        "version": catalog.version,
        "remotes": [{"type": "streamable-http", "url": url, "supportedProtocolVersions": revisions}],
    }


def ai_catalog(name: str, url: str, catalog: Catalog) -> dict[str, object]:
    """Return the contents of `/.well-known/ai-catalog.json`, whose only entry is the card of this server."""
    namespace, _, own = name.partition("/")
    domain = ".".join(reversed(namespace.split(".")))
    entry = {
        "identifier": f"urn:air:{domain}:{own}",
        "displayName": catalog.title,
        "type": CARD_TYPE,
        "url": f"{url}/server-card",
    }
    return {"specVersion": CATALOG_VERSION, "entries": [entry]}


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "\u2026"
