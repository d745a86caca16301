"""Cache the results of functions of JSON values, so that a shared subschema is examined once.

Many input schemas contain the same subschemas. Without the cache, walking through them would take half the time of a
compile with deep schemas.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object

Answer = TypeVar("Answer")
Question = Callable[[JsonValue], Answer]


class ValueCache:
    """Cache for functions of JSON values. The key is the function and the identity (`id`) of the value.

    Identity suffices because no pass changes its input. The cache keeps a reference to each value, so that no later
    value gets the same identity.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[Question[Any], int], tuple[JsonValue, Any]] = {}
        self._pairs: dict[str, dict[tuple[int, int], tuple[object, object, Any]]] = {}

    def ask(self, question: Question[Answer], value: JsonValue) -> Answer:
        """Return `question(value)`, computed on the first call for this very object and cached for later calls."""
        known = self._answers.get((question, id(value)))
        if known is None:
            known = self._answers[question, id(value)] = value, question(value)
        answer: Answer = known[1]
        return answer

    def of_pairs(self, name: str) -> dict[tuple[int, int], tuple[object, object, Any]]:
        """Return the cache `name` of results about two values: their identities → both values, and the result."""
        return self._pairs.setdefault(name, {})

    def forget(self) -> None:
        """Drop all cached results, and the references to their values."""
        self._answers.clear()
        self._pairs.clear()

    def of_parts(self, question: Question[Answer], schema: JsonObject) -> Iterator[Answer]:
        """Yield the cached result of the function `question` for the schema of each property, then the result for the
        object schema itself.

        For the object schema, `question` gets a copy with null in place of the schema of each property.
        """
        properties = as_object(schema.get("properties"))
        for value in properties.values():
            yield self.ask(question, value)
        yield question({**schema, "properties": dict.fromkeys(properties)} if properties else schema)
