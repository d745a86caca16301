"""Write the search index: for each stem, the tools with this stem, and how strongly it supports each of them (BM25F).

`impact(word, tool) = idf(word) · tf / (K1 + tf)`, where `tf` is a sum over the fields. Each field adds its occurrences
of the word, times its weight, divided by its relative length. Words that occur in no name, path, summary or tag count
half. All of this is known when the server is generated, so the index contains the impacts as integers, and a query only
adds them up.

The fields of a tool are its name, its description, its arguments and so on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcpgen.base import tokens
from mcpgen.base.errors import SkipOperation
from mcpgen.base.invisible import without_hidden
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, compact, digest
from mcpgen.base.names import clipped
from mcpgen.base.runtime import postings, search_listing, stems
from mcpgen.base.work import Budget, Exhausted
from mcpgen.lower.schema.compose import PART, RUN, Composer, alternatives, members
from mcpgen.lower.text.prompt_injection import gives_orders
from mcpgen.lower.text.prose import plain
from mcpgen.model import Operation, SearchTable, ToolSpec
from mcpgen.retrieval import producers

FIELDS: Mapping[str, float] = {
    "name": 2.0,
    "path": 2.0,
    "summary": 2.0,
    "description": 1.0,
    "tags": 1.0,
    "arguments": 0.6,
    "arguments_text": 0.3,
    "text": 0.25,
}
"""Field → its weight."""

_FINDERS = (search_listing.SEARCH, search_listing.DESCRIBE, search_listing.CALL, search_listing.CALL_WRITING)
_PROGRAMS = {"none": (), "reads": (search_listing.RUN_READS,), "all": search_listing.PROGRAMS}
"""Value of `--programs` → names of the tools that run programs of a model."""

K1, B = 1.2, 0.5
"""Parameters of BM25: how soon further occurrences of a word stop to count, and the influence of a field's length."""

_VOCABULARY = ("name", "path", "summary", "tags")
_UNKNOWN = 0.5
_DEPRECATED = 0.6
LONGEST_GROUP = 40
MOST_TOKENS = 125
"""Limit on the tokens that names of tool groups, and signatures of tools to begin with, take in the tool list. It keeps
the whole list within `MOST_SEARCH_TOKENS`.
"""

MOST_TOKENS_BESIDE_PROGRAMS = 60
"""The same limit if the list contains a tool that runs programs."""

