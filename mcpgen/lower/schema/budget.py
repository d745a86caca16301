"""Limit the tokens of a tool's schema, and decide which parts are left out.

First unions become one object, then descriptions inside arguments are shortened, then the deepest levels are left out.
Names, types and `required` are left out last. Each step computes the whole schema again, so the result does not depend
on the order of arguments.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.base import tokens
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, compact
from mcpgen.base.once import ValueCache

MOST_TOKENS = 8000
"""Default limit on the tokens of one tool. Nine in ten handwritten tools have less than a tenth of this limit."""

MOST_BYTES = 48_000
_FEWEST_BYTES = 2
"""Lower bound for the average bytes of JSON per token. With this bound most tools are known to fit without an
estimate.
"""

_MOST_OF_JOINT = 5
"""Limit on the tokens by which the sum of estimates for single arguments may differ from the estimate for the whole
schema, per argument. Causes are delimiters, and the `null` that replaces an argument.
"""

_HINTS = 45
MOST_NODES = 2500
"""Limit on the nodes of one tool's schema, whatever the token limit. The limit stops schemas that grow
exponentially.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the parts of a schema that are written.

    `depth`: levels of objects and lists below an argument. `text`: characters of an argument's description.
    `inner_text`: characters of each description inside an argument. `alternatives`: number of a union's alternatives.
    """

    depth: int = 5
    text: int = 240
    inner_text: int = 240
    alternatives: int = 8

    def given_up(self) -> list[str]:
        """Return phrases for messages about what is left out of schemas: one for `inner_text` and one for `depth`, each
        only if that limit is below its default.
        """
        words = ["most words inside arguments"] if self.inner_text < LADDER[0].inner_text else []
        deep = f"what lies below level {self.depth}" if self.depth else "what is inside arguments"
        return words + ([deep] if self.depth < LADDER[0].depth else [])

    @property
    def levels(self) -> int:
        """Return the limit on levels of nesting in the emitted schema. A list of alternatives counts as a level."""
        return self.depth + 2


# The whole definition is shortened: if single properties were cut, the result would depend on their order
# (docs/decisions/compiling.md).
LADDER = (
    Limits(),
    Limits(alternatives=3),
    Limits(alternatives=3, inner_text=80),
    Limits(alternatives=3, inner_text=0),
    Limits(alternatives=3, inner_text=0, depth=4),
    Limits(alternatives=3, inner_text=0, depth=3),
    Limits(alternatives=2, inner_text=0, depth=2),
    Limits(alternatives=2, inner_text=0, text=120, depth=1),
    Limits(alternatives=2, inner_text=0, text=60, depth=0),
)
"""Limits in descending order, from those that cut nothing to those that keep little more than the names of
arguments.
"""


def cost_beside(name: str, title: str, description: str) -> int:
    """Estimate the tokens of a tool without its input schema.

    The title counts twice, since the annotations repeat it.
    """
    return tokens.estimate([name, title, title, description]) + _HINTS


def fits(schema: JsonObject, most_tokens: int, once: ValueCache) -> bool:
    """Return True if an input schema has at most `most_tokens`, and few enough bytes."""
    arguments = len(as_object(schema.get("properties")))
    # do not count the `null` that `of_parts` puts in place of the schema of each argument
    size = _sum(once.of_parts(_bytes, schema), MOST_BYTES + len("null") * arguments) - len("null") * arguments
    if size > MOST_BYTES or size <= _FEWEST_BYTES * most_tokens:
        return size <= MOST_BYTES
    joints = _MOST_OF_JOINT * (arguments + 1)
    apart = _sum(once.of_parts(tokens.estimate, schema), most_tokens + joints)
    return (tokens.estimate(schema) if abs(apart - most_tokens) <= joints else apart) <= most_tokens


def are_too_large(parts: list[JsonObject], arguments: int, most_tokens: int, once: ValueCache) -> bool:
    """Return True if the schemas `parts` alone exceed the limits of `fits` on an input schema of so many arguments."""
    size = _sum((once.ask(_bytes, part) for part in parts), MOST_BYTES)
    if size > MOST_BYTES or size <= _FEWEST_BYTES * most_tokens:
        return size > MOST_BYTES
    most = most_tokens + _MOST_OF_JOINT * (arguments + 1)
    return _sum((once.ask(tokens.estimate, part) for part in parts), most) > most


def _sum(counts: Iterable[int], most: int) -> int:
    """Return the sum of counts, or the first partial sum above `most`."""
    total = 0
    for count in counts:
        total += count
        if total > most:
            break
    return total


def _bytes(value: JsonValue) -> int:
    return len(compact(value))
