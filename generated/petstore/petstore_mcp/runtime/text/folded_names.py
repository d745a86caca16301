# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fold names, so that names that must count as equal become the same text. Pure functions.

The compiler folds names by these functions too: it chooses the names that the runtime compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

from .sanitize import BLANK

LONGEST_COMPOSED = 256
"""Longest name, in characters, of which `alike` composes the characters, since that takes quadratic time."""

_UNSEEN = BLANK.union(" \u180b\u180c\u180d\u180f", map(chr, range(0xFE00, 0xFE10)))
"""Characters that do not show in a name, although Python's `isprintable` accepts them."""

_HUMPS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[A-Z]+")
_NO_LETTERS = re.compile(r"[\W_]+")
_SHORT, _LONGEST_RUN = 1000, 30


def alphanumeric(name: str) -> str:
    """Return the lower-case letters and digits of a name, so that `page[size]` and `$page_size` are equal."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def humps(name: str) -> list[str]:
    """Return the lower-case ASCII words of a name. A word begins at punctuation or at a capital letter (`petStore`).

    Digits stay with their word (`oauth2`, `v1`).
    """
    folded = name if name.isascii() else normalize("NFKD", name).encode("ascii", "ignore").decode()
    return [word.lower() for word in _HUMPS.findall(folded)]


def alike(name: str) -> str:
    """Return one text for all names that look the same: without invisible characters, normalized and case-folded."""
    for _ in range(2):  # twice, since case folding may yield characters that need normalizing again
        if not (name.isprintable() and _UNSEEN.isdisjoint(name)):
            name = "".join(each for each in name if each.isprintable() and each not in _UNSEEN)
        if len(name) > LONGEST_COMPOSED:
            break
        name = normalize("NFKC", name).casefold()
    return name


@lru_cache(maxsize=512)
def fold(name: str) -> str:
    """Return one text for all names of parameters that some server may read as the same name.

    The name is percent-decoded and case-folded. Everything from the first bracket on is removed, and only letters and
    digits are kept.
    """
    for _ in range(3):
        name = unquote(name)
    name = normalize("NFKC", name).casefold()
    return _NO_LETTERS.sub("", name.partition("[")[0]) or name


def normalize(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return `text` in the Unicode normal form `form` (UAX 15), in time linear in its length.

    Sorting a run of combining marks takes quadratic time: minutes for 500 kB. So a run is cut to the limit of the
    Stream-Safe Text Format (UAX 15, section 13): 30 marks, more than any language needs.
    """
    if text.isascii():
        return text
    import unicodedata  # imported late: takes a megabyte of memory, and few servers need it

    return unicodedata.normalize(form, text if len(text) <= _SHORT else "".join(_without_long_runs(text)))


def _without_long_runs(text: str) -> Iterator[str]:
    import unicodedata  # imported late, as in `normalize`

    run = 0
    for character in text:
        # Test the first character of the decomposition: some characters become combining marks only when they are
        # decomposed.
        first = unicodedata.normalize("NFKD", character)[:1] if character > "\x7f" else character
        run = run + 1 if unicodedata.combining(first) else 0
        if run <= _LONGEST_RUN:
            yield character
