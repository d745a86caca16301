"""What a tool may cost whoever reads it, and what is given up to stay within that.

Facts go last: first unions are told as one object, then words inside arguments are shortened, then what lies deepest is
left out. Each step is a whole new layout, so that nothing depends on what stood first.
"""

from dataclasses import dataclass

from mcpgen.base import tokens
from mcpgen.base.jsonvalue import JsonObject

MOST_TOKENS = 8000
"""Tokens of one tool, if nobody asks for fewer. Nine in ten hand-written tools have less than a tenth of that."""

MOST_BYTES = 48_000
_FEWEST_BYTES = 2
"""Bytes that a token of JSON has at least, on average; most tools need not be looked at more closely."""

_HINTS = 45
MOST_NODES = 2500
"""Nodes of one tool's schema, whatever they cost: where schemas multiply, the layout ends here."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a schema is told: levels of objects and lists below an argument, characters of a description and of
    one inside an argument, alternatives that stand side by side.
    """

    depth: int = 5
    text: int = 240
    inner_text: int = 240
    alternatives: int = 8

    def given_up(self) -> list[str]:
        """What these limits leave out of what could be told."""
        words = ["most words inside arguments"] if self.inner_text < LADDER[0].inner_text else []
        deep = f"what lies below level {self.depth}" if self.depth else "what is inside arguments"
        return words + ([deep] if self.depth < LADDER[0].depth else [])

    @property
    def levels(self) -> int:
        """Levels of nesting in the emitted schema, where alternatives are a level too."""
        return self.depth + 2


# Decision 0024: The budget of a tool is kept by whole layouts.
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
"""From everything to the least that still names every argument."""


def cost_beside(name: str, title: str, description: str) -> int:
    """About how many tokens a tool has without its input schema. The title stands twice, and hints beside it."""
    return tokens.estimate([name, title, title, description]) + _HINTS


def fits(schema: JsonObject, size: int, most_tokens: int) -> bool:
    """Return whether an input schema of `size` bytes stays within the budget."""
    return size <= MOST_BYTES and (size <= _FEWEST_BYTES * most_tokens or tokens.estimate(schema) <= most_tokens)