STARTS = 3
_DEPTH = 4
"""Limit on the levels of a response whose member names are indexed."""
_MOST_MEMBERS = 400
"""Limit on the members of one response that are visited."""
_LONGEST_TEXT = 4000
"""Limit on the characters of the document's own text about an operation."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_SKETCH = re.compile(r"Returns (?:a list of )?\{[^{}]*\}\.")
_Fields = dict[str, list[str]]
"""Field of a tool (such as `name`) → the stems of the words in it, in order. `index.FIELDS` lists the fields."""


# Weights that do not depend on a query are computed here, so a query takes 1.7 ms of CPU time (GitHub)
# (docs/decisions/search.md).
def build(
    tools: Sequence[ToolSpec], definitions: Mapping[str, JsonObject], pinned: Iterable[str], programs: str = "none"
) -> SearchTable:
    """Return the search index of `tools`, and the data for the tool list of a server with `--tools search`.

    `tools`: sorted by name. `definitions`: the schemas to which output schemas refer. `pinned`: names of tools that are
    listed beside the search. `programs`: which tools a model's programs may call (options.PROGRAMS).
    """
    composer = Composer(definitions, Budget(RUN, PART))
    answers = _Answers(composer)
    rows = [_fields_of(tool, answers) for tool in tools]
    sources = producers.find(tools, composer)
    numbers = {tool.name: number for number, tool in enumerate(tools)}
    groups = [_group(tool) for tool in tools]
    counts = Counter(groups)
    names = sorted(counts, key=lambda each: (-counts[each], each))
    places = {name: place for place, name in enumerate(names)}
    table: JsonObject = {
        "mcpgen": 2,
        "names": [tool.name for tool in tools],
        "effects": "".join(map(_effect, tools)),
        "groups": list[JsonValue](names),
        "group": [places[each] for each in groups],
        "sources": {
            str(numbers[name]): [[argument, numbers[source]] for argument, source in pairs]
            for name, pairs in sources.items()
        },
        "terms": dict(sorted(_terms(tools, rows).items())),
    }
    starts = _starts(tools, sources)
    shown = {name: counts[name] for name in names[: search_listing.MOST_GROUPS]}
    finders = _finders(tools, (*_FINDERS, *_PROGRAMS[programs]))
    room = MOST_TOKENS if programs == "none" else MOST_TOKENS_BESIDE_PROGRAMS
    while shown and _cost(shown, starts) > room:
        shown.popitem()
    others = len(tools) - sum(shown.values())
    return SearchTable((compact(table) + "\n").encode("ascii"), shown, others, starts, tuple(pinned), finders)


def _finders(tools: Sequence[ToolSpec], kinds: Iterable[str]) -> dict[str, str]:
    """Return the name of each search tool → what it does.

    If a tool of the API has the same name, the search tool gets another name.
    """
    taken = {tool.name.lower() for tool in tools}
    found = {}
    for kind in kinds:
        name, number = kind, 2
        while name in taken:
            name, number = f"{kind}_{number}", number + 1
        found[name] = kind
    return found


def _cost(groups: Mapping[str, int], starts: Iterable[str]) -> int:
    """Estimate the tokens that two lists take in the description of the search tool: tool groups with their sizes, and
    signatures of the tools that clients probably call first (`starts`).
    """
    return tokens.estimate(", ".join([*(f"{name} {count}" for name, count in groups.items()), *starts]))


def _terms(tools: Sequence[ToolSpec], rows: Sequence[_Fields]) -> dict[str, JsonValue]:
    """Return stem → a flat list of pairs: the index of a tool in `tools`, and the stem's impact on the tool's score.
    Each index is stored as the difference from the index before.
    """
    lengths = {field: max(1.0, sum(len(row[field]) for row in rows) / max(1, len(rows))) for field in FIELDS}
    frequencies: dict[str, dict[int, float]] = {}
    for number, row in enumerate(rows):
        for field, weight in FIELDS.items():
            size = 1 - B + B * len(row[field]) / lengths[field]
            for word, count in Counter(row[field]).items():
                found = frequencies.setdefault(word, {})
                found[number] = found.get(number, 0.0) + weight * count / size
    vocabulary = {word for row in rows for field in _VOCABULARY for word in row[field]}
    terms: dict[str, JsonValue] = {}
    for word, found in frequencies.items():
        idf = postings.idf(len(found), len(rows))
        share = 1.0 if word in vocabulary else _UNKNOWN
        impacts: list[JsonValue] = []
        last = 0
        for number in sorted(found):
            factor = share * (_DEPRECATED if tools[number].operation.deprecated else 1.0)
            impact = round(postings.SCALE * factor * idf * found[number] / (K1 + found[number]))
            if impact > 0:
                impacts += [number - last, impact]
                last = number
        if impacts:
            terms[word] = impacts
    return terms


def _effect(tool: ToolSpec) -> str:
    """Return a letter for the effect of a tool: r (reads), a (adds), u (updates) or d (deletes)."""
    if tool.annotations.read_only:
        return "r"
    return {"DELETE": "d", "PUT": "u", "PATCH": "u"}.get(tool.operation.method, "a")


def _group(tool: ToolSpec) -> str:
    """Return the group of a tool: its first tag, else the first segment of its path that is no variable and no version.

    A tag that contains instructions to a model is not used.
    """
    tag = _line(tool.operation.tags[0]) if tool.operation.tags else ""
    if tag and not gives_orders(tag):
        return tag
    segments = [each for each in tool.operation.path.split("/") if each and "{" not in each]
    named = [each for each in segments if not (each[:1] == "v" and each[1:].isdigit()) and each != "api"]
    return _line((named or segments or ["other"])[0]) or "other"


def _line(text: str) -> str:
    return clipped(" ".join(without_hidden(plain(text)).split()), LONGEST_GROUP)


def _starts(tools: Sequence[ToolSpec], sources: producers.Sources) -> tuple[str, ...]:
    """Return at most STARTS tools that clients probably call first, each as `name(required arguments)`.

    First come the two tools that return ids for the most other tools, then one for the user's own account (such as
    `/me`), then tools with `search` in their path. Only read-only tools without path parameters are chosen.
    """
    free = {tool.name: tool for tool in tools if tool.annotations.read_only and "{" not in tool.operation.path}
    found = [name for name in producers.needed(sources) if name in free][:2]
    own = [name for name, tool in free.items() if tool.operation.path.rstrip("/").endswith(("/me", "/user", "/myself"))]
    general = [name for name, tool in free.items() if "search" in tool.operation.path.split("/")]
    chosen = tuple(dict.fromkeys([*found, *own[:1], *general]))[:STARTS]
    return tuple(f"{name}({', '.join(map(str, as_list(free[name].input_schema.get('required'))))})" for name in chosen)


def _fields_of(tool: ToolSpec, answers: _Answers) -> _Fields:
    """Return the stems of a tool's words by field of the search index."""
    operation = tool.operation
    own = operation.decided.told is None
    arguments = as_object(tool.input_schema.get("properties"))
    return {
        "name": stems.stems(tool.name),
        "path": stems.stems(_PLACEHOLDER.sub(" ", operation.path)),
        "summary": stems.stems(f"{operation.summary if own else ''} {tool.operation.decided.title or ''}"),
        "description": stems.stems(_SKETCH.sub(" ", tool.description)),
        "tags": stems.stems(" ".join(operation.tags)),
        "arguments": stems.stems(" ".join(arguments)),
        "arguments_text": stems.stems(
            " ".join(as_text(as_object(each).get("description")) for each in arguments.values())
        ),
        "text": [*stems.stems(operation.description[:_LONGEST_TEXT] if own else ""), *answers.of(operation)],
    }


