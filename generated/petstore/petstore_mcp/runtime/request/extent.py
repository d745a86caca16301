# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""How much a value comes to where each part of it is written under a name: in a query, a form, parts or XML. Pure.

Names are repeated there: a name of a megabyte over ten thousand items would make ten gigabytes of a small call.
"""

from __future__ import annotations

from typing import Any

from .argument_errors import Unsendable

MOST_PAIRS = 20_000
"""Names with a value in one body or query. Servers read some thousands (Tomcat and PHP 1,000, Rack 4,096)."""

MOST_CHARACTERS = 16 * 1024 * 1024
"""Characters of all these names and values: twice the longest line that a call comes in."""


def check(name: str, value: Any) -> None:
    """Raise Unsendable where a list or an object would be written as too many pairs, or as too long ones."""
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
