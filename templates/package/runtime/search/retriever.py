# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Rank tools by what a query asks for, without a model.

Theory
======

The compiler has counted every word (`mcpgen/retrieval/index.py`), so that a query only adds up integers. The score of a
tool `d` for the words `q` of a clause is

    score(d) = Σ_{t in q} weight(t) · impact(t, d)  ·  (1 + named(q, d))  ·  intent(q, d)

- `impact` is BM25F: idf(t) · tf / (1.2 + tf), where tf weights the fields (name, path and summary 2, description and
  tags 1, arguments 0.6, their texts 0.3, the sketch of the answer 0.4, its members and the whole text 0.25). Words
  that no name, path, summary or tag knows count half. Deprecated tools count 0.8.
- `weight` is 1 for a word of the query and 0.5 for a synonym.
- `named` is the share of the tool's name that the query names: of two tools that both create an issue, the one that
  creates nothing else.
- `intent` is 1.15 if the tool has the effect that the first verb asks for (read, add, update, delete), 0.85 if not.

A question of several steps asks for several tools. So each clause is ranked alone too, and the rankings are merged by
reciprocal rank: Σ 1 / (RANK + rank). Ties go by name. Everything is deterministic.

A query is answered with nothing if its best tool explains too little of it: `explained` is the score without
`named` and `intent`, divided by what a tool would get that has every word in its name. A word that no tool knows
counts as the rarest word of all.
"""

from __future__ import annotations

import math
import re

from .stems import stem, stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

SYNONYM = 0.5
RANK = 10.0
LEAST_EXPLAINED = 0.22
"""Share of a query that its best tool must explain. Chosen so that few questions with an answer fall below it."""

MOST_CLAUSES = 6
_SCALE = 100.0
_FIT, _UNFIT = 1.15, 0.85
_STRONG = 0.75
"""Share of idf that a word reaches in the name, path and summary of a tool."""

_CLAUSES = re.compile(r"[,.;:?!\n]+|\b(?:and then|and|then|after that|afterwards|so that|before|after)\b", re.IGNORECASE)

_VERBS = {
    "r": "get list show find search fetch read view look check see retrieve which who what where when how count display"
    " give tell print inspect compare download browse query",
    "a": "create add post make open start new submit send upload register invite assign attach subscribe follow play"
    " schedule trigger run begin write publish comment reply charge",
    "u": "update edit change modify rename set replace patch move configure enable mark switch adjust put save close"
    " archive reopen lock transfer",
    "d": "delete remove cancel revoke drop clear detach unassign unfollow unsubscribe destroy erase dismiss discard",
}
VERBS = {stem(word): effect for effect, words in _VERBS.items() for word in words.split()}

_SYNONYMS = """
delete=remove remove=delete create=add,new,post add=create make=create edit=update change=update modify=update set=update
rename=update show=get,list find=search,list look=search my=me,current,authenticated,own mine=me,current me=current
i=me,current person=user,people people=user,person user=account,member film=movie movie=film song=track track=song
music=track singer=artist band=artist actor=credit,cast,person actress=cast,credit cast=credit star=cast director=crew,credit
show=tv series=tv picture=image photo=image poster=image logo=image image=avatar comment=reply ticket=issue bug=issue
task=issue folder=directory repository=repo repo=repository organization=org org=organization pr=pull pull=pr
purchase=order,charge buy=order,charge client=customer payment=charge,pay money=balance bill=invoice remove=delete
cancel=delete stop=cancel,pause fork=copy merge=pull teammate=member colleague=member,user employee=user
permission=role,access access=permission label=tag tag=label notification=alert message=comment,chat
trailer=video clip=video now=current playing=player listen=player pause=player volume=player rate=rating score=rating
workflow=action job=run pipeline=workflow build=workflow secret=variable domain=url address=location
"""
SYNONYMS = {
    stem(word): tuple(map(stem, others.split(",")))
    for word, _, others in (each.partition("=") for each in _SYNONYMS.split())
}


class Hit:
    """A tool that a query found: its number in the index, and the (argument, tool) pairs that produce its ids."""

    __slots__ = ("number", "sources")

    def __init__(self, number: int, sources: list[tuple[str, int]]) -> None:
        self.number = number
        self.sources = sources


class Retriever:
    """Search over one index. `names`: the tools, by number. `groups`: their groups. `effects`: one letter a tool."""

    def __init__(self, index: dict[str, Any]) -> None:
        self.names: list[str] = index["names"]
        self.groups: list[str] = index["groups"]
        self.effects: str = index["effects"]
        self.group: list[int] = index["group"]
        self._sources: dict[str, list[list[Any]]] = index["sources"]
        self._terms: dict[str, list[int]] = index["terms"]
        self._stems = [frozenset(stems(name)) for name in self.names]
        self._rarest = math.log(1 + (len(self.names) - 0.5) / 1.5)

    def search(self, query: str, limit: int, may: Callable[[str], bool], group: str = "") -> list[Hit]:
        """Return the best tools for a query, at most `limit`; none if the index knows nothing that does it.

        `may`: whether a tool may be found. `group`: if given, tools of other groups are not found.
        """
        numbers = self._allowed(may, group)
        whole = stems(query)
        scores = self._scores(whole, numbers)
        if not scores or self.explained(whole, scores) < LEAST_EXPLAINED:
            return []
        clauses = [words for each in _CLAUSES.split(query)[:MOST_CLAUSES] if len(words := stems(each)) > 1]
        rankings = [self._ranked(whole, scores)]
        if len(clauses) > 1:
            rankings += [self._ranked(words, self._scores(words, numbers)) for words in clauses]
        merged: dict[int, float] = {}
        for ranking in rankings:
            for rank, number in enumerate(ranking[: 3 * limit]):
                merged[number] = merged.get(number, 0.0) + 1 / (RANK + rank)
        best = sorted(merged, key=lambda number: (-merged[number], self.names[number]))[:limit]
        return [Hit(number, self._produced(number, may)) for number in best]

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

    def explained(self, words: Iterable[str], scores: dict[int, float]) -> float:
        """Return the share of the words that the best tool explains, between 0 and 1."""
        content = [word for word in dict.fromkeys(words) if word not in VERBS] or list(dict.fromkeys(words))
        most = sum(self._idf(word) for word in content) * _STRONG
        found = self._scores(content, scores)
        return max(found.values(), default=0.0) / most if most else 0.0

    def _idf(self, word: str) -> float:
        known = [word, *SYNONYMS.get(word, ())]
        counts = [len(self._terms[each]) // 2 for each in known if each in self._terms]
        if not counts:
            return self._rarest
        return math.log(1 + (len(self.names) - max(counts) + 0.5) / (max(counts) + 0.5))

    def _allowed(self, may: Callable[[str], bool], group: str) -> dict[int, float] | None:
        wanted = group.strip().casefold()
        return {
            number: 0.0
            for number, name in enumerate(self.names)
            if may(name) and (not wanted or self.groups[self.group[number]].casefold() == wanted)
        }

    def _scores(self, words: Iterable[str], allowed: Iterable[int] | None) -> dict[int, float]:
        """Return number → Σ weight · impact of each allowed tool that has any of the words."""
        weights: dict[str, float] = {}
        for word in words:
            weights[word] = 1.0
            for other in SYNONYMS.get(word, ()):
                weights.setdefault(other, SYNONYM)
        found: dict[int, float] = {}
        for word, weight in weights.items():
            postings = self._terms.get(word, ())
            number = 0
            for place in range(0, len(postings), 2):
                number += postings[place]
                found[number] = found.get(number, 0.0) + weight * postings[place + 1] / _SCALE
        return {number: score for number, score in found.items() if number in allowed} if allowed is not None else found

    def _ranked(self, words: list[str], scores: dict[int, float]) -> list[int]:
        """Return the tools, best first."""
        known = set(words).union(*(SYNONYMS.get(word, ()) for word in words))
        wanted = next((VERBS[word] for word in words if word in VERBS), "")
        final = {}
        for number, score in scores.items():
            own = self._stems[number]
            fit = 1.0 if not wanted else _FIT if self.effects[number] == wanted else _UNFIT
            final[number] = score * (1 + len(own & known) / max(1, len(own))) * fit
        return sorted(final, key=lambda number: (-final[number], self.names[number]))

    def _produced(self, number: int, may: Callable[[str], bool]) -> list[tuple[str, int]]:
        pairs = self._sources.get(str(number), ())
        return [(argument, source) for argument, source in pairs if may(self.names[source])]
