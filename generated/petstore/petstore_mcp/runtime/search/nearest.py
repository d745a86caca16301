# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the tool names that are nearest to a name that does not exist.

A model guesses a name from its words (`create_issue` for `issues_create`) or misspells it (`isues_craete`). So the
similarity of two names is the sum of two shares. The first is the share of common words, where rare words count more
and synonyms half. A synonym of a common word can raise the first share above 1. The second is the share of common
sequences of three letters (Dice coefficient). A name with a similarity below LEAST is not near. Names of tools that the
search finds by the words of the unknown name get a bonus.
"""

from __future__ import annotations

import math
from collections import Counter

from .stems import stems
from .synonyms import SYNONYMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 64
"""Length to which a wrong name is cut for the comparison."""

LEAST = 0.3
SYNONYM = 0.5
FOUND = 0.5
"""Bonus of the first tool that the search finds. The second gets a half of it, the third a third, and so on."""


def nearest(
    name: str, known: Sequence[str], words: Sequence[frozenset[str]], ranked: Sequence[int], most: int
) -> list[int]:
    """Return the indexes of the names in `known` that are most similar to `name`: at most `most`, the nearest first.

    `words`: the stems of each known name. `ranked`: indexes of the tools that the search finds by the words of `name`,
    the best first.
    """
    name = name[:LONGEST]
    rank = {place: number for number, place in enumerate(ranked, 1)}
    own, letters = frozenset(stems(name)), _runs(name)
    counts = Counter(word for each in words for word in each)
    found = []
    for place, (each, theirs) in enumerate(zip(known, words, strict=True)):
        other = _runs(each)
        alike = 2 * len(letters & other) / (len(letters) + len(other))
        likeness = alike + _shared(own, theirs, counts, len(known))
        if likeness >= LEAST:
            found.append((-likeness - (FOUND / rank[place] if place in rank else 0.0), each, place))
    return [place for _, _, place in sorted(found)[:most]]


def _shared(own: frozenset[str], theirs: frozenset[str], counts: Counter[str], total: int) -> float:
    """Return the weight of the common words of two names, divided by the weight of all their words.

    Rare words weigh more, and synonyms count half. `counts`: number of names that contain each word. `total`: number
    of all names.
    """
    if not own or not theirs:
        return 0.0
    weight = {word: math.log(1 + total / (1 + counts[word])) for word in own | theirs}
    both, left = sum(weight[word] for word in own & theirs), 0.0
    for word in own - theirs:
        same = max((weight[each] for each in SYNONYMS.get(word, ()) if each in theirs), default=0.0)
        both += SYNONYM * same
        left += 0.0 if same else weight[word]
    return both / (left + sum(weight[word] for word in theirs))


def _runs(name: str) -> frozenset[str]:
    """Put a space before and after the lower-case name, and return all sequences of three characters of the result."""
    padded = f" {name.lower()} "
    return frozenset(padded[place : place + 3] for place in range(max(1, len(padded) - 2)))
