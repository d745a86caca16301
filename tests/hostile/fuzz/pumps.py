"""Build texts that make regular expressions backtrack: a matching beginning, a part repeated many times, and an end
that does not match.
"""

from __future__ import annotations

from random import Random

PUMPS = (
    *(" ", "\t", "\n", "a", "A", "0", "#", "# ", "*", "_", "`", "~", "<", ">", "<a ", "</p ", "<!--", "&", "&#", "["),
    *("]", "(", ")", "](", "[a](", "![", "|", "|-", "---", "\\", "/", "://", "http://a", ".", ". A", "e.g. ", '."'),
    *("{", "}", "'", '"', ";", ":", ",", "-", "1. ", "* a\n", "\n\n", "> ", "<|", "ignore ", "do not tell "),
    *("before using ", "you must ", "See ", "One of 1, ", "At least 1", "aB", "a_", "a-", "({", "<<>"),
    *("\u00e9", "\u4e2d", "\u0301", "\u202e", "\U0001f600", "\u0301\u0316"),
)
"""Parts of texts. If repeated many times, they make regular expressions backtrack."""


def pumped(chance: Random, size: int) -> str:
    """Return a text of about `size` characters that makes regular expressions backtrack."""
    units = [chance.choice(PUMPS) for _ in range(chance.choice((1, 1, 2, 2, 3)))]
    unit = "".join(units)
    head, tail = (chance.choice(("", "a", *PUMPS)) for _ in range(2))
    if chance.random() < 0.3:
        return head + "".join(chance.choice(units) for _ in range(size)) + tail
    return head + unit * (size // len(unit) + 1) + tail
