# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide who may read `/metrics`. No I/O.

If the operator has set a token for metrics, every client that sends the token may read them. With the token, the Host
header may have any value, since monitors reach a replica by its network address. If no token is set, Host and Origin
are checked as for every request, and only programs on this machine can connect: a server that lets other machines
connect does not start without the token (`telemetry/telemetry_settings.py`).
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from ...core.jsonrpc import INVALID_REQUEST
from .admission import Answer, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from .admission import Head

PATH = "/metrics"
_UNKNOWN = "Whoever reads the metrics sends the token of this server's operator: Authorization: Bearer and the token."


def answer(
    head: Head, token: str, stranger: Callable[[Head], Answer | None], text: Callable[[], bytes], media_type: str
) -> Answer:
    """Return the response to a request for metrics. `token`: token for metrics, or "".

    `stranger(head)` returns a response if Host or Origin is not allowed. `text()` returns the metrics.
    """
    if not token and (refusal := stranger(head)) is not None:
        return refusal
    if token and not _has(head, token):
        return refused(401, INVALID_REQUEST, _UNKNOWN, ("WWW-Authenticate", "Bearer"))
    if head.method not in ("GET", "HEAD"):
        return Answer(405, fields=[("Allow", "GET, HEAD")])
    return Answer(200, text(), [("Content-Type", media_type), ("Cache-Control", "no-store")])


def _has(head: Head, token: str) -> bool:
    """Return True if the request has the token. The time of the comparison reveals no part of the token."""
    sent = head.all("authorization")
    scheme, _, said = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
    wanted, found = (hashlib.sha256(each.strip().encode("latin-1", "replace")).digest() for each in (token, said))
    return hmac.compare_digest(wanted, found) and scheme.lower() == "bearer"
