# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Judge whether any tool does what a query asks for: how much of the query the best tool explains.

Theory
======

`explained` is the share of the query's words that one tool has. Each counts as much as its strength there, so that a
name says more than a member of an answer. But words differ in what they ask for:

- The *objects* say what a query is about. One that no tool has counts twice: `pizza` in "order a pizza".
- *Verbs* count half: those that are known, and the first word, which in an order is one ("translate this text").
- *General* words, such as `soon` or `many`, say nothing about an API, and do not count. Nor do capitalized names, such
  as `Titanic`, unless a tool knows them.

Where a query has no object, its verbs stand for it, and where it has none of them, its general words.

A query in a language that the tools are not described in has words that no tool can have. It is known by its small
words, or by letters beyond ASCII. Only words that tools know count then, but no verbs. Its answer is doubted at best.
"""

from __future__ import annotations

from .postings import TOKENS, Postings
from .stems import stems
from .synonyms import FOREIGN, GENERAL, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

# Decision 0191: The search has two answers for queries that no tool fits.
LEAST_EXPLAINED, SURELY_EXPLAINED = 0.22, 0.28
"""Share of a query that one tool must have, so that it is found, and found without a doubt (`benchmarks/retrieval`)."""

_DOUBTED = (LEAST_EXPLAINED + SURELY_EXPLAINED) / 2
_VERB = 0.5
"""How much a verb counts of what must be explained."""

_UNKNOWN = 2.0
"""How much an object counts that no tool has."""

_SAID = 0.25
"""Strength of a word in a tool that is described with it."""


class Coverage:
    """How much of a query the tools of one index explain."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings

    def explained(self, queries: Iterable[str], allowed: Container[int]) -> float:
        """Return the largest share of one of the queries that one tool explains, between 0 and 1."""
        most = 0.0
        for each in queries:
            if most < SURELY_EXPLAINED:
                most = max(most, self._of(each, allowed))
        return most

    def _of(self, query: str, allowed: Container[int]) -> float:
        if self._is_foreign(query):
            known = {word: 1.0 for word in self._kinds(query) if self._postings.knows(word)}
            known = {word: share for word, share in known.items() if word not in VERBS and word not in GENERAL}
            return _DOUBTED if self._share(known, allowed) >= SURELY_EXPLAINED else 0.0
        return self._share(self._counted(query), allowed)

    def _share(self, counted: dict[str, float], allowed: Container[int]) -> float:
        """Return the share of these words that the best tool has. `counted`: word to how much it counts."""
        found: dict[int, float] = {}
        for word, share in counted.items():
            for number, strength in self._postings.strengths(word).items():
                found[number] = found.get(number, 0.0) + share * strength
        best = max((each for number, each in found.items() if number in allowed), default=0.0)
        return best / sum(counted.values()) if best else 0.0

    def _counted(self, query: str) -> dict[str, float]:
        """Return each word of a query and how much it counts."""
        kinds = self._kinds(query)
        if objects := [word for word, kind in kinds.items() if kind == "object"]:
            counted = {word: 1.0 if self._postings.knows(word) else _UNKNOWN for word in objects}
            return counted | {word: _VERB for word, kind in kinds.items() if kind == "verb"}
        verbs = [word for word, kind in kinds.items() if kind == "verb"]
        return {word: 1.0 if self._postings.knows(word) else _UNKNOWN for word in verbs or kinds}

    def _kinds(self, query: str) -> dict[str, str]:
        """Return each word of a query and its kind: object, verb or general."""
        pairs = list(self._postings.joined(query))
        parts = {word for pair, _ in pairs for word in pair}
        kinds = {whole: "object" for _, whole in pairs}
        for place, each in enumerate(TOKENS.findall(query)):
            for word in stems(each) if each.lower() not in parts else ():
                if _is_name(place, each) and not self._postings.knows(word):
                    continue
                verb = word in VERBS or place == 0
                kinds.setdefault(word, "general" if word in GENERAL else "verb" if verb else "object")
        return kinds

    def _is_foreign(self, query: str) -> bool:
        """Return True if a query is in a language that no tool is described in."""
        for place, each in enumerate(TOKENS.findall(query)):
            strange = each in FOREIGN or (not each.isascii() and not _is_name(place, each))
            if strange and not all(map(self._is_said, stems(each))):
                return True
        return False

    def _is_said(self, word: str) -> bool:
        """Return True if a tool is described with a word, which is more than that an answer has it somewhere."""
        return max(self._postings.strengths(word).values(), default=0.0) >= _SAID


def _is_name(place: int, written: str) -> bool:
    return place > 0 and written[0].isupper() and written != "I"
