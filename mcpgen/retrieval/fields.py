"""Collect the words of a tool for the search index, by field: name, description, arguments and so on."""

import re
from collections.abc import Iterator

from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.runtime import stems
from mcpgen.base.work import Exhausted
from mcpgen.lower.schema.compose import Composer, alternatives, members
from mcpgen.model import Operation, ToolSpec

DEPTH = 4
"""Limit on the levels of a response whose member names are indexed."""

MOST_MEMBERS = 400
"""Limit on the members of one response that are visited."""

LONGEST_TEXT = 4000
"""Limit on the characters of the document's own text about an operation."""

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_SKETCH = re.compile(r"Returns (?:a list of )?\{[^{}]*\}\.")

Fields = dict[str, list[str]]
"""Field of a tool (such as `name`) → the stems of the words in it, in order. `index.FIELDS` lists the fields."""


def of_tool(tool: ToolSpec, composer: Composer) -> Fields:
    """Return the stems of a tool's words by field of the search index. `composer` resolves the response schemas."""
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
        "text": [*stems.stems(operation.description[:LONGEST_TEXT] if own else ""), *_answer(operation, composer)],
    }


def _answer(operation: Operation, composer: Composer) -> list[str]:
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
                return stems.stems(" ".join(dict.fromkeys(_members(media_type.schema, composer))))
    return []


def _members(schema: JsonObject, composer: Composer) -> Iterator[str]:
    """Yield the names of the members of `schema`, level by level, at most MOST_MEMBERS."""
    composer.budget.begin()
    level: list[JsonValue] = [schema]
    left = MOST_MEMBERS
    for _ in range(DEPTH):
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
