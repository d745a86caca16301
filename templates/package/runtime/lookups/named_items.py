# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Choose the item of a list that has a given name. Pure functions.

Names are compared without letter case and white space. An item matches if one of its names equals the given name. The
rules are:

- If exactly one item matches, the call takes this item. But a call that writes is refused if the list was not read to
  its end, because another item could match.
- If several items match or none, the call is refused, with one exception: a call that reads, of a list that the API
  ranks by relevance. Such a call takes the first item that matches; if none matches, the first item of the list.

A refusal lists the candidates. A choice is reported, together with other items that might have been meant.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from ..pointers.pointers import find
from ..text.sanitize import brief

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..tables.table import Lookup

MOST_SHOWN = 10
MOST_OTHERS = 3
LONGEST_NAME = 100

_DATE = re.compile(r"(\d{4})-\d\d-\d\d.*", re.DOTALL)


class NotFound(Exception):
    """Raised if no item can be chosen by a name. The message is for the model."""


class Item:
    """Item of a list: its `id`, its names, and `about`, a text that distinguishes it from items of the same name."""

    __slots__ = ("about", "id", "names")

    def __init__(self, id: str | int, names: list[str], about: str) -> None:  # noqa: A002
        self.id = id
        self.names = names
        self.about = about

    def __str__(self) -> str:
        name = brief(self.names[0], LONGEST_NAME) if self.names else "without a name"
        about = f" ({self.about})" if self.about else ""
        return f"{name}{about}, id {brief(str(self.id), LONGEST_NAME)}"


def items_of(value: Any, lookup: Lookup) -> list[Item] | None:
    """Return the items of a response that have an id, without duplicates; None if the response holds no such list."""
    found = find(value, lookup["items"])
    if not isinstance(found, list):
        return None
    items: dict[str | int, Item] = {}
    for each in found:
        number = each.get(lookup["value"]) if isinstance(each, dict) else None
        if isinstance(number, (str, int)) and not isinstance(number, bool) and number != "":
            names = [name for key in lookup["names"] if isinstance(name := each.get(key), str) and name.strip()]
            items.setdefault(number, Item(number, names, _about(each.get(lookup.get("about", "")))))
    return list(items.values())


def _about(value: Any) -> str:
    """Return a short form of `value`, a member that distinguishes an item from items of the same name.

    A date becomes its year; any other string or integer is cut to one line of about 40 characters. For other values,
    "" is returned.
    """
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        return ""
    text = str(value)
    dated = _DATE.fullmatch(text)
    return dated[1] if dated else brief(text, 40)


# A wrong read costs one call, and its result shows the mistake. A wrong write cannot be undone
# (docs/decisions/search.md).
def chosen(items: list[Item], name: str, lookup: Lookup, *, writes: bool, part: str) -> tuple[Item, str]:
    """Return the item that `name` means, and a sentence about other items that it may mean, or "".

    Raise NotFound if no item can be chosen. `part`: "" if `items` are all items of the list, else which part they are.
    """
    same = [item for item in items if _folded(name) in map(_folded, item.names)]
    ranked = "ranked" in lookup
    seen = f"; only {part} were looked through" if part else ""
    if writes and same and part:
        raise NotFound(f"there are more than were looked through; called so: {_listed(same)}{seen}")
    if len(same) == 1:
        return same[0], seen[2:]
    if same and (writes or not ranked):
        raise NotFound(f"{len(same)} are called so: {_listed(same)}{seen}")
    if same:
        return same[0], f"the first of {len(same)} that are called so; also {_listed(same[1:], MOST_OTHERS)}"
    if not items:
        raise NotFound(f"none was found{seen}")
    if writes or not ranked:
        raise NotFound(f"none is called so. There {'are' if len(items) > 1 else 'is'} {_listed(items)}{seen}")
    others = f"; also {_listed(items[1:], MOST_OTHERS)}" if items[1:] else ""
    return items[0], f"the first that was found, none is called so{others}"


def _listed(items: Iterable[Item], most: int = MOST_SHOWN) -> str:
    found = list(items)
    more = f"; and {len(found) - most} more" if len(found) > most else ""
    return "; ".join(map(str, found[:most])) + more


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name[:1000]).casefold().split())
