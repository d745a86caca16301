# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limit the size of values that are sent as `name=value` pairs: in a query, a form, multipart or XML.

Each pair repeats the name. So an argument with a name of one megabyte and ten thousand items would turn a small call
into ten gigabytes.
"""

from __future__ import annotations

from typing import Any

from .argument_errors import Unsendable

MOST_PAIRS = 20_000
"""Maximum number of `name=value` pairs in one body or query.

Servers accept between one and a few thousand pairs (Tomcat and PHP 1,000, Rack 4,096).
"""

MOST_CHARACTERS = 16 * 1024 * 1024
"""Maximum total length of names and values in characters: twice the longest line in which the server receives a
call.
"""


def check(name: str, value: Any) -> None:
    """Raise Unsendable if a list or an object would be sent as too many `name=value` pairs, or as too long pairs."""
    if not isinstance(value, (list, dict)):
        return
    pairs = characters = 0
    left: list[tuple[Any, int]] = [(value, len(name))]
    while left:
        part, named = left.pop()
        if isinstance(part, dict):
            left += [(member, named + len(key)) for key, member in part.items()]
        elif isinstance(part, list):
            left += [(item, named) for item in part]
        else:
            characters += named + (len(part) if isinstance(part, str) else 0)
            pairs += 1
        if pairs + len(left) > MOST_PAIRS:
            told = f"expected at most {MOST_PAIRS} values where each is sent under a name; a query holds 32 KiB"
            raise Unsendable(told)
        if characters > MOST_CHARACTERS:
            raise Unsendable("expected shorter names: they are sent with each value under them")
