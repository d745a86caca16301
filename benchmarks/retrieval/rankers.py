"""The searches that are compared: the search of generated servers, and the plain recipe from which it was built."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple, Protocol

from package.runtime.search import notation
from package.runtime.search.postings import Postings
from package.runtime.search.retriever import CLAUSES, Hit, Retriever
from package.runtime.search.stems import stems
from package.runtime.search.synonyms import VERBS

from mcpgen.base.jsonvalue import JsonValue

Tool = dict[str, Any]


class Answer(NamedTuple):
    """Answer of a search, as a model sees it: rows of text, or a list of definitions.

    `names`: for each rank, the tool that was found, and the tools that are shown with it. `verdict`: "fits", or what a
    search says instead ("perhaps", "nothing"). `ms`: milliseconds of the search, if another process measured them.
    """

    names: list[list[str]]
    shown: JsonValue
    verdict: str = "fits"
    ms: float | None = None


class Ranker(Protocol):
    """Interface of a search that answers a search query with tools."""

    def answer(self, question: str, most: int) -> Answer:
        """Return the best `most` tools for the search query `question`."""


def _rows(names: list[str], tools: dict[str, Tool], hits: list[Hit], question: str, verdict: str) -> Answer:
    """Return an answer with a row for each hit, followed by rows for the tools that return the ids which it needs."""
    found, lines = [], []
    for hit in hits:
        own, *sources = (names[each] for each in (hit.number, *(each for _, each in hit.sources)))
        found.append([own, *sources])
        lines.append(notation.row(tools[own], stems(question)))
        pairs = zip(hit.sources, sources, strict=True)
        lines += [f"    {name} \u2190 {notation.signature(tools[source])}" for (name, _), source in pairs]
    return Answer(found, "\n".join(dict.fromkeys(lines)), verdict)


class Search:
    """The search of a generated server. The full description of the best tool, which a server also shows, is left out.

    A question that no tool seems to fit is answered with fewer rows.
    """

    def __init__(self, index: bytes, tools: list[Tool]) -> None:
        self._retriever = Retriever(json.loads(index))
        self._tools = {tool["name"]: tool for tool in tools}

    def answer(self, question: str, most: int) -> Answer:
        """Return the best `most` tools for the search query `question`."""
        found = self._retriever.search(question, most, lambda name: True)
        verdict = "fits" if found.sure else "perhaps" if found.fits else "nothing"
        return _rows(self._retriever.names, self._tools, found.hits, question, verdict)


class Recipe:
    """The plain recipe, over the index of a generated server. It has no word lists but verbs, and never refuses.

    The score of a tool grows by the share of its name that the query names, and changes by 15 % with the effect that
    the first verb asks for. Clauses are ranked alone, and merged by reciprocal rank.
    """

    def __init__(self, index: bytes, tools: list[Tool]) -> None:
        self._index = json.loads(index)
        self._names: list[str] = self._index["names"]
        self._postings = Postings(self._index["terms"], len(self._names))
        self._tools = {tool["name"]: tool for tool in tools}
        self._stems = [frozenset(stems(name)) for name in self._names]

    def answer(self, question: str, most: int) -> Answer:
        """Return the best `most` tools for the search query `question`."""
        clauses = [each for each in CLAUSES.split(question) if len(stems(each)) > 1]
        merged: dict[int, float] = {}
        for part in clauses if len(clauses) > 1 else [question]:
            for rank, number in enumerate(self._ranked(part)[: 3 * most]):
                merged[number] = merged.get(number, 0.0) + 1 / (1 + rank)
        best = sorted(merged, key=lambda number: (-merged[number], self._names[number]))[:most]
        sources: dict[str, list[list[Any]]] = self._index["sources"]
        hits = [Hit(number, [(name, source) for name, source in sources.get(str(number), ())]) for number in best]
        return _rows(self._names, self._tools, hits, question, "fits")

    def _ranked(self, text: str) -> list[int]:
        """Return the numbers of the tools that contain any of the words, best first."""
        words = set(stems(text))
        found = Counter[int]()
        for word in words:
            found.update(dict(self._postings.of(word)))
        wanted = next((VERBS[word] for word in stems(text)[:2] if word in VERBS), "")
        scores = {}
        for number, score in found.items():
            own = self._stems[number]
            fit = 1.0 if not wanted else 1.15 if self._index["effects"][number] == wanted else 0.85
            scores[number] = score * (1 + len(own & words) / max(1, len(own))) * fit
        return sorted(scores, key=lambda number: (-scores[number], self._names[number]))
