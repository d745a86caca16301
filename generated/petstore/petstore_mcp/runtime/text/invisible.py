# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find and remove hidden characters. These are invisible, or change where other characters appear (Unicode UTR 36, 3.5
and 3.6).

Models read hidden characters that people do not see, so they can contain a prompt injection. The compiler cleans API
descriptions by the same list of characters. A joiner (U+200C or U+200D) that follows another joiner is removed. A
hidden character is kept where a script or an emoji needs it:

- U+200C and U+200D between letters of scripts that join them, and after a virama (RFC 5892, A.1 and A.2);
- U+200D between emoji; U+FE0E and U+FE0F after an emoji or before U+20E3 (keycaps);
- U+2800, the Braille blank, next to other Braille.

Other variation selectors are hidden characters: the letter before a selector reads the same without it. So are
direction marks and soft hyphens, which change no word, and the tag characters in the flags of England, Scotland and
Wales.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""Control characters other than tab and line ends."""

_NEVER_SHOWN = (
    f"{_CONTROL}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # Default_Ignorable_Code_Point
    "\u202a-\u202e"  # bidirectional controls;
    "\ufff9-\ufffb\U0001d159"  # marks of annotated text, and the musical symbol "null notehead";
    "\ufdd0-\ufdef"  # noncharacters
)
_SURROGATES = "\ud800-\udfff"
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_VIRAMA = (
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u17d2"
    "\ua806\ua8c4\ua953\ua9c0\uaaf6\uabed"
)
_JOINED = (
    "\u0600-\u061b\u061d-\u077f\u07c0-\u07ff\u0840-\u08ff"  # Arabic, Syriac, N'Ko, Mandaic
    "\u0900-\u094c\u094e-\u09cc\u09ce-\u0a4c\u0a4e-\u0acc\u0ace-\u0b4c\u0b4e-\u0bcc\u0bce-\u0c4c\u0c4e-\u0ccc"
    "\u0cce-\u0d3a\u0d3d-\u0d4c\u0d4e-\u0dc9\u0dcb-\u0dff\u1000-\u1038\u103b-\u109f\u1780-\u17b3\u17b6-\u17d1"
    "\u17d3-\u17ff"  # Brahmic scripts; their viramas are in _VIRAMA
    "\u1820-\u18af\ua840-\ua87f\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"  # Mongolian, Phags-pa, forms of Arabic
)
# Joiners are kept where spelling needs them: without joiners, Persian and Indic words are misspelt. Variation selectors
# are removed, because each can encode a byte of a hidden message.
HIDDEN = (
    f"[{_NEVER_SHOWN}{_SURROGATES}\u200c\u200d\u2800\ufe0e\ufe0f](?:(?<=[{_NEVER_SHOWN}{_SURROGATES}])"
    f"|(?<=[\ufe0e\ufe0f])(?<![{_EMOJI}].)(?!\u20e3)"
    f"|(?<=[\u200c\u200d])(?<![{_VIRAMA}].)(?!(?<=[0-9A-Za-z{_JOINED}].)[{_JOINED}{_VIRAMA}])"
    f"(?!(?:(?<=[{_EMOJI}]\u200d)|(?<=[{_EMOJI}]\ufe0f\u200d))[{_EMOJI}])"
    "|(?<=\u2800)(?<![\u2800-\u28ff]\u2800)\u2800*+(?![\u2801-\u28ff]))"
)
"""Regular expression for hidden characters. One pass suffices: removing them never produces a new match."""

HIDES = "|".join(
    (
        f"[{_NEVER_SHOWN}]",
        f"(?:^|[^{_EMOJI}])[\ufe0e\ufe0f](?:$|[^\u20e3])",
        f"(?:^|[^0-9A-Za-z{_JOINED}{_VIRAMA}{_EMOJI}\ufe0f])[\u200c\u200d]",
        f"[0-9A-Za-z{_JOINED}][\u200c\u200d](?:$|[^{_JOINED}{_VIRAMA}])",
        f"[{_EMOJI}]\ufe0f?\u200c|[{_EMOJI}]\ufe0f?\u200d(?:$|[^{_EMOJI}])|(?:^|[^{_EMOJI}])\ufe0f[\u200c\u200d]",
        "(?:^|[^\u2800-\u28ff])\u2800+(?:$|[^\u2800-\u28ff])",
    )
)
"""Regular expression without lookaround, for the engine of the validator library.

It matches if and only if the text contains a hidden character, apart from lone surrogates. On clean text it is up to
seven times as fast as HIDDEN.
"""

_HIDDEN_ASCII = "".join(re.findall(f"[{_CONTROL}]", bytes(range(128)).decode())).encode()
"""The hidden characters of ASCII, as bytes to delete from a text.

Deleting them takes a seventh of the time that the regular expression takes.
"""

BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159") | set(map(chr, range(0xE0100, 0xE01F0)))
"""Characters that are blank although Python's `isprintable` accepts them.

They are Hangul fillers, the Braille pattern without dots, and variation selectors other than those of emoji.
"""


def clean(text: str) -> tuple[str, int]:
    """Return the text without hidden characters, and how many were removed."""
    if text.isascii():
        seen = text.encode().translate(None, _HIDDEN_ASCII)
        return (text, 0) if len(seen) == len(text) else (seen.decode(), len(text) - len(seen))
    if not _searcher()(text):
        return text, 0
    left = pattern().sub("", text)
    return left, len(text) - len(left)


def visible(text: str) -> str:
    """Return the text with control and hidden characters written as escapes."""
    return "".join(
        each if (each.isprintable() and each not in BLANK) or each == "\n" else each.encode("unicode_escape").decode()
        for each in text
    )


@lru_cache(1)
def pattern() -> re.Pattern[str]:
    """Return the compiled HIDDEN. Compiling takes four milliseconds, and most servers never need the pattern."""
    return re.compile(HIDDEN)


@lru_cache(1)
def _searcher() -> Callable[[str], bool]:
    """Return a function that quickly decides whether a text may contain a hidden character."""
    from .patterns import searcher  # imported late: needed only for non-ASCII text

    return searcher(HIDES, lambda text: True)
