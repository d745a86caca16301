"""Move sentences that occur in the descriptions of most operations to the server's instructions.

Such sentences cost tokens in every tool and distinguish no tools. Sentences that may be prompt injection stay in the
tools, where they are reported. In the instructions, which are the owner's text, moved sentences are marked as the
document's.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.lower.text.prompt_injection import gives_orders
from mcpgen.lower.text.prose import plain, sentences
from mcpgen.model import Operation

# In the server's instructions, such a sentence costs its tokens once instead of once per tool.
SHARE = 0.5
FEWEST = 10
"""A sentence is moved if more than SHARE of all operations, and more than FEWEST, repeat it.

Rarer sentences distinguish operations.
"""

LONGEST = 1900
"""Longest instructions that clients pass on, in characters."""

_SENTENCE = re.compile(r"(?:\S+\s+){3,}\S+[.!]")
_INTRODUCTION = "The API's documentation says of most operations:"


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """Sentences that most operations repeat, the most frequent first."""

    sentences: tuple[str, ...] = ()

    def without(self, body: str) -> str:
        """Return the plain text `body` without the sentences that most operations repeat. Paragraphs stay separate."""
        if not self.sentences:
            return body
        kept = (" ".join(s for s in sentences(part) if s not in self.sentences) for part in body.split("\n\n"))
        return "\n\n".join(filter(None, kept))

    def beside(self, instructions: str) -> str:
        """Return the server's `instructions`, followed by the sentences moved there from descriptions of tools."""
        if not self.sentences:
            return instructions
        return "\n\n".join(filter(None, [instructions, " ".join([_INTRODUCTION, *self.sentences])]))


def found(operations: Iterable[Operation], instructions: str) -> Boilerplate:
    """Return the sentences that most descriptions of `operations` contain, to be moved to the server's instructions.

    Sentences for which there is no room beside the owner's `instructions` (LONGEST) stay in the descriptions.
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
