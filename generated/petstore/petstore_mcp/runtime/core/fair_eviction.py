# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Choose which entries a full store drops: the oldest entries of the caller that has most. Pure functions.

So a caller that stores many entries displaces its own entries, and not those of callers with fewer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


# When the oldest result was evicted first, one caller's results displaced those of all others
# (docs/decisions/results.md).
def displaced(held: Iterable[tuple[str, str, int]], latest: str, most: int, most_bytes: int) -> list[str]:
    """Return the names of the entries to drop, so that at most `most` entries and `most_bytes` bytes are left.

    `held` has name, caller and size in bytes of each entry, oldest first. `latest` is the name of the new entry. As
    long as there are too many bytes, the caller with most bytes loses its oldest entry; then, as long as there are too
    many entries, the caller with most entries. In a tie, the caller of the new entry loses. The new entry is not
    counted for its caller, and is dropped only if it does not even fit alone.
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
