# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""HTTP header fields (RFC 9110 section 5): names that may be set, and values that can be sent, also in cookies.

As the standard recommends for new fields, values may only contain visible ASCII characters, and spaces between them.
"""

from __future__ import annotations

FRAMING = frozenset(
    (
        *("connection", "content-length", "expect", "host", "keep-alive"),
        *("proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Header fields that delimit messages or only concern the next server. Only the HTTP library may set them."""

_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def is_name(text: str) -> bool:
    """Return True if `text` is the name of a header field that the server may set: a valid name that is not in FRAMING.

    Only the HTTP library sets the header fields in FRAMING.
    """
    return bool(text) and _TOKEN.issuperset(text) and text.lower() not in FRAMING


def is_value(text: str) -> bool:
    """Return True if `text` can be sent unchanged as a header field value.

    This is so if it has no line break, control or non-ASCII character, and no space at either end.
    """
    return text.isascii() and text.isprintable() and text == text.strip()


def is_cookie_value(text: str) -> bool:
    """Return True if `text` can be sent unchanged as the value of a cookie (RFC 6265 section 4.1.1).

    Such a value may stand in double quotes. It has no blank, comma, semicolon, backslash or further quote.
    """
    inner = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
    return is_value(inner) and not any(character in ' ",;\\' for character in inner)
