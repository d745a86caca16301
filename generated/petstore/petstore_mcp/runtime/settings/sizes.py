# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Size limits of results: how much of a response a model is shown, and how much is stored for `resources/read`.

A token is counted as four bytes of UTF-8. For English and JSON this differs from the true count by less than a fifth.
For other scripts, this counts more tokens than models do.
"""

from __future__ import annotations

# Limits count bytes, which can be compared before anything is decoded.
BYTES_PER_TOKEN = 4
FEWEST_TOKENS, MOST_TOKENS = 500, 250_000
LEAST_KEPT, MOST_KEPT = 2**20, 2**32

INLINE = 32
LEAST_INLINE, MOST_INLINE = 64 * 1024, 5 * 2**20 * 3 // 4
"""Smallest and largest possible limit, in bytes, on a file that is passed on inline.

The limit is INLINE bytes per byte of text that is shown, because an image costs few tokens for its size. The largest
possible limit is 5 MiB as base64, which model providers allow for one image.
"""

_PART = r"(\d{1,12})\s*(?:(k)?\s*tokens?|(k|m|g)(i?)b)"
_POWERS = {"k": 1, "m": 2, "g": 3}
_FORM = "must say tokens to show, bytes to keep, or both, such as 8k tokens, 64 MiB"


class Sizes:
    """Size limits of a result. `shown`: bytes that a model is shown, by default 32,000 (8,000 tokens). `kept`: bytes
    that the server stores.
    """

    __slots__ = ("kept", "shown")

    def __init__(self, shown: int = 8000 * BYTES_PER_TOKEN, kept: int = 64 * 2**20) -> None:
        self.shown = shown
        self.kept = kept


def inline(shown: int) -> int:
    """Return the maximum size in bytes of an image, sound or file that a result contains.

    The maximum is a multiple of `shown`, the largest text of a result in bytes, within two bounds.
    """
    return max(LEAST_INLINE, min(shown * INLINE, MOST_INLINE))


# Both limits are in one variable, because operators find one more easily than two.
def parse(value: str) -> Sizes:
    """Return the size limits of results that the operator has set, with defaults for limits that are not set.

    Raise ValueError with a reason such as "must keep 1 MiB to 4 GiB".
    """
    import re  # imported here: few operators set sizes

    sizes = Sizes()
    for part in value.split(","):
        found = re.fullmatch(_PART, part.strip(), re.IGNORECASE)
        if not found:
            raise ValueError(_FORM)
        number = int(found[1])
        if found[3]:
            sizes.kept = number * (1024 if found[4] else 1000) ** _POWERS[found[3].lower()]
        else:
            sizes.shown = number * (1000 if found[2] else 1) * BYTES_PER_TOKEN
    if not FEWEST_TOKENS <= sizes.shown // BYTES_PER_TOKEN <= MOST_TOKENS:
        raise ValueError(f"must show {FEWEST_TOKENS:,} to {MOST_TOKENS:,} tokens")
    if not LEAST_KEPT <= sizes.kept <= MOST_KEPT:
        raise ValueError("must keep 1 MiB to 4 GiB")
    return sizes
