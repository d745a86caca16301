# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Rank tools by how well they match a query, without a language model.

Theory
======

The compiler computes the impact of every word in every tool (`mcpgen/retrieval/index.py`). So a search only adds
integers. A query may have several clauses, such as `find the user, then close the issue`. The score of a tool `d` for
the words `q` of the query, or of one clause, is

    score(d) = sum over t in q of weight(t) * impact(t, d)  *  (1 + named(q, d))  *  intent(q, d)

- `impact` is BM25F: idf(t) * tf / (1.2 + tf), where tf weights the fields: name, path and summary 2, description and
  tags 1, argument names 0.6, descriptions of arguments 0.3, the sentence `Returns {...}` 0.4, member names of the
  response and the document's description of the operation 0.25. Words that occur in no name, path, summary or tag count
  half. Deprecated tools count 0.8.
- `weight` is 1 for a word of the query and 0.5 for a synonym.
- `named` is the share of the tool name's words that the query contains. So `create_issue` ranks above
  `create_issue_comment` if the query only asks to create an issue.
- `intent` is 1.15 if the tool has the effect that a verb among the first two words asks for (read, add, update,
  delete), and 0.7 if it has another effect. A question (`who`, `does`) asks to read.

A query of several steps asks for several tools. So the tools are ranked for the query and for each clause, and the
rankings are merged by reciprocal rank: sum of 1 / (RANK + rank). Equal scores are ordered by name. The results are
deterministic.

