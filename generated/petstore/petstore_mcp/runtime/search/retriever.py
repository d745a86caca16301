# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Rank tools by what a query asks for, without a model.

Theory
======

The compiler has counted every word (`mcpgen/retrieval/index.py`), so that a query only adds up integers. The score of a
tool `d` for the words `q` of a clause is

    score(d) = sum over t in q of weight(t) * impact(t, d)  *  (1 + named(q, d))  *  intent(q, d)

- `impact` is BM25F: idf(t) * tf / (1.2 + tf), where tf weights the fields (name, path and summary 2, description and
  tags 1, arguments 0.6, their texts 0.3, the sketch of the answer 0.4, its members and the whole text 0.25). Words
  that no name, path, summary or tag knows count half. Deprecated tools count 0.8.
- `weight` is 1 for a word of the query and 0.5 for a synonym.
- `named` is the share of the tool's name that the query names: of two tools that both create an issue, the one that
  creates nothing else.
- `intent` is 1.15 if the tool has the effect that a verb among the first two words asks for (read, add, update,
  delete), 0.7 if it has another.

A question of several steps asks for several tools. So each clause is ranked alone too, and the rankings are merged by
reciprocal rank: sum of 1 / (RANK + rank). Ties go by name. Everything is deterministic.

A query is answered with nothing if its best tool explains too little of it. `explained` is the share of the query's
words that one tool has. Each counts as much as its impact there, verbs half, words that no tool has twice. Names, such
as `Titanic`, do not count unless a tool knows them. Below LEAST_EXPLAINED nothing is found; below SURELY_EXPLAINED the
answer says that perhaps nothing fits.
"""

from __future__ import annotations

import math
import re
from heapq import nsmallest
from itertools import pairwise

from .stems import stem, stems
from .synonyms import SYNONYMS, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from typing import Any

SYNONYM = 0.5
"""Weight of a synonym."""

READING = 0.5
"""Weight of verbs such as `get` and `find`, which say little."""

RANK = 3.0
"""How slowly the worth of a rank falls. Small, so that the first tool of a clause stays near the top."""

# Decision 0191: A search says in two steps that nothing fits.
LEAST_EXPLAINED, SURELY_EXPLAINED = 0.18, 0.26
"""Share of a query that one tool must have, so that it is found, and found without a doubt (`benchmarks/retrieval`).
"""

MOST_CLAUSES = 6
_SCALE = 100.0
_FIT, _UNFIT = 1.15, 0.7
_VERB = 0.5
"""How much a verb counts of what must be explained."""

_UNKNOWN = 2.0
"""How much a word counts that no tool has: `pizza` in "order a pizza" says more than `order`."""

_TOKENS = re.compile(r"[^\W_]+")
_CLAUSES = re.compile(r"[,.;:?!\n]+|\b(?:and|then|after|afterwards|before|so that)\b", re.IGNORECASE)


class Hit:
    """A tool that a query found: its number in the index, and the (argument, tool) pairs that produce its ids."""

    __slots__ = ("number", "sources")

    def __init__(self, number: int, sources: list[tuple[str, int]]) -> None:
        self.number = number
        self.sources = sources


class Found:
    """What a query found. `sure`: False if perhaps none of the hits does what was asked for."""

    __slots__ = ("hits", "sure")

    def __init__(self, hits: list[Hit], *, sure: bool) -> None:
        self.hits = hits
        self.sure = sure


class Retriever:
    """Search over one index. `names`: the tools, by number. `groups`: their groups. `effects`: one letter a tool."""

    def __init__(self, index: dict[str, Any]) -> None:
        self.names: list[str] = index["names"]
        self.groups: list[str] = index["groups"]
        self.effects: str = index["effects"]
        self.group: list[int] = index["group"]
        self._sources: dict[str, list[list[Any]]] = index["sources"]
        self._terms: dict[str, list[int]] = index["terms"]
        self._read: dict[str, list[tuple[int, int]]] = {}
        self._stems = [frozenset(stems(name)) for name in self.names]
        self._named: dict[str, list[int]] = {}
        for number, own in enumerate(self._stems):
            for word in own:
                self._named.setdefault(word, []).append(number)

    def search(self, query: str, limit: int, may: Callable[[str], bool], group: str = "") -> Found:
        """Return the best tools for a query, at most `limit`; none if the index knows nothing that does it.

        `may`: whether a tool may be found. `group`: if given, tools of other groups are not found.
        """
        numbers = self._allowed(may, group)
        whole = self._words(query)
        scores = self._scores(whole, numbers)
        clauses = [each for each in _CLAUSES.split(query)[:MOST_CLAUSES] if len(stems(each)) > 1]
        share = 0.0
        for each in (query, *clauses):
            if share < SURELY_EXPLAINED:
                share = max(share, self.explained(each, numbers))
        if not scores or share < LEAST_EXPLAINED:
            return Found([], sure=True)
        rankings = [self._ranked(whole, scores, 3 * limit)]
        if len(clauses) > 1:
            of_clauses = map(self._words, clauses)
            rankings += [self._ranked(words, self._scores(words, numbers), 3 * limit) for words in of_clauses]
        merged: dict[int, float] = {}
        for ranking in rankings:
            for rank, number in enumerate(ranking):
                merged[number] = merged.get(number, 0.0) + 1 / (RANK + rank)
        best = sorted(merged, key=lambda number: (-merged[number], self.names[number]))[:limit]
        return Found([Hit(number, self._produced(number, may)) for number in best], sure=share >= SURELY_EXPLAINED)

    def nearest(self, name: str, may: Callable[[str], bool], most: int = 3) -> list[int]:
        """Return the tools whose names are nearest to one that does not exist: same words first, then same letters."""
        import difflib  # imported here, since mistaken names are rare

        allowed = [number for number, each in enumerate(self.names) if may(each)]
        words = frozenset(stems(name[:64]))

        def likeness(number: int) -> tuple[float, float]:
            own = self._stems[number]
            return len(words & own) / max(1, len(words | own)), 0.0

        found = sorted(allowed, key=lambda number: (-likeness(number)[0], self.names[number]))[: 4 * most]
        letters = {number: difflib.SequenceMatcher(None, name[:64], self.names[number]).ratio() for number in found}
        return sorted(found, key=lambda number: (-likeness(number)[0] - letters[number], self.names[number]))[:most]

    def explained(self, query: str, allowed: Container[int]) -> float:
        """Return the share of a query's words that the best tool has, between 0 and 1."""
        found: dict[int, float] = {}
        most = 0.0
        for word in self._content(query):
            best: dict[int, float] = {}
            for each in (word, *SYNONYMS.get(word, ())):
                postings = self._postings(each)
                full = _SCALE * self._idf(len(postings))
                for number, impact in postings:
                    best[number] = max(best.get(number, 0.0), min(1.0, impact / full))
            share = _VERB if word in VERBS else 1.0 if best else _UNKNOWN
            most += share
            for number, strength in best.items():
                found[number] = found.get(number, 0.0) + share * strength
        return max((each for number, each in found.items() if number in allowed), default=0.0) / most if most else 0.0

    def _words(self, text: str) -> list[str]:
        """Return the stems of a text, and those of two words that tools write as one (`pay out`, `web hook`)."""
        return [*stems(text), *(whole for _, whole in self._joined(text))]

    def _joined(self, text: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield neighbours that tools write as one word, and its stem."""
        for one, two in pairwise(each.lower() for each in _TOKENS.findall(text)):
            whole = stem(one + two)
            if whole in self._terms:
                yield (one, two), whole

    def _content(self, query: str) -> list[str]:
        """Return the words of a query that some tool should have: all but capitalized names that no tool knows."""
        parts = dict.fromkeys(word for pair, _ in self._joined(query) for word in pair)
        found = [whole for _, whole in self._joined(query)]
        for place, each in enumerate(_TOKENS.findall(query)):
            is_name = place > 0 and each[0].isupper() and each != "I"
            words = stems(each) if each.lower() not in parts else ()
            found += [word for word in words if not is_name or self._knows(word)]
        return list(dict.fromkeys(found))

    def _knows(self, word: str) -> bool:
        return any(each in self._terms for each in (word, *SYNONYMS.get(word, ())))

    def _idf(self, count: int) -> float:
        """Return the inverse document frequency of a word that `count` tools have."""
        return math.log(1 + (len(self.names) - count + 0.5) / (count + 0.5))

    def _allowed(self, may: Callable[[str], bool], group: str) -> frozenset[int]:
        wanted = group.strip().casefold()
        return frozenset(
            number
            for number, name in enumerate(self.names)
            if may(name) and (not wanted or self.groups[self.group[number]].casefold() == wanted)
        )

    def _scores(self, words: Iterable[str], allowed: Container[int]) -> dict[int, float]:
        """Return number to sum of weight * impact of each allowed tool that has any of the words."""
        found: dict[int, float] = {}
        for word, weight in self._weights(words).items():
            for number, impact in self._postings(word):
                found[number] = found.get(number, 0.0) + weight * impact
        return {number: score for number, score in found.items() if number in allowed}

    def _postings(self, word: str) -> list[tuple[int, int]]:
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

    def _weights(self, words: Iterable[str]) -> dict[str, float]:
        """Return each word of a query and its synonyms, and how much they count. Verbs of reading say little."""
        weights: dict[str, float] = {}
        for word in words:
            own = READING if VERBS.get(word) == "r" else 1.0
            weights[word] = max(weights.get(word, 0.0), own)
            for other in SYNONYMS.get(word, ()):
                weights[other] = max(weights.get(other, 0.0), own * SYNONYM)
        return weights

    def _ranked(self, words: list[str], scores: dict[int, float], most: int) -> list[int]:
        """Return the best tools, at most `most`, best first."""
        wanted = next((VERBS[word] for word in words[:2] if word in VERBS), "")
        named: dict[int, float] = {}
        for word, weight in self._weights(words).items():
            for number in self._named.get(word, ()):
                named[number] = named.get(number, 0.0) + weight
        final: dict[int, float] = {}
        for number, score in scores.items():
            share = named[number] / len(self._stems[number]) if number in named else 0.0
            fit = 1.0 if not wanted else _FIT if self.effects[number] == wanted else _UNFIT
            final[number] = score * (1 + share) * fit
        return nsmallest(most, final, key=lambda number: (-final[number], self.names[number]))

    def _produced(self, number: int, may: Callable[[str], bool]) -> list[tuple[str, int]]:
        pairs = self._sources.get(str(number), ())
        return [(argument, source) for argument, source in pairs if may(self.names[source])]
