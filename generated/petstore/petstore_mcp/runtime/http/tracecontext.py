# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pass a client's W3C Trace Context on to the upstream.

The client's text is not trusted. So it is parsed strictly and written anew, and only what the standard allows is sent.
The parent id sent is the id of this server's own span. `baggage` is not passed on, since it may contain anything and
was not meant for this API.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..core.spans import Span

Fields = list[tuple[str, str]]

LONGEST_STATE = 512
MOST_MEMBERS = 32

_LONGEST_PARENT = 512
_PARENT = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_MEMBER = re.compile(r"([a-z0-9][a-z0-9_\-*/]{0,240}(?:@[a-z][a-z0-9_\-*/]{0,13})?)=[\x20-+\--<>-~]{0,255}[!-+\--<>-~]")
_SAMPLED = "01"
#: Flags with a standard meaning: sampled, and random trace id (level 2 of the standard).
_KNOWN_FLAGS = 0x03


def fields(span: Span, start: bool | None) -> Fields:
    """Return the trace header fields for a request to the upstream.

    `start` is the setting for traces. False: return none. True: begin a new trace if the client sent none. None: return
    only those of the client's trace.
    """
    if start is False:
        return []
    parent = parse(span.origin.traceparent)
    if parent is None:
        return [("traceparent", f"00-{os.urandom(16).hex()}-{span.call}-{_SAMPLED}")] if start else []
    trace, _, flags = parent
    state = state_of(span.origin.tracestate)
    told = [("traceparent", f"00-{trace}-{span.call}-{flags}")]
    return [*told, ("tracestate", state)] if state else told


def parse(value: object) -> tuple[str, str, str] | None:
    """Return trace id, parent id and flags of a `traceparent`; None if malformed (W3C Trace Context, 3.2.2 to
    3.2.5).
    """
    if not isinstance(value, str) or len(value) > _LONGEST_PARENT:
        return None
    found = _PARENT.fullmatch(value)
    if found is None or (found[1] == "00" and found[5] is not None):  # only versions after 00 may append a further part
        return None
    return found[2], found[3], f"{int(found[4], 16) & _KNOWN_FLAGS:02x}"


def state_of(value: object) -> str:
    """Return a `tracestate` (W3C Trace Context, 3.3) without the last members if it is too long; "" if a member is
    malformed or repeated.
    """
    if not isinstance(value, str) or len(value) > MOST_MEMBERS * LONGEST_STATE:
        return ""
    members = [member for each in value.split(",") if (member := each.strip(" \t"))]
    found = [_MEMBER.fullmatch(member) for member in members]
    keys = {each[1] for each in found if each is not None}
    if len(keys) < len(members) or len(members) > MOST_MEMBERS:
        return ""
    while members and len(",".join(members)) > LONGEST_STATE:
        members.pop()
    return ",".join(members)