If even the best tool contains too few words of the query, the result is empty (`coverage.py`).
"""

from __future__ import annotations

import re
from heapq import nsmallest

from . import coverage
from .nearest import LONGEST, nearest
from .postings import Postings
from .stems import stems
from .synonyms import QUESTIONS, SYNONYMS, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable
    from typing import Any

SYNONYM = 0.5
"""Weight of a synonym of a query word."""

READING = 0.5
"""Weight of verbs for reading, such as `get` and `find`, which tell little about the tool."""

RANK = 3.0
"""Constant of the reciprocal rank. It is small, so that the first tool of each clause stays near the top."""

MOST_CLAUSES = 6
_FIT, _UNFIT = 1.15, 0.7
_FIRST = re.compile(r"[A-Za-z]+")
_CLAUSES = re.compile(r"[,.;:?!\n]+|\b(?:and|then|after|afterwards|before|so that)\b", re.IGNORECASE)


class Hit:
    """A tool that a query found: its number in the index, and pairs of an argument and a tool that returns ids
    for it.
    """

    __slots__ = ("number", "sources")

    def __init__(self, number: int, sources: list[tuple[str, int]]) -> None:
        self.number = number
        self.sources = sources


class Found:
    """Result of a query. `sure` is False if the hits may all be wrong."""

    __slots__ = ("hits", "sure")

    def __init__(self, hits: list[Hit], *, sure: bool) -> None:
        self.hits = hits
        self.sure = sure


def effect_of(query: str) -> str:
    """Return the effect that the first words of a query ask for (r, a, u or d: read, add, update, delete), or ""."""
    first = _FIRST.match(query)
    if first is not None and first[0].lower() in QUESTIONS:
        return "r"
    return next((VERBS[word] for word in stems(query)[:2] if word in VERBS), "")


class Retriever:
    """Search over one index.

    `names` holds the names of the tools, `effects` one letter per tool (read, add, update or delete), and `groups` all
    group names.
    """

    def __init__(self, index: dict[str, Any]) -> None:
        self.names: list[str] = index["names"]
        self.groups: list[str] = index["groups"]
        self.effects: str = index["effects"]
        self.group: list[int] = index["group"]
        self._sources: dict[str, list[list[Any]]] = index["sources"]
        self._postings = Postings(index["terms"], len(self.names))
        self._coverage = coverage.Coverage(self._postings)
        self._stems = [frozenset(stems(name)) for name in self.names]
        self._named: dict[str, list[int]] = {}
        for number, own in enumerate(self._stems):
            for word in own:
                self._named.setdefault(word, []).append(number)

    def search(self, query: str, limit: int, may: Callable[[str], bool], group: str = "") -> Found:
        """Return the best tools for a query, at most `limit`; none if no tool explains enough of the query.

        `may(name)` says whether the search may return the tool. With `group`, only tools of that group are found.
        """
        numbers = self._allowed(may, group)
        whole = self._words(query)
        scores = self._scores(whole, numbers)
        clauses = [each.lstrip() for each in _CLAUSES.split(query)[:MOST_CLAUSES] if len(stems(each)) > 1]
        share = self._coverage.explained((query, *clauses), numbers)
        if not scores or share < coverage.LEAST_EXPLAINED:
            return Found([], sure=True)
        rankings = [self._ranked(whole, scores, effect_of(query), 3 * limit)]
        for each in clauses if len(clauses) > 1 else ():
            words = self._words(each)
            rankings.append(self._ranked(words, self._scores(words, numbers), effect_of(each), 3 * limit))
        merged: dict[int, float] = {}
        for ranking in rankings:
            for rank, number in enumerate(ranking):
                merged[number] = merged.get(number, 0.0) + 1 / (RANK + rank)
        best = sorted(merged, key=lambda number: (-merged[number], self.names[number]))[:limit]
        hits = [Hit(number, self._produced(number, may)) for number in best]
        return Found(hits, sure=share >= coverage.SURELY_EXPLAINED)

    def nearest(self, name: str, may: Callable[[str], bool], most: int = 3) -> list[int]:
        """Return the numbers of the tools whose names are most similar to a name that does not exist."""
        allowed = [number for number, each in enumerate(self.names) if may(each)]
        places = {number: place for place, number in enumerate(allowed)}
        words = self._words(name[:LONGEST])
        ranked = [places[number] for number in self._ranked(words, self._scores(words, places), effect_of(name), most)]
        known, own = [self.names[number] for number in allowed], [self._stems[number] for number in allowed]
        return [allowed[place] for place in nearest(name, known, own, ranked, most)]

    def _words(self, text: str) -> list[str]:
        """Return the stems of a text.

        Also return the stem of each pair of words that tools write as one word (`pay out`, `web hook`).
        """
        return [*stems(text), *(whole for _, whole in self._postings.joined(text))]

    def _allowed(self, may: Callable[[str], bool], group: str) -> frozenset[int]:
        wanted = group.strip().casefold()
        return frozenset(
            number
            for number, name in enumerate(self.names)
            if may(name) and (not wanted or self.groups[self.group[number]].casefold() == wanted)
        )

    def _scores(self, words: Iterable[str], allowed: Container[int]) -> dict[int, float]:
        """Return number -> score of each allowed tool that contains any of the words or their synonyms.

        The score is the sum of each word's weight in the query times its impact in the tool, which the index holds.
        """
        found: dict[int, float] = {}
        for word, weight in self._weights(words).items():
            for number, impact in self._postings.of(word):
                found[number] = found.get(number, 0.0) + weight * impact
        return {number: score for number, score in found.items() if number in allowed}

    def _weights(self, words: Iterable[str]) -> dict[str, float]:
        """Return the weight of each word of a query and of its synonyms. Verbs for reading weigh less."""
        weights: dict[str, float] = {}
        for word in words:
            own = READING if VERBS.get(word) == "r" else 1.0
            weights[word] = max(weights.get(word, 0.0), own)
            for other in SYNONYMS.get(word, ()):
                weights[other] = max(weights.get(other, 0.0), own * SYNONYM)
        return weights

    def _ranked(self, words: list[str], scores: dict[int, float], wanted: str, most: int) -> list[int]:
        """Return the numbers of the tools with the highest scores, at most `most`, best first.

        `wanted`: effect that the query asks for (r, a, u or d: read, add, update, delete), or "" for no effect. Tools
        with this effect rank higher, others lower; "" changes no rank.
        """
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
