# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide whether any tool does what a query asks for, by how many words of the query the best tool contains.

Theory
======

`explained` is the share of the query's words that one tool contains. Each word counts by its strength in the tool, so
that a word in the tool's name counts more than a word in its response. But words of a query have different roles:

- *Objects* say what a query is about. An object that no tool contains counts twice: `pizza` in "order a pizza".
- *Verbs* count half. They are the known verbs, and the first word, since an order begins with a verb ("translate this
  text").
- *General* words, such as `soon` or `many`, say nothing about an API, and do not count. Capitalized names, such as
  `Titanic`, do not count either, unless a tool contains them.

If a query has no object, its verbs are used instead; if it has no verb either, its general words.
"""

from __future__ import annotations

from .postings import TOKENS, Postings
from .stems import stems
from .synonyms import GENERAL, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

# Of 100 questions that no tool can answer 94 are doubted, and 81 of 688 that tools can (docs/decisions/search.md).
LEAST_EXPLAINED, SURELY_EXPLAINED = 0.05, 0.3
"""Share of a query that one tool must explain to seem to fit, and to fit with certainty."""

_VERB = 0.5
"""Weight of a verb in a query. An object has the weight 1."""

_UNKNOWN = 2.0
"""Weight of an object that no tool contains."""


class Coverage:
    """Calculator of the share of a query's words that the tools of one index contain."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings

    def explained(self, queries: Iterable[str], allowed: Container[int]) -> float:
        """Compute for each query the share (0 to 1) of its words that the best allowed tool contains. Return the
        largest share. Queries after one that reaches SURELY_EXPLAINED are skipped.
        """
        most = 0.0
        for each in queries:
            if most < SURELY_EXPLAINED:
                most = max(most, self._share(self._counted(each), allowed))
        return most

    def _share(self, counted: dict[str, float], allowed: Container[int]) -> float:
        """Return the largest share of the words, by weight, that a single allowed tool contains.

        `counted` maps each word to its weight.
        """
        found: dict[int, float] = {}
        for word, share in counted.items():
            for number, strength in self._postings.strengths(word).items():
                found[number] = found.get(number, 0.0) + share * strength
        best = max((each for number, each in found.items() if number in allowed), default=0.0)
        return best / sum(counted.values()) if best else 0.0

    def _counted(self, query: str) -> dict[str, float]:
        """Return each word of a query with its weight."""
        kinds = self._kinds(query)
        if objects := [word for word, kind in kinds.items() if kind == "object"]:
            counted = {word: 1.0 if self._postings.knows(word) else _UNKNOWN for word in objects}
            return counted | {word: _VERB for word, kind in kinds.items() if kind == "verb"}
        verbs = [word for word, kind in kinds.items() if kind == "verb"]
        return {word: 1.0 if self._postings.knows(word) else _UNKNOWN for word in verbs or kinds}

    def _kinds(self, query: str) -> dict[str, str]:
        """Return each word of a query with its role: object, verb or general."""
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


def _is_name(place: int, written: str) -> bool:
    return place > 0 and written[0].isupper() and written != "I"
