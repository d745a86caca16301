"""Collect the words of a tool, by the part of its description that they stand in."""

import re
from collections.abc import Iterator

from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.work import Exhausted
from mcpgen.lower.schema.compose import Composer, alternatives, members
from mcpgen.model import Operation, ToolSpec
from mcpgen.retrieval.stems import stems

DEPTH = 4
"""Levels of an answer whose member names are indexed."""

MOST_MEMBERS = 400
"""Limit on the members of one answer that are visited."""

LONGEST_TEXT = 4000
"""Limit on the characters of the document's own text about an operation."""

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_SKETCH = re.compile(r"Returns (?:a list of )?\{[^{}]*\}\.")

Fields = dict[str, list[str]]
"""Field → the stems that stand in it, in order. The names are those of `index.FIELDS`."""


def of_tool(tool: ToolSpec, composer: Composer) -> Fields:
    """Return the words of a tool. `composer` resolves the schemas of its answer."""
    operation = tool.operation
    own = operation.decided.told is None
    sketch = " ".join(_SKETCH.findall(tool.description))
    arguments = as_object(tool.input_schema.get("properties"))
    return {
        "name": stems(tool.name),
        "path": stems(_PLACEHOLDER.sub(" ", operation.path)),
        "summary": stems(f"{operation.summary if own else ''} {tool.operation.decided.title or ''}"),
        "description": stems(_SKETCH.sub(" ", tool.description)),
        "tags": stems(" ".join(operation.tags)),
        "arguments": stems(" ".join(arguments)),
        "arguments_text": stems(" ".join(as_text(as_object(each).get("description")) for each in arguments.values())),
        "sketch": stems(sketch),
        "text": [*stems(operation.description[:LONGEST_TEXT] if own else ""), *_answer(operation, composer)],
    }


def _answer(operation: Operation, composer: Composer) -> list[str]:
    """Return the member names of the first 2xx JSON answer. Owners who changed the result get none of them indexed."""
    if operation.decided.result is not None:
        return []
    for response in sorted(operation.responses, key=lambda each: each.status):
        if response.status[:1] != "2":
            continue
        for media_type in response.content:
            if "json" in media_type.name and media_type.schema:
                return stems(" ".join(dict.fromkeys(_members(media_type.schema, composer))))
    return []


def _members(schema: JsonObject, composer: Composer) -> Iterator[str]:
    """Yield the names of members, level by level, at most MOST_MEMBERS."""
    composer.budget.begin()
    level: list[JsonValue] = [schema]
    left = MOST_MEMBERS
    for _ in range(DEPTH):
        below: list[JsonValue] = []
        for each in level:
            try:
                node, _ = composer.node(as_object(each))
            except (SkipOperation, Exhausted, RecursionError):
                continue  # what cannot be resolved has no words
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
