"""The searches that are compared: the search of generated servers, and BM25 over the same tools, which answers with the
tools' complete definitions.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any, NamedTuple, Protocol

from package.runtime.search import notation
from package.runtime.search.retriever import Retriever
from package.runtime.search.stems import stems

from mcpgen.base.jsonvalue import JsonValue

Tool = dict[str, Any]


class Answer(NamedTuple):
    """Answer of a search, as a model sees it: rows of text, or a list of definitions.

    `names`: for each rank, the tools that the rank shows. `sure`: False if the search doubts that a tool fits. `ms`:
    milliseconds of the search, if another process measured them.
    """

    names: list[set[str]]
    shown: JsonValue
    sure: bool
    ms: float | None = None


class Ranker(Protocol):
    """Interface of a search that answers a search query with tools."""

    def answer(self, question: str, most: int) -> Answer:
        """Return the best `most` tools for the search query `question`."""


class Search:
    """The search of a generated server. Its answer has a row for each tool that is found, followed by rows for the
    tools whose results contain the ids that the found tool needs. The full description of the best tool, which a server
    also shows, is left out.
    """

    def __init__(self, index: bytes, tools: list[Tool]) -> None:
        self._retriever = Retriever(json.loads(index))
        self._tools = {tool["name"]: tool for tool in tools}

    def answer(self, question: str, most: int) -> Answer:
        """Return the best `most` tools for the search query `question`."""
        found = self._retriever.search(question, most, lambda name: True)
        names, lines = [], []
        for hit in found.hits:
            own, *sources = (self._retriever.names[each] for each in (hit.number, *(each for _, each in hit.sources)))
            names.append({own, *sources})
            lines.append(notation.row(self._tools[own], stems(question)))
            pairs = zip(hit.sources, sources, strict=True)
            lines += [f"    {name} \u2190 {notation.signature(self._tools[source])}" for (name, _), source in pairs]
        return Answer(names, "\n".join(dict.fromkeys(lines)), found.sure and bool(found.hits))


class Plain:
    """BM25 (k1 1.5, b 0.75) over name, description and argument texts. Its answer is a list of complete definitions."""

    def __init__(self, tools: list[Tool]) -> None:
        self._tools = tools
        self._documents = [Counter(_words(_text(tool))) for tool in tools]
        self._mean = sum(map(Counter.total, self._documents)) / len(tools)
        self._counts = Counter(word for document in self._documents for word in document)

    def answer(self, question: str, most: int) -> Answer:
        """Return the best `most` tools for the search query `question`."""
        words = set(_words(question))
        scores = [self._score(words, document) for document in self._documents]
        order = sorted(range(len(scores)), key=lambda number: -scores[number])[:most]
        shown = [self._tools[number] for number in order if scores[number] > 0]
        return Answer([{tool["name"]} for tool in shown], list[JsonValue](shown), bool(shown))

    def _score(self, words: set[str], document: Counter[str]) -> float:
        size = document.total() / self._mean
        return sum(
            self._idf(word) * document[word] * 2.5 / (document[word] + 1.5 * (0.25 + 0.75 * size))
            for word in words
            if word in document
        )

    def _idf(self, word: str) -> float:
        count = self._counts[word]
        return math.log(1 + (len(self._documents) - count + 0.5) / (count + 0.5))


def _text(tool: Tool) -> str:
    arguments = tool["inputSchema"].get("properties", {})
    said = [f"{name} {schema.get('description', '')}" for name, schema in arguments.items()]
    return " ".join([tool["name"], tool["description"], *said])


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
