"""Remove sentences that mislead a model, and move less important sentences to the end."""

import re
from collections.abc import Callable

from mcpgen.lower.text.prose import ended, sentences

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
