# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the index: which tools have a word, and how strongly it speaks for each."""

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
"""The index holds impacts as multiples of 1/SCALE."""

TOKENS = re.compile(r"[^\W_]+")


class Postings:
    """Words of one index. `terms`: stem to tools and impacts, alternating. `total`: how many tools there are."""

    def __init__(self, terms: dict[str, list[int]], total: int) -> None:
        self._terms = terms
        self._total = total
        self._read: dict[str, list[tuple[int, int]]] = {}

    def of(self, word: str) -> list[tuple[int, int]]:
        """Return the number and impact of each tool that has a word. The index holds differences of numbers."""
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
        """Return, for each tool that has a word or a synonym, how strongly it has it: 1 if all of the tool says it."""
        best: dict[int, float] = {}
        for each in (word, *SYNONYMS.get(word, ())):
            postings = self.of(each)
            full = SCALE * math.log(1 + (self._total - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, impact in postings:
                best[number] = max(best.get(number, 0.0), min(1.0, impact / full))
        return best

    def knows(self, word: str) -> bool:
        """Return True if a tool has a word or a synonym of it."""
        return any(each in self._terms for each in (word, *SYNONYMS.get(word, ())))

    def joined(self, text: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield neighbours that tools write as one word (`pay out`, `web hook`), and its stem."""
        for one, two in pairwise(each.lower() for each in TOKENS.findall(text)):
            whole = stem(one + two)
            if whole in self._terms:
                yield (one, two), whole
