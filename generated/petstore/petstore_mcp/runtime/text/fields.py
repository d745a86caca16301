# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Header fields of HTTP (RFC 9110 section 5): which names may be set, and which values can be sent.

Stricter than the standard where it says that new fields should be: values are visible ASCII and blanks between.
"""

from __future__ import annotations

FRAMING = frozenset(
    (
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""What delimits messages or is meant for the next hop: the HTTP library's alone."""

_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def is_name(text: str) -> bool:
    """Whether it is a token that may name a field other than those of FRAMING."""
    return bool(text) and _TOKEN.issuperset(text) and text.lower() not in FRAMING


def is_value(text: str) -> bool:
    """Whether it can be sent as it stands: no line break, control or foreign character, no blank at the ends."""
    return text.isascii() and text.isprintable() and text == text.strip()
