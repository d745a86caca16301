"""Convert header fields to credentials. The existing MCP server, whose configuration `mcpgen adopt` reads, sends these
fields with every request to the API. The values of the fields are never stored.
"""

from collections.abc import Iterable

from mcpgen.adopt.foreign import Credential, Remark
from mcpgen.base.diagnostics import Where
from mcpgen.base.names import clipped

_OWN = frozenset(
    [
        "accept",
        "accept-encoding",
        "accept-language",
        "connection",
        "content-type",
        "content-length",
        "host",
        "user-agent",
        "cache-control",
    ]
)
"""Header fields that a generated server sets itself."""


def credentials(
    fields: Iterable[tuple[str, str, str]], remarks: list[Remark], where: Where | None
) -> tuple[Credential, ...]:
    """Return the credentials that header fields carry.

    Each field is a tuple: its name, the beginning of its value, and the variable or flag that holds the value.
    """
    found = []
    for name, value, held in fields:
        if name.lower() in _OWN:
            remarks.append(
                Remark(f"The header field {clipped(name)} is set by the new server itself, so it was left out.", where)
            )
            continue
        scheme = value.strip().partition(" ")[0].lower()
        if name.lower() == "authorization" and scheme == "basic":
            found.append(Credential("basic", {"username": held, "password": held}))
        elif name.lower() == "authorization" and scheme == "bearer":
            found.append(Credential("bearer", {"value": held}))
        else:
            found.append(Credential("apiKey", {"value": held}, "header", name))
    return tuple(found)
