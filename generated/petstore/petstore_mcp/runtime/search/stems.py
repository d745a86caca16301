# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Split text into stemmed words.

The compiler makes the search index with this module, because a query finds a word only by the same stem.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_ES = ("sses", "shes", "ches", "xes", "zes")

LONGEST_STEM = 6
"""Letters of a stem that count, so that `deploy` finds `deployments`, and `recommend` finds `recommendations`."""

_STOP = """
a about after all also am an and another any are as at be been before but by can could did do does each for from had has
have her here him his how if in into is it its itself just let like may more most must need not of on one only
or other our out over own please s she should so some such t than that the their them then there these they this
those to too up us using via want was we were what when where which while who whom whose why will with would you
your
"""
STOP = frozenset(_STOP.split())
"""Stop words: words that say nothing about a tool."""


def stems(text: str) -> list[str]:
    """Return the stems of the words in `text`, in order, without stop words."""
    return [stem(word) for each in _WORDS.findall(text) if (word := each.lower()) not in STOP]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case word. Stems are only compared with each other, so they need not be words."""
    if len(word) < 4 or not word.isascii() or word.isdigit():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(_ES):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, shortest in (("ing", 6), ("ed", 5), ("ion", 6)):
        if word.endswith(ending) and len(word) >= shortest:
            word = word.removesuffix(ending)
            word = word[:-1] if word[-1] == word[-2] and word[-1] not in "lsz" else word
            break
    word = (word.removesuffix("e") if len(word) > 3 else word)[:LONGEST_STEM]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word
