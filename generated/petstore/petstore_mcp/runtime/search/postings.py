# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the search index: which tools contain a word, and with what weight."""

from __future__ import annotations

import math
import re
from itertools import pairwise

from .stems import stem
from .synonyms import SYNONYMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SCALE = 100.0
"""The index stores impacts (weights of a word in a tool) as multiples of 1/SCALE."""

TOKENS = re.compile(r"[^\W_]+")


def idf(count: int, total: int) -> float:
    """Return the weight of a word that `count` of `total` tools contain: its inverse document frequency (BM25)."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


class Postings:
    """Words of one index.

    `terms` maps a stem to a flat list: tool number, impact, tool number, impact, and so on. The impact is the score
    that the stem gives this tool. `total`: how many tools there are.
    """

    def __init__(self, terms: dict[str, list[int]], total: int) -> None:
        self._terms = terms
        self._total = total
        self._read: dict[str, list[tuple[int, int]]] = {}

    def of(self, word: str) -> list[tuple[int, int]]:
        """Return, for each tool whose text contains a word, the tool's number and the word's impact (weight) there.

        The index stores each tool number as the difference from the number before.
        """
        if word not in self._read:
            found, number, raw = [], 0, self._terms.get(word, ())
            for place in range(0, len(raw), 2):
                number += raw[place]
                found.append((number, raw[place + 1]))
            if not raw:
                return found
            self._read[word] = found
        return self._read[word]

    def strengths(self, word: str) -> dict[int, float]:
        """Return, by tool number, the strength of a word or its synonyms in each tool that contains them; 1 is the
        maximum.
        """
        best: dict[int, float] = {}
        for each in (word, *SYNONYMS.get(word, ())):
            postings = self.of(each)
            full = SCALE * idf(len(postings), self._total)
            for number, impact in postings:
                best[number] = max(best.get(number, 0.0), min(1.0, impact / full))
        return best

    def knows(self, word: str) -> bool:
        """Return True if any tool contains the word or a synonym of it."""
        return any(each in self._terms for each in (word, *SYNONYMS.get(word, ())))

    def joined(self, text: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield pairs of neighbouring words that tools write as one word (`pay out`, `web hook`), and that
        word's stem.
        """
        for one, two in pairwise(each.lower() for each in TOKENS.findall(text)):
            whole = stem(one + two)
            if whole in self._terms:
                yield (one, two), whole
