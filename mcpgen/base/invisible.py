"""Find characters that a reader does not see, or sees in another place (Unicode UTR 36, 3.5 and 3.6).

Models read text that people do not see, so such characters can hide prompt injections from a reviewer. `HIDDEN` is the
only list of these characters in the compiler. The runtime has the same list
(`templates/package/runtime/text/invisible.py`); a test compares both.

Some of these characters are needed by written languages and emoji, and stay. A joiner (U+200C or U+200D) that follows
another joiner is removed. These stay:

- U+200C and U+200D between letters of scripts that join them, and behind a virama (as RFC 5892, A.1 and A.2);
- U+200D between emoji, U+FE0E and U+FE0F behind an emoji, or before U+20E3 (keycaps);
- U+2800, the blank of Braille, beside other Braille.

Other variation selectors are hidden characters: the letter before a selector reads the same without it. So are
direction marks and soft hyphens, which change no word, and the tag characters in the flags of England, Scotland and
Wales.
"""

import html
import json
import re
from functools import cache

_NEVER_SHOWN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters except tab and line ends
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # Unicode: default ignorable;
    "\u202a-\u202e"  # changes of direction;
    "\ufff9-\ufffb\U0001d159"  # annotation marks, the musical null notehead;
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
# Characters of scripts whose spelling may need U+200C or U+200D between letters
_JOINED = (
    "\u0600-\u061b\u061d-\u077f\u07c0-\u07ff\u0840-\u08ff"  # Arabic, Syriac, N'Ko, Mandaic
    "\u0900-\u094c\u094e-\u09cc\u09ce-\u0a4c\u0a4e-\u0acc\u0ace-\u0b4c\u0b4e-\u0bcc\u0bce-\u0c4c\u0c4e-\u0ccc"
    "\u0cce-\u0d3a\u0d3d-\u0d4c\u0d4e-\u0dc9\u0dcb-\u0dff\u1000-\u1038\u103b-\u109f\u1780-\u17b3\u17b6-\u17d1"
    "\u17d3-\u17ff"  # Devanagari to Sinhala, Myanmar, Khmer, except `_VIRAMA` and invisible vowels.
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
"""Regular expression that matches each hidden character.

One substitution is enough: removing matches creates no new ones.
"""

_AMPERSANDS = re.compile(r"&(?:(?:amp|AMP|#0*38(?![0-9])|#[xX]0*26(?![0-9a-fA-F]));?)+")
"""An ampersand written as one or more nested character references: `&amp;`, `&amp;#38;`."""

_LEADING_ZEROS = re.compile(r"(&#)0+(?=[0-9])|(&#[xX])0+(?=[0-9a-fA-F])")
_BEYOND_UNICODE = re.compile(r"&#[0-9]{8,};?")
"""Numeric character references with too many digits for a Unicode code point.

These references are replaced before `html.unescape`, since Python's int() refuses more than 4,300 digits.
"""

_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[bfu]")
"""A JSON escape that may stand for a control character."""

_MOST_ROUNDS = 8
"""Limit on how often character references are resolved again: a resolved text may contain another reference, as
`&&num;x202e;` does.
"""


@cache
def _pattern() -> re.Pattern[str]:
    """Compile HIDDEN on first use. Compiling takes four milliseconds, and text that is all ASCII does not need the
    pattern.
    """
    return re.compile(HIDDEN)


def hidden_characters(text: str) -> int:
    """Return how many characters of `text` are hidden."""
    # Fast path: most texts are printable ASCII, which has no hidden characters.
    if text.isascii() and text.isprintable():
        return 0
    return len(text) - len(_pattern().sub("", text))


def hidden_in(text: str) -> int:
    """Return how many characters of `text` are hidden, counted after its HTML character references are resolved."""
    if "&" in text and (count := hidden_characters(revealed(text))):
        return count
    return hidden_characters(text)


def has_hidden(value: object) -> bool:
    """Return whether any string in the JSON `value` holds a hidden character, member names included."""
    text = json.dumps(value, ensure_ascii=False)
    return hidden_characters(text) > 0 or ("\\" in text and _ESCAPE.search(text) is not None)


def spells_hidden(value: object) -> bool:
    """Return whether HTML character references in the JSON `value` stand for a hidden character."""
    text = json.dumps(value, ensure_ascii=False)
    return "&" in text and hidden_characters(revealed(text)) > hidden_characters(text)


def without_hidden(text: str, mark: str = "") -> str:
    """Return `text` with each hidden character replaced by `mark`."""
    return text if text.isascii() and text.isprintable() else _pattern().sub(mark, text)


def visible(text: str, mark: str = "") -> str:
    """Return `text` with each hidden character replaced by `mark`.

    If HTML character references in `text` stand for hidden characters, all references are resolved first. Otherwise
    they stay.
    """
    if "&" in text and hidden_characters(meant := revealed(text)):
        text = meant
    return without_hidden(text, mark)


def shown(text: str) -> str:
    r"""Return `text` with its hidden characters as Python escapes (`\u202e`), so that a reviewer can see them."""
    if text.isascii() and text.isprintable():
        return text
    return _pattern().sub(lambda match: match[0].encode("unicode_escape").decode(), text)


# In prose, references such as `&#8203;` are resolved before invisible characters are removed. In values and names,
# references are kept as data, and reported.
def resolved(text: str) -> str:
    """Return `text` with its HTML character references resolved once (HTML, 13.2.5.72)."""
    if "&" not in text:
        return text
    if "&#" in text:
        text = _BEYOND_UNICODE.sub("\ufffd", _LEADING_ZEROS.sub(r"\1\2", text))
    return html.unescape(text)


def revealed(text: str) -> str:
    """Return `text` with its HTML character references resolved, however often they were escaped.

    Takes time linear in the length of `text`. Ampersands that remain after _MOST_ROUNDS rounds are removed.
    """
    for _ in range(_MOST_ROUNDS):
        if "&" not in text:
            return text
        once = resolved(_AMPERSANDS.sub("&", text))
        if once == text:
            return text
        text = once
    return text.replace("&", "")
