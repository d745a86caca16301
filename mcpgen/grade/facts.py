"""Collect what the rules ask about a tool: its own words, its arguments, the tool that a search finds for its words."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.names import alphanumeric, words
from mcpgen.base.runtime import page_arguments, retriever, stems
from mcpgen.base.work import Budget
from mcpgen.emit import table
from mcpgen.lower.schema.compose import PART, RUN, Composer
from mcpgen.lower.text.prose import plain, sentences
from mcpgen.lower.tool import listings
from mcpgen.model import Catalog, ToolSpec
from mcpgen.naming.operation_ids import spoken_id
from mcpgen.naming.verbs import singular
from mcpgen.retrieval import index, producers

MOST_SEARCHED = 3000
"""Limit on the tools for which a search is made. The time of one search grows with the number of all tools."""

ALIKE = 0.97
"""Share of a tool's own score from which another tool is too similar. It is less than 1 because the order of two equal
tools depends on all other tools.
"""

DEPTH = 3
"""Limit on the levels of nested arguments that are graded."""

_LISTS = ("list", "search")
"""Last words of a path that name a list without a plural."""

_OF_COMPILER = re.compile(
    r"(?:From \w+|At (?:most|least) [^.]*|Exactly [^.]*|[\d.,]+ to [^.]*|(?:More|Less) than [^.]*|A multiple of [^.]*"
    r"|Example: (?:\"[^\"]*\"|[-\d.e]+)|No duplicates|(?:Always|One of) [^.]*|Format:? [^.]*|Matches [^.]*)\."
)
"""Sentences of a description that state limits and examples, and no meaning. The compiler and `patch` write them."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool, or a member of an argument. `path`: its names from the tool on, joined by dots.

    `meaning`: the words of its description that its name lacks. All words of the description of an id count, because
    `The id of the pet` is all that there is to say about `petId`.
    """

    path: str
    schema: JsonObject
    meaning: frozenset[str]

    @property
    def description(self) -> str:
        return as_text(self.schema.get("description"))


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules ask about one tool.

    `purpose`: the first sentence of the document, or of the owner, about the tool. `news`: the stems of all its texts
    that its name and path lack. `twin`: the other tool that a search for the purpose cannot tell from this one, or "".
    `sourceless`: required ids that no tool returns. `is_endless`: True if the result is a list, and no argument selects
    a part of it.
    """

    tool: ToolSpec
    arguments: tuple[Argument, ...]
    purpose: str
    news: frozenset[str]
    twin: str
    sourceless: tuple[str, ...]
    is_endless: bool
    tokens: int


def collect(catalog: Catalog, definitions: Mapping[str, JsonObject]) -> list[Facts]:
    """Return the facts of each tool, in the order of the catalog.

    `definitions`: the named schemas to which schemas of responses refer.
    """
    composer = Composer(definitions, Budget(RUN, PART))
    sources = producers.sources(catalog.tools, composer)
    twins = _twins(catalog, definitions)
    return [
        Facts(
            tool,
            tuple(_arguments(tool.input_schema, "", DEPTH)),
            _purpose(tool),
            _news(tool),
            twins.get(tool.name, ""),
            tuple(_sourceless(tool, {each.argument for each in sources.get(tool.name, [])})),
            _is_endless(tool, composer),
            table.cost(tool),
        )
        for tool in catalog.tools
    ]


def _texts(tool: ToolSpec) -> list[str]:
    operation = tool.operation
    told = operation.decided.told
    texts = [told] if told is not None else [operation.summary, spoken_id(operation), operation.description]
    return [plain(each) for each in texts if each]


def _purpose(tool: ToolSpec) -> str:
    return next((sentences(each.partition("\n")[0])[0] for each in _texts(tool) if each.strip()), "")


def _news(tool: ToolSpec) -> frozenset[str]:
    known = stems.stems(f"{tool.name} {tool.operation.path} {' '.join(tool.operation.tags)}")
    return frozenset(stems.stems(" ".join(_texts(tool)))) - frozenset(known)


def _arguments(schema: JsonObject, path: str, depth: int) -> Iterator[Argument]:
    """Yield the named members of a schema, each before its own members."""
    for name, member in as_object(schema.get("properties")).items():
        node = as_object(member)
        inside = f"{path}{name}"
        told = stems.stems(_OF_COMPILER.sub(" ", as_text(node.get("description"))))
        known = () if producers.is_id(name) else stems.stems(name)
        yield Argument(inside, node, frozenset(told).difference(known))
        if depth > 1:
            for branch in (node, as_object(node.get("items")), *map(as_object, as_list(node.get("anyOf")))):
                yield from _arguments(branch, f"{inside}.", depth - 1)


def _sourceless(tool: ToolSpec, known: set[str]) -> Iterator[str]:
    """Yield the required ids in the path and the query of a tool for which no source is known."""
    required = as_list(tool.input_schema.get("required"))
    properties = as_object(tool.input_schema.get("properties"))
    for (place, wire), argument in tool.arguments.items():
        if place in ("path", "query") and argument in required and argument not in known and producers.is_id(wire):
            node = as_object(properties.get(argument))
            if "enum" not in node and not re.search(r"\bFrom \w+\.", as_text(node.get("description"))):
                yield argument


def _is_endless(tool: ToolSpec, composer: Composer) -> bool:
    """Return True if a tool reads all items of a kind, and no argument selects some of them.

    The last segment of the path of such a tool names the items in the plural, as in `/pets`.
    """
    said = words(tool.operation.path.rstrip("/").rpartition("/")[2])
    if not said or tool.operation.path.endswith("}") or (singular(said[-1]) == said[-1] and said[-1] not in _LISTS):
        return False
    if not tool.annotations.read_only or tool.binding.pages or tool.binding.result:
        return False
    kinds = (page_arguments.SIZE, page_arguments.NUMBER, page_arguments.OFFSET, page_arguments.CURSOR)
    wires = [alphanumeric(wire) for _, wire in tool.arguments]
    if any(kind.fullmatch(wire) for kind in kinds for wire in wires):
        return False
    return listings.of_answer(tool.operation, composer) is not None


def _twins(catalog: Catalog, definitions: Mapping[str, JsonObject]) -> dict[str, str]:
    """Return tool → the other tool that a search for the tool's own words cannot tell from it: its score is higher, or
    nearly as high.

    The words are the purpose of the tool, or its name if it has no purpose. They are searched as one clause.
    """
    built = catalog.search or index.build(catalog.tools, definitions, ())
    search = retriever.Retriever(json.loads(built.index))
    found, everything = {}, range(len(search.names))
    for number, tool in enumerate(catalog.tools[:MOST_SEARCHED]):
        said = retriever.CLAUSES.sub(" ", _purpose(tool) or tool.name.replace("_", " "))
        scores = search.scores(said, everything)
        own = scores.pop(number, 0.0)
        best = max(scores.values(), default=0.0)
        if best > own * ALIKE:
            found[tool.name] = search.names[min(each for each, score in scores.items() if score == best)]
    return found
