"""Call tools with values that fit a recursive schema except for one mistake.

The answer must name the place of the mistake.

A grammar is drawn at random: a few definitions that refer to each other through unions, lists, members and maps. A
random value is made from the grammar, and one of its leaves is made wrong. Half of the tools have such a schema for
their results.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.hostile.fuzz.limits import MOST_MEMORY, peak, said, serving
from tests.hostile.subject import compiled, playing
from tests.runtime.upstream import Connection

CPU_SECONDS = 40
"""Limit on the CPU seconds of a server in one round."""
CALLS = 12
"""Number of calls, each with its own value, for each grammar."""
LONGEST = 20_000
MOST_NODES = 500
WRONG = {"wrong": True}
NAMES = ("A", "B", "C", "D")

Schema = dict[str, Any]


class Grammar:
    """A recursive schema: random definitions that refer to each other, and a generator of values that match them."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._left = 0
        self.definitions: dict[str, Schema] = {name: self._union() for name in NAMES}

    def _reference(self) -> Schema:
        return {"$ref": f"#/$defs/{self._chance.choice(NAMES)}"}

    def _union(self) -> Schema:
        forms = [self._form() for _ in range(self._chance.choice((1, 2, 2, 3, 4)))]
        leaf: Schema = self._chance.choice(({"type": "string", "maxLength": 3}, {"type": "integer"}, {"const": "end"}))
        return {self._chance.choice(("oneOf", "anyOf")): [*forms, leaf]}

    def _form(self) -> Schema:
        kind = self._chance.randrange(5)
        if kind == 0:
            return {"type": "array", "items": self._reference(), "minItems": 1, "maxItems": 3}
        if kind == 1:
            return {"type": "object", "additionalProperties": self._reference(), "minProperties": 1}
        if kind == 2:
            return {"allOf": [{"type": "object", "required": ["next"]}, {"properties": {"next": self._reference()}}]}
        names = self._chance.sample(("and", "or", "left", "right", "op"), self._chance.choice((1, 2, 3)))
        members = {name: self._reference() if name != "op" else {"enum": ["x", "y"]} for name in names}
        closed = {"additionalProperties": False} if self._chance.random() < 0.4 else {}
        return {"type": "object", "properties": members, "required": names[:1], **closed}

    def grown(self, depth: int) -> Any:
        """Return a random value for the definition `A`, with at most about `depth` levels and MOST_NODES parts."""
        self._left = MOST_NODES
        return self.value({"$ref": "#/$defs/A"}, depth)

    def value(self, schema: Schema, depth: int) -> Any:
        """Return a random value that matches `schema`."""
        if "$ref" in schema:
            return self.value(self.definitions[schema["$ref"].rpartition("/")[2]], depth)
        forms = schema.get("oneOf") or schema.get("anyOf")
        if forms:
            return self.value(forms[-1] if depth <= 0 else self._chance.choice(forms[:-1]), depth)
        if "allOf" in schema:
            return {"next": self.value(schema["allOf"][1]["properties"]["next"], depth - 1)}
        self._left -= 1
        depth = depth if self._left > 0 else 0
        if schema.get("type") == "array":
            return [self.value(schema["items"], depth - 1) for _ in range(self._chance.choice((1, 1, 2)))]
        if schema.get("additionalProperties"):
            return {"key": self.value(schema["additionalProperties"], depth - 1)}
        if schema.get("type") == "object":
            return {name: self.value(schema["properties"][name], depth - 1) for name in schema["required"]}
        return self._leaf(schema)

    def _leaf(self, schema: Schema) -> Any:
        if "enum" in schema or "const" in schema:
            return schema["enum"][0] if "enum" in schema else schema["const"]
        return 7 if schema["type"] == "integer" else "abc"

    def spoilt(self, value: Any) -> Any:
        """Return a copy of the value with a mistake at one of its leaves."""
        if isinstance(value, list) and value:
            index = self._chance.randrange(len(value))
            return [self.spoilt(item) if place == index else item for place, item in enumerate(value)]
        if isinstance(value, dict) and value:
            chosen = self._chance.choice(list(value))
            return {name: self.spoilt(member) if name == chosen else member for name, member in value.items()}
        return WRONG


def cases(chance: Random, grammar: Grammar) -> list[Any]:
    """Return random values of the schema that `grammar` defines. In most of them, one leaf is replaced by a mistake."""
    found = []
    for _ in range(CALLS):
        value = grammar.grown(chance.choice((2, 4, 8, 16, 32, 60)))
        found.append(grammar.spoilt(value) if chance.random() < 0.9 else value)
    return found


def document(grammars: list[Grammar]) -> dict[str, Any]:
    """Return a tools file with two tools for each grammar (a random recursive schema): one takes a value that matches
    the schema, the other returns one.
    """
    tools = []
    for number, grammar in enumerate(grammars):
        schema = {"type": "object", "properties": {"v": {"$ref": "#/$defs/A"}}, "$defs": grammar.definitions}
        tools.append({"name": f"give{number}", "request": "POST /give", "send": {"body": "{v}"}, "inputSchema": schema})
        arguments = {"number": "string required"}
        promised = {"request": "GET /take?n={number}", "arguments": arguments, "outputSchema": schema}
        tools.append({"name": f"take{number}", **promised})
    key = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    base = "https://api.hostile.example/api/v1"
    return {"mcpgen": 1, "server": {"name": "hostile"}, "base_url": base, "security": key, "tools": tools}


class Found(AssertionError):
    """Error that describes a fault of the server, with the random schemas and the value that make the fault occur."""

    def __init__(self, grammar: Grammar, value: Any, problem: object) -> None:
        super().__init__(f"{problem}\n{json.dumps(grammar.definitions)}\n{json.dumps(value)[:3000]}")


def fuzz(project: Path, seed: int, count: int) -> None:
    """Draw `count` recursive schemas (grammars), and call tools with values of each. Raise Found for the first fault.

    `project` is used only by other kinds of fuzz.
    """
    chance = Random(seed)
    grammars = [Grammar(chance) for _ in range(count)]
    drawn = {str((number, index)): value for number, grammar in enumerate(grammars)
             for index, value in enumerate(cases(chance, grammar))}  # fmt: skip

    async def play(connection: Connection) -> None:
        while request := await connection.request():
            number = request.partition(b"?n=")[2].partition(b" ")[0].decode()
            content = json.dumps({"v": drawn[str(tuple(map(int, number.split("-"))))]}) if number else '{"a":1}'
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
            await connection.send((head + content).encode())

    with TemporaryDirectory() as folder, playing(play) as upstream:
        source = Path(folder) / "grammars.tools.yaml"
        source.write_text(json.dumps(document(grammars)), encoding="utf-8")
        with serving(compiled(Path(folder), source), upstream, CPU_SECONDS) as server:
            before = 0
            for number, grammar in enumerate(grammars):
                for index in range(CALLS):
                    value = drawn[str((number, index))]
                    try:
                        text = said(server, f"give{number}", {"v": value})
                        assert len(text) < LONGEST
                        assert said(server, f"take{number}", {"number": f"{number}-{index}"})
                        before = before or peak(server)
                        assert peak(server) - before < MOST_MEMORY, "memory"
                    except Exception as problem:
                        raise Found(grammar, value, f"{type(problem).__name__}: {problem}") from problem
