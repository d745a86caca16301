"""Answer a question about a value once, however many larger values hold that value.

Many input schemas hold the very same schemas. Walking through each again would take half of a compile of deep ones.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object

Answer = TypeVar("Answer")
Question = Callable[[JsonValue], Answer]


class Once:
    """The answers to questions about JSON values, by identity: no pass changes a value that it was given.

    Each value is kept beside its answers, so that no later value gets the same identity.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[Question[Any], int], tuple[JsonValue, Any]] = {}

    def ask(self, question: Question[Answer], value: JsonValue) -> Answer:
        """Return the answer to a question about `value`."""
        known = self._answers.get((question, id(value)))
        if known is None:
            known = self._answers[question, id(value)] = value, question(value)
        answer: Answer = known[1]
        return answer

    def forget(self) -> None:
        """Forget all answers, and let the values go."""
        self._answers.clear()

    def of_parts(self, question: Question[Answer], schema: JsonObject) -> Iterator[Answer]:
        """Yield the answers for the value of each property of an object schema, and one for the rest.

        The rest is the schema with null in place of these values.
        """
        properties = as_object(schema.get("properties"))
        for value in properties.values():
            yield self.ask(question, value)
        yield question({**schema, "properties": dict.fromkeys(properties)} if properties else schema)
