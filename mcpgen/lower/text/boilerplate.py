"""Move sentences that occur in the descriptions of most operations to the server's instructions.

Such sentences cost tokens in every tool and distinguish no tools. Sentences that may be prompt injection stay in the
tools, where they are reported. In the instructions, which are the owner's text, moved sentences are marked as the
document's.

Sentences that mislead a model are removed, and less important ones are moved to the end of a description.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mcpgen.lower.text.prompt_injection import gives_orders
from mcpgen.lower.text.prose import ended, plain, sentences
from mcpgen.model import Operation

_ENCODED = r"(?:ur[il]|percent)[- ]?(?:en|es)coded"
_ENCODE = re.compile(
    rf"\b(?:must|should|needs? to|ha(?:s|ve) to) (?:first )?be (?:properly )?{_ENCODED}\b", re.IGNORECASE
)
_ENCODED_TEXT = re.compile(rf",? ?(?:presented |given |passed )?as an? {_ENCODED} string(?=[.,;]|$)", re.IGNORECASE)
_MOST_WORDS = 14
"""Longest sentence, in words, that counts as mere advice to encode a value."""

_IN_A_TABLE = re.compile(
    r",? (?:as )?(?:shown|listed|described|given|outlined|detailed|defined) (?:in|by) (?:the )?"
    r"(?:following table|table below):$",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"\btable\b.*:$", re.IGNORECASE)
_THIS = r"(?:this|the) (?:api|call|endpoint|feature|method|operation|resource|tool)"
_PLAN = (
    r"(?:beta|business|edition|enterprise|licen[cs]e|plan|premium|pro|subscription|tier|ultimate|version|v?\d[\w.]*)"
)
_AVAILABILITY = re.compile(
    r"(?:(?:note|important)\b\W{0,3} ?)?"
    rf"(?:{_THIS} (?:is|was) (?:also |currently |now |only )?"
    r"(?:available|experimental|introduced|in (?:\w+ )?(?:alpha|beta|preview))"
    rf"|(?:calling |using )?{_THIS} requires (?:an? |the )?(?:\w+ ){{0,3}}(?:api key|access|{_PLAN})\b"
    rf"|requires (?:an? |the )?(?:\w+ ){{0,3}}{_PLAN}\b"
    r"|(?:only )?(?:added|available|introduced|new) (?:exclusively |only )?(?:for|from|in|on|since|to|with) "
    r"|in (?:public|private) (?:beta|preview)"
    r"|\W*(?:alpha|beta|enterprise|experimental|premium|preview)(?: feature)?(?: only)?\W*$)",
    re.IGNORECASE,
)

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


# -- asides ------------------------------------------------------------------------------------------------------------


def without_encoding(text: str) -> str:
    """Return the description of a value without the advice to encode it.

    The server encodes the value itself. If a model followed the advice, the value would be encoded twice.
    """
    if "ncoded" not in text and "scaped" not in text:
        return text
    return _by_paragraph(text, _without_advice)


def _without_advice(said: list[str]) -> list[str]:
    kept = (one for one in said if not (_ENCODE.search(one) and len(one.split()) <= _MOST_WORDS))
    return [_ENCODED_TEXT.sub("", one) for one in kept]


def without_captions(text: str) -> str:
    """Return plain `text` without captions of tables, since no table is shown."""
    return _by_paragraph(text, _without_caption) if "table" in text else text


def _without_caption(said: list[str]) -> list[str]:
    *before, last = said or [""]
    last = _IN_A_TABLE.sub(".", last)
    return before if _CAPTION.search(last) else [*before, last]


def meaning_first(text: str) -> str:
    """Return plain `text` with sentences on availability moved to the end of their paragraph.

    If the first paragraph consists only of such sentences, it is moved behind the next paragraph.
    """
    first, *others = _by_paragraph(text, lambda said: sorted(said, key=_is_of_availability)).split("\n\n")
    if others and all(map(_is_of_availability, sentences(first))):
        others[0] = f"{ended(others[0])} {first}"
        return "\n\n".join(others)
    return "\n\n".join([first, *others])


def _is_of_availability(sentence: str) -> bool:
    return _AVAILABILITY.match(sentence) is not None


def _by_paragraph(text: str, change: Callable[[list[str]], list[str]]) -> str:
    changed = (" ".join(change(sentences(paragraph))) for paragraph in text.split("\n\n"))
    return "\n\n".join(filter(None, changed))
