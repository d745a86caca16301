# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the constant header fields that the operator adds to every request (`_HEADERS`, `_HEADERS_FILE`).

The fields go to the origin of the first server alone, and never to another origin after a redirect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..secrets.secret_words import is_secret_name
from ..settings import credential_env
from ..text import fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tables.table import Binding
    from ..text.addresses import Address

    Written = tuple[str, str, str]
    """A field as `credentials` writes it: `header`, name and value."""

_OF_THE_BODY = ("accept-encoding", "content-encoding", "content-type")
"""Fields beside `fields.FRAMING` that the server sets itself, since they say how a body is encoded."""

_SECRET = ("authorization", "cookie")
"""Fields that hold a secret although no word of their name says so."""


def read(value: str) -> tuple[Written, ...]:
    """Return the header fields of `<PREFIX>_HEADERS`. Raise ValueError with a reason if one of them is secret."""
    found = _fields(value)
    for _, name, _ in found:
        if name.lower() in _SECRET or is_secret_name(name):
            raise ValueError(f"has the secret {name}: put it into a file, and name the file in the variable with _FILE")
    return found


def read_file(path: str) -> tuple[Written, ...]:
    """Return the header fields in the file that `<PREFIX>_HEADERS_FILE` names. Their values are redacted."""
    try:
        text = credential_env.content(path, "")
    except ValueError:
        raise ValueError("must name a file of text in UTF-8 that can be read") from None
    return _fields(text)


def _fields(text: str) -> tuple[Written, ...]:
    """Return the header fields in lines `Name: value`. Raise ValueError with a reason that has no value."""
    found: dict[str, Written] = {}
    for number, line in enumerate(text.strip().splitlines(), 1):
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not (colon and value and fields.is_value(value) and fields.is_name(name)) or name.lower() in _OF_THE_BODY:
            raise ValueError(
                f"must hold one `Name: value` on each line, without fields of HTTP's own such as Host (line {number})"
            )
        if found.setdefault(name.lower(), ("header", name, value)) != ("header", name, value):
            raise ValueError(f"has the field of line {number} twice")
    return tuple(found.values())


def is_at_home(server: Callable[[int], Address], binding: Binding) -> bool:
    """Return True if a tool has the origin of the first server. `server` returns the address of a server by its index.

    The operator means the API at its base URL. A document may name further origins, which get none of the fields.
    """
    return server(0).origin == server(binding.get("server", 0)).origin
