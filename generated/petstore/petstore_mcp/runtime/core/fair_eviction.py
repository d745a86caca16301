# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Choose what a full store drops: the caller that holds most makes room, with its oldest entries. Pure.

So a caller that stores one entry after another displaces its own, and not those of callers that hold less.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


# Decision 0187: The caller that keeps most makes room.
def displaced(held: Iterable[tuple[str, str, int]], latest: str, most: int, most_bytes: int) -> list[str]:
    """Return the names of the entries to drop, so that at most `most` entries and `most_bytes` bytes are left.

    `held` has the name, the caller and the bytes of each entry, the oldest first. `latest` is the name of the new
    entry. It counts for no caller, and is dropped only if it does not even fit alone. Among callers that hold equally
    much, its own caller makes room.
    """
    older = {name: (caller, size) for name, caller, size in held}
    own, new = older.pop(latest)
    entries: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for caller, size in older.values():
        entries[caller] = entries.get(caller, 0) + 1
        sizes[caller] = sizes.get(caller, 0) + size
    total, dropped = new + sum(sizes.values()), []
    while older and (total > most_bytes or len(older) >= most):
        shares = sizes if total > most_bytes else entries
        largest = max(shares, key=lambda caller: (shares[caller], caller == own))
        oldest = next(name for name, (caller, _) in older.items() if caller == largest)
        size = older.pop(oldest)[1]
        entries[largest] -= 1
        sizes[largest] -= size
        total -= size
        dropped.append(oldest)
    return [*dropped, latest] if total > most_bytes else dropped
