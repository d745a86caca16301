"""Find characters that a reader does not see, or sees in another place (Unicode UTR 36, 3.5 and 3.6).

Models read text that people do not see, so such characters can hide prompt injections from a reviewer. The runtime has
the only list of these characters (`text/sanitize.py`). In a document they may also be written as character references
of HTML and as escapes of JSON.
"""

import html
import re

from mcpgen.base.jsonvalue import unescaped
from mcpgen.base.runtime import sanitize

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


def hidden_characters(text: str) -> int:
    """Return how many characters of `text` are hidden."""
    # Fast path: most texts are printable ASCII, which has no hidden characters.
    if text.isascii() and text.isprintable():
        return 0
    return len(text) - len(sanitize.pattern().sub("", text))


def hidden_in(text: str) -> int:
    """Return how many characters of `text` are hidden, counted after its HTML character references are resolved."""
    if "&" in text and (count := hidden_characters(revealed(text))):
        return count
    return hidden_characters(text)


def has_hidden(value: object) -> bool:
    """Return whether any string in the JSON `value` holds a hidden character, member names included."""
    return _has_hidden(unescaped(value))


def spells_hidden(value: object) -> bool:
    """Return whether HTML character references in the JSON `value` stand for a hidden character."""
    return _spells_hidden(unescaped(value))


def hides(value: object) -> bool:
    """Return whether `value` has hidden characters, or HTML character references to some."""
    text = unescaped(value)
    return _has_hidden(text) or _spells_hidden(text)


def _has_hidden(text: str) -> bool:
    return hidden_characters(text) > 0 or ("\\" in text and _ESCAPE.search(text) is not None)


def _spells_hidden(text: str) -> bool:
    return "&" in text and hidden_characters(revealed(text)) > hidden_characters(text)


def without_hidden(text: str, mark: str = "") -> str:
    """Return `text` with each hidden character replaced by `mark`."""
    return text if text.isascii() and text.isprintable() else sanitize.pattern().sub(mark, text)


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
    return sanitize.pattern().sub(lambda match: match[0].encode("unicode_escape").decode(), text)


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
