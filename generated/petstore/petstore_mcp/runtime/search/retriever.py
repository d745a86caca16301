# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Rank tools by how well they match a query, without a language model.

Theory
======

The compiler computes the impact of every word in every tool (`mcpgen/retrieval/index.py`). So a search only adds
integers. The score of a tool `d` for a part `q` of a query is

    score(d) = sum over t in q of weight(t) * impact(t, d)  *  (1 + named(q, d))  *  intent(q, d)

- `impact` is BM25F: idf(t) * tf / (1.2 + tf), where tf weights the fields: name, path and summary 2, description and
  tags 1, argument names 0.6, descriptions of arguments 0.3, member names of the response and the document's description
  of the operation 0.25. Words that occur in no name, path, summary or tag count half. Deprecated tools count 0.6.
- `weight` is 1 for a word of the query and 0.5 for a synonym. It is half of that in a purpose (`fetch the users to
  notify them` asks for users) or a condition (`warn me when a server is slow` asks for warnings).
- `named` is the share of the tool name's words that the query contains. So `create_issue` ranks above
  `create_issue_comment` if the query only asks to create an issue.
- `intent` is 0.7 if a verb among the first two words asks for another effect (read, add, update, delete) than the tool
  has. A question (`who`, `does`) asks to read.

A query of several steps asks for several tools. So its parts are the whole query and its clauses, and each part has its
own ranking. The best tool of each part comes first. All other tools follow by their score, relative to the best score
in the same part. Equal scores are ordered by name. The results are deterministic.

Every rule raises the share of questions with all needed tools on at least three sets of questions
(docs/decisions/search.md).

If even the best tool contains too few words of the query, the result holds few tools (`coverage.py`).
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
    from collections.abc import Callable, Container
    from typing import Any

SYNONYM = 0.5
"""Weight of a synonym of a query word."""

PURPOSE = 0.5
"""Weight of the words that say what a step is for, or when."""

UNFIT = 0.7
"""Factor of tools that have another effect than the query asks for."""

FEW = 3
"""Maximum number of tools in the result of a query that no tool seems to fit."""

MOST_CLAUSES = 20
_FIRST = re.compile(r"[A-Za-z]+")
CLAUSES = re.compile(
    r"(?:[,.](?![0-9])|[;:?!\n])+|\b(?:and|then|after|afterwards|before|so that)\b", re.IGNORECASE | re.ASCII
)
"""What stands between the clauses of a query. The comma of 1,000 does not."""

_PURPOSE = re.compile(
    r"\bto (?!(?:an?|the|my|our|your|his|her|their|its|this|that|these|those|me|it|us|them|him|all|any|some|each|every"
    r"|one|another)\b)| (?:when|while|until|if|because|since|where)\b",
    re.IGNORECASE | re.ASCII,
)
"""The beginning of a purpose or condition. Before one of the listed words, `to` stands before a noun: `add a track to
my playlist`.
"""


class Hit:
    """A tool that a query found: its number in the index, and pairs of an argument and a tool that returns ids
    for it.
    """

    __slots__ = ("number", "sources")

    def __init__(self, number: int, sources: list[tuple[str, int]]) -> None:
        self.number = number
        self.sources = sources


class Found:
    """Result of a query.

    `fits` is False if nothing seems to fit: the hits are the few nearest tools. `sure` is False if the hits may all be
    wrong.
    """

    __slots__ = ("fits", "hits", "sure")

    def __init__(self, hits: list[Hit], share: float) -> None:
        """Create a result. `share`: share of the query that the best tool explains."""
        self.hits = hits
        self.fits = bool(hits) and share >= coverage.LEAST_EXPLAINED
        self.sure = self.fits and share >= coverage.SURELY_EXPLAINED


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
        """Return the best tools for a query, at most `limit`, and fewer if no tool explains enough of the query.

        `may(name)` says whether the search may return the tool. With `group`, only tools of that group are found.
        """
        numbers = self._allowed(may, group)
        clauses = [each.strip() for each in CLAUSES.split(query) if len(stems(each)) > 1][:MOST_CLAUSES]
        parts = [query, *(clauses if len(clauses) > 1 else ())]
        share = self._coverage.explained(parts, numbers)
        merged: dict[int, float] = {}
        for scores in [self.scores(part, numbers) for part in parts]:
            highest = max(scores.values(), default=0.0)
            for number, score in scores.items():
                rank = score / highest if score < highest else 1 + score
                merged[number] = max(merged.get(number, 0.0), rank)
        best = self._best(merged, limit if share >= coverage.LEAST_EXPLAINED else min(limit, FEW))
        return Found([Hit(number, self._produced(number, may)) for number in best], share)

    def nearest(self, name: str, may: Callable[[str], bool], most: int = 3) -> list[int]:
        """Return the numbers of the tools whose names are most similar to a name that does not exist."""
        allowed = [number for number, each in enumerate(self.names) if may(each)]
        places = {number: place for place, number in enumerate(allowed)}
        ranked = [places[number] for number in self._best(self.scores(name[:LONGEST], places), most)]
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

    def scores(self, text: str, allowed: Container[int]) -> dict[int, float]:
        """Return number -> score of each allowed tool that contains any of a text's words or their synonyms."""
        found: dict[int, float] = {}
        named: dict[int, float] = {}
        for word, weight in self._weights(text).items():
            for number, impact in self._postings.of(word):
                found[number] = found.get(number, 0.0) + weight * impact
            for number in self._named.get(word, ()):
                named[number] = named.get(number, 0.0) + weight
        wanted = effect_of(text)
        scores: dict[int, float] = {}
        for number, score in found.items():
            if number in allowed:
                share = named[number] / len(self._stems[number]) if number in named else 0.0
                scores[number] = score * (1 + share) * (UNFIT if wanted and self.effects[number] != wanted else 1.0)
        return scores

    def _weights(self, text: str) -> dict[str, float]:
        """Return the weight of each word of a text and of its synonyms."""
        weights: dict[str, float] = {}
        for piece, own in zip(_PURPOSE.split(text, maxsplit=1), (1.0, PURPOSE), strict=False):
            for word in self._words(piece):
                weights[word] = max(weights.get(word, 0.0), own)
                for other in SYNONYMS.get(word, ()):
                    weights[other] = max(weights.get(other, 0.0), own * SYNONYM)
        return weights

    def _best(self, scores: dict[int, float], most: int) -> list[int]:
        """Return the numbers of the tools with the highest scores, at most `most`, best first."""
        return nsmallest(most, scores, key=lambda number: (-scores[number], self.names[number]))

    def _produced(self, number: int, may: Callable[[str], bool]) -> list[tuple[str, int]]:
        pairs = self._sources.get(str(number), ())
        return [(argument, source) for argument, source in pairs if may(self.names[source])]
