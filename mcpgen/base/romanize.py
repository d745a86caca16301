"""Spell names of any script in ASCII letters: `Straße` → `Strasse`, `状态` → `_Zhuang__Tai_`, `имя` → `imya`.

The spelling is for names alone: a Han character gets its Mandarin reading in Japanese words too. So whoever shows such
a name shows the original beside it, if `is_respelled` says so.
"""

import unicodedata

from anyascii import anyascii

_LONGEST = 2000
"""How much of a text is read: more than any name needs."""


def romanize(text: str) -> str:
    """Return `text` with each letter spelled in ASCII. Other characters beyond ASCII stay.

    A syllable of a script without spaces becomes a word of its own, because words are split at capitals and at `_`.
    """
    return text if text.isascii() else "".join(map(_spelled, unicodedata.normalize("NFC", text[:_LONGEST])))


def is_respelled(name: str) -> bool:
    """Return True if `name` has a letter that is no Latin letter, or one without a base letter, such as `ß`.

    Readers of the ASCII spelling could not tell the original: `größe` → `grosse`. `é` → `e` is no such letter.
    """
    return not name.isascii() and any(
        not first.isascii() and first.isalpha() for first in (unicodedata.normalize("NFKD", each)[:1] for each in name)
    )


def _spelled(character: str) -> str:
    if character.isascii() or not (character.isalpha() or unicodedata.category(character).startswith("M")):
        return character
    said = "".join(filter(str.isalnum, anyascii(character)))
    is_syllable = said[:1].isupper() and unicodedata.category(character) == "Lo"
    return f"_{said}_" if is_syllable else said
