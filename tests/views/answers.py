"""Make answers of an API from the schemas of its responses, with texts that are as awkward as the ones of real APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.work import Budget
from mcpgen.lower.schema.compose import PART, RUN, Composer, alternatives, members, types
from mcpgen.lower.tool import listings
from mcpgen.model import ToolSpec

DEPTH = 5
ITEMS = 3
TEXTS = {
    "date": "2026-03-0{}",
    "date-time": "2026-03-0{}T23:30:00Z",
    "email": "person{}@example.com",
    "uri": "https://things.example.com/things/{}",
    "url": "https://things.example.com/things/{}",
    "uuid": "00000000-0000-4000-8000-00000000000{}",
}


class Answers:
    """Maker of values. `definitions`: the named schemas to which schemas refer. `text`: a text for every string that
    has no format, or "" for the name of its member.
    """

    def __init__(self, definitions: Mapping[str, JsonObject], text: str = "") -> None:
        self._composer = Composer(definitions, Budget(RUN, PART))
        self._text = text

    def of_tool(self, tool: ToolSpec) -> Any:
        """Return an answer to a call of a tool: a value, or a text if the document describes none."""
        schema = listings.described(tool.operation)
        return "Done (204 No Content)." if schema is None else self.of(schema)

    def of(self, schema: JsonObject, name: str = "value", number: int = 1, depth: int = 0) -> Any:
        """Return a value that a schema describes. Values with different numbers differ."""
        self._composer.budget.begin()
        node, _ = self._composer.node(schema)
        if branches := alternatives(node):
            node = {**self._composer.node(branches[0])[0], **{key: node[key] for key in node if key in ("properties",)}}
        if values := as_list(node.get("enum")):
            return self._text or values[number % len(values)]
        kinds = [kind for kind in types(node) if kind != "null"]
        if "properties" in node or kinds == ["object"]:
            if depth >= DEPTH:
                return {}
            found = {key: self.of(each, key, number, depth + 1) for key, each in members(node)}
            return {self._text: 1, **found} if self._text else found
        if "items" in node or kinds == ["array"]:
            count = 0 if depth >= DEPTH else ITEMS
            return [self.of(as_object(node.get("items")), name, number + index, depth + 1) for index in range(count)]
        return self._scalar(node, kinds[0] if kinds else "string", name, number)

    def _scalar(self, node: JsonObject, kind: str, name: str, number: int) -> Any:
        if kind == "boolean":
            return number % 2 == 0
        if kind in ("integer", "number"):
            return (
                1_772_000_000 + number if node.get("format") == "unix-time" else number * 1234 + (kind == "number") / 4
            )
        if self._text:
            return self._text
        form = str(node.get("format"))
        return TEXTS.get(form, f"{name} {{}}").format(number % 10)