class _Answers:
    """The member names of responses, as stems. They are found once for each schema, which many operations share."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._known: dict[str, list[str]] = {}

    def of(self, operation: Operation) -> list[str]:
        """Return the member names of the first 2xx response in JSON. If `result` rules of the tools file change the
        result, return [].
        """
        if operation.decided.result is not None:
            return []
        for response in sorted(operation.responses, key=lambda each: each.status):
            if response.status[:1] != "2":
                continue
            for media_type in response.content:
                if "json" in media_type.name and media_type.schema:
                    return self._words(media_type.schema)
        return []

    def _words(self, schema: JsonObject) -> list[str]:
        self._composer.budget.begin()
        try:
            node, _ = self._composer.node(schema)
        except (SkipOperation, Exhausted, RecursionError):
            return []  # a schema that cannot be resolved has no words
        key = digest(compact(node).encode("ascii"))
        if key not in self._known:
            self._known[key] = stems.stems(" ".join(dict.fromkeys(_members(node, self._composer))))
        return self._known[key]


def _members(schema: JsonObject, composer: Composer) -> Iterator[str]:
    """Yield the names of the members of `schema`, level by level, at most MOST_MEMBERS."""
    level: list[JsonValue] = [schema]
    left = _MOST_MEMBERS
    for _ in range(_DEPTH):
        below: list[JsonValue] = []
        for each in level:
            try:
                node, _ = composer.node(as_object(each))
            except (SkipOperation, Exhausted, RecursionError):
                continue  # a schema that cannot be resolved has no words
            while as_object(node.get("items")):
                try:
                    node, _ = composer.node(as_object(node["items"]))
                except (SkipOperation, Exhausted, RecursionError):
                    break
            below += alternatives(node)[:3]
            for name, member in members(node):
                left -= 1
                if left < 0:
                    return
                yield name
                below.append(member)
        level = below
