"""Sentences that a document repeats at most operations, told once for all of them.

They cost every tool and tell no tool from another. Those that speak like orders to a model stay where they are, where
they are reported: the instructions of a server are its owner's, and what is added to them is said to be the document's.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.lower.text.prompt_injection import gives_orders
from mcpgen.lower.text.prose import plain, sentences
from mcpgen.model import Operation

# Decision 0020: Boilerplate is what more than half of all operations say.
SHARE = 0.5
FEWEST = 10
"""What share of all operations must have a sentence in common, and how many. What fewer say tells them apart."""

LONGEST = 1900
"""Characters of instructions that clients pass on."""

_SENTENCE = re.compile(r"(?:\S+\s+){3,}\S+[.!]")
_INTRODUCTION = "The API's documentation says of most operations:"


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """The repeated sentences, the most frequent first."""

    sentences: tuple[str, ...] = ()

    def without(self, body: str) -> str:
        """The plain text `body` without them, its paragraphs as they were."""
        if not self.sentences:
            return body
        kept = (" ".join(s for s in sentences(part) if s not in self.sentences) for part in body.split("\n\n"))
        return "\n\n".join(filter(None, kept))

    def beside(self, instructions: str) -> str:
        """The owner's `instructions` and these sentences behind them."""
        if not self.sentences:
            return instructions
        return "\n\n".join(filter(None, [instructions, " ".join([_INTRODUCTION, *self.sentences])]))


def found(operations: Iterable[Operation], instructions: str) -> Boilerplate:
    """What the descriptions of `operations` repeat, as far as there is room beside `instructions`: what does not fit
    there stays where it is.
    """
    counts: Counter[str] = Counter()
    total = 0
    for operation in operations:
        total += 1
        counts.update({s for part in plain(operation.description).split("\n\n") for s in sentences(part)})
    least = max(FEWEST, SHARE * total)
    repeated = [s for s, count in counts.items() if count > least and _SENTENCE.fullmatch(s) and not gives_orders(s)]
    told = Boilerplate()
    for sentence in sorted(repeated, key=lambda sentence: (-counts[sentence], sentence)):
        longer = Boilerplate((*told.sentences, sentence))
        told = longer if len(longer.beside(instructions)) <= LONGEST else told
    return told
