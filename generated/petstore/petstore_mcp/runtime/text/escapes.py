# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Undo JSON, HTML and percent escapes, each of which may be nested several times.

To find a secret, escapes are undone in both the secret and the text. Then the secret's bytes are searched in the text's
bytes. This takes linear time for every secret, unlike a regular expression with all escapes of each character. All
backslashes are removed, because each layer of escaping doubles them.
"""

from __future__ import annotations

import re
from bisect import bisect_left

LONGEST = 36
"""Maximum number of bytes for one escaped character.

These are four UTF-8 bytes, each percent-encoded three times, plus backslashes.
"""

_ROUNDS = 3
"""Number of layers of escapes that are undone after the first. Consecutive layers of one kind count as one."""

#: Names of ASCII punctuation in HTML. The module `html` would hold two thousand more names in memory.
_CALLED = (
    "excl quot num dollar percnt amp apos lpar rpar ast plus comma period sol colon semi lt equals gt quest commat "
    "lsqb|lbrack bsol rsqb|rbrack Hat lowbar grave lcub|lbrace verbar|vert|VerticalLine rcub|rbrace"
)
_NAMES = {
    name: character
    for names, character in zip(_CALLED.split(" "), "!\"#$%&'()*+,./:;<=>?@[\\]^_`{|}", strict=True)
    for name in names.split("|")
}
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}

_ESCAPES = (
    rb"\\+u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2})|\\+u(?P<unit>[0-9a-fA-F]{4})"
    rb"|\\+x(?P<byte>[0-9a-fA-F]{2})%b|\\+"
    rb"|(?P<percent>(?:%%(?:25)*[0-9a-fA-F]{2})+)"
    rb"|&(?:amp;)*(?:#0*(?P<decimal>[0-9]{1,7})|#[xX]0*(?P<hex>[0-9a-fA-F]{1,6})|(?P<name>%b));?"
)
_HTML = "|".join(sorted(_NAMES, key=len, reverse=True)).encode()
_PLAIN = re.compile(_ESCAPES % (b"", _HTML))
_WITH_LETTERS = re.compile(_ESCAPES % (rb"|\\+(?P<letter>[nrtbf])", _HTML))
_TRIPLE = re.compile(rb"%(?:25)*([0-9a-fA-F]{2})")
_BLANK = bytes.maketrans(b"+", b" ")
_ALPHANUMERIC = re.compile("[0-9A-Za-z]+")
_ESCAPED_LETTER = re.compile(r"\\u00(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])")


class Unescaped:
    """Content with one layer of escapes undone (`text`), and a mapping from positions in `text` to positions in the
    content.
    """

    __slots__ = ("_before", "_content", "_text", "text")

    def __init__(self, content: bytes, letters: bool, before: Unescaped | None = None) -> None:
        r"""Undo one layer of escapes in `content`, and map positions in the result to positions in `content`.

        With `letters`, also undo escapes of a backslash and a letter, such as `\n`. This is needed for secrets that
        contain control characters.
        `before`: the layer that was undone before this layer, and whose `text` is therefore `content`; or None.
        """
        self._before = before
        # After a first 0, each list holds two positions for each escape. `_content`: its start and end in `content`.
        # `_text`: start and end, in `self.text`, of the bytes that replace the escape.
        self._text: list[int] = [0]
        self._content: list[int] = [0]
        pieces, done, size = [], 0, 0
        for found in (_WITH_LETTERS if letters else _PLAIN).finditer(content):
            start, end = found.span()
            meant = _meaning(found)
            pieces += [content[done:start], meant]
            size += start - done
            self._text += [size, size + len(meant)]
            self._content += [start, end]
            size, done = size + len(meant), end
        self.text = b"".join([*pieces, content[done:]])

    @property
    def is_changed(self) -> bool:
        """Return True if at least one escape (JSON, HTML or percent-encoding) was undone."""
        return len(self._text) > 1

    def start(self, at: int) -> int:
        """Return the position in the original content at which the byte at position `at` of `text` begins.

        A byte that was escaped begins where its escape begins. A byte that followed removed backslashes begins at the
        first of these backslashes.
        """
        index = bisect_left(self._text, at)
        if index < len(self._text) and self._text[index] == at:
            found = self._content[index]
        elif index % 2:
            found = self._content[index - 1] + at - self._text[index - 1]
        else:
            found = self._content[index - 1]  # `at` is inside the text that one escape represents
        return found if self._before is None else self._before.start(found)

    def end(self, at: int) -> int:
        """Return the position in the original content just after the bytes that became `text[:at]`."""
        index = bisect_left(self._text, at)
        if index < len(self._text) and index % 2 == 0:
            found = self._content[index]  # `at` is inside or at the end of a decoded escape: return that escape's end
        else:
            found = self._content[index - 1] + at - self._text[index - 1]
        return found if self._before is None else self._before.end(found)


def undo(content: bytes, letters: bool = False) -> Unescaped:
    """Return the content with all layers of escapes undone. A plus sign becomes a space, as in forms."""
    found = Unescaped(content, letters)
    for _ in range(_ROUNDS if found.is_changed else 0):
        undone = Unescaped(found.text, letters, found)
        if not undone.is_changed:
            break
        found = undone
    found.text = found.text.translate(_BLANK)
    return found


def _meaning(found: re.Match[bytes]) -> bytes:
    """Return the bytes that an escape, or a sequence of percent-encoded bytes, represents.

    Return b"" for backslashes that begin no escape, since `undo` removes all backslashes.
    """
    kind = found.lastgroup
    if kind is None:
        return b""
    said = found[kind]
    if kind == "percent":
        return _in_utf_8(bytes(int(digits, 16) for digits in _TRIPLE.findall(said)))
    if kind == "pair":
        units = bytes.fromhex((said[:4] + said[-4:]).decode())
        return units.decode("utf-16-be").encode()
    if kind == "letter":
        return _LETTERS[said]
    if kind == "name":
        return _NAMES[said.decode()].encode()
    code = int(said, 10 if kind == "decimal" else 16)
    return chr(code).encode(errors="replace") if code <= 0x10FFFF else b""


def _in_utf_8(content: bytes) -> bytes:
    """Return valid UTF-8 unchanged; decode other bytes as Latin-1 and return them as UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1").encode()
    return content


def anchor(text: str) -> str:
    """Return the longest part of `text` that escaping leaves unchanged, so that a search need not undo escapes.

    Texts with escaped letters (`has_escaped_letters`) must be searched in another way.
    """
    return max(_ALPHANUMERIC.findall(text), key=len, default="")


def has_escaped_letters(text: str) -> bool:
    """Return True if the text contains letters or digits as JSON escapes, which no common JSON writer produces."""
    return _ESCAPED_LETTER.search(text) is not None
