# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make a text from the upstream fit for a model: decode it, remove what people cannot see, and shorten it.

Models read hidden characters that people do not see, so they can contain a prompt injection. Such characters are
invisible, or change where other characters appear (Unicode UTR 36, 3.5 and 3.6). Control characters act on terminals.
Both kinds are removed and counted. Visible text stays unchanged, except for secrets. The compiler cleans API
descriptions by the same list of characters. A joiner (U+200C or U+200D) that follows another joiner is removed. A
hidden character is kept where a script or an emoji needs it:

- U+200C and U+200D between letters of scripts that join them, and after a virama (RFC 5892, A.1 and A.2);
- U+200D between emoji; U+FE0E and U+FE0F after an emoji or before U+20E3 (keycaps);
- U+2800, the Braille blank, next to other Braille.

Other variation selectors are hidden characters: the letter before a selector reads the same without it. So are
direction marks and soft hyphens, which change no word, and the tag characters in the flags of England, Scotland and
Wales.

A long JSON value is shortened along its structure, so that the result is still valid JSON. A list keeps its first items
unchanged. Each member of an object gets a share of the space; larger members also get what small members do not need. A
long text ends in `...[+N chars]`. A separate sentence says what was left out. If a text is too long to parse, only its
beginning is parsed, after open brackets and strings were closed.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .redaction import Redactor

_HIDDEN_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""Control characters other than tab and line ends."""

_NEVER_SHOWN = (
    f"{_HIDDEN_CONTROL}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
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

_HIDDEN_ASCII = "".join(re.findall(f"[{_HIDDEN_CONTROL}]", bytes(range(128)).decode())).encode()
"""The hidden characters of ASCII, as bytes to delete from a text.

Deleting them takes a seventh of the time that the regular expression takes.
"""

_VISIBLE_ASCII = "^[\t\n\r -~]*$"
_LONG = 4096
"""Number of characters from which `_VISIBLE_ASCII` is matched first, in a third of the time of deleting."""

BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159") | set(map(chr, range(0xE0100, 0xE01F0)))
"""Characters that are blank although Python's `isprintable` accepts them.

They are Hangul fillers, the Braille pattern without dots, and variation selectors other than those of emoji.
"""


def clean(text: str) -> tuple[str, int]:
    """Return the text without hidden characters, and how many were removed."""
    if text.isascii():
        if len(text) > _LONG and _searcher(_VISIBLE_ASCII)(text):
            return text, 0
        seen = text.encode().translate(None, _HIDDEN_ASCII)
        return (text, 0) if len(seen) == len(text) else (seen.decode(), len(text) - len(seen))
    if not _searcher(HIDES)(text):
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


@lru_cache(2)
def _searcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that quickly decides whether `pattern` may match in a text."""
    from .patterns import searcher  # imported late: needed only for text that is long or not ASCII

    may_match = searcher(pattern)

    def found(text: str) -> bool:
        try:
            return may_match(text)
        except UnicodeEncodeError:  # a lone surrogate, which only a hook can produce
            return True

    return found


MOST_TOLD = 5

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# The quantifiers are possessive, so that a search takes linear time (docs/decisions/speed.md).
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BRACKET = re.compile(rf'[^"\[\]{{}}]*+(?:{_STRING}[^"\[\]{{}}]*+)*+[\[\]{{}}]', re.DOTALL)
_COMMAS = re.compile(rf'(?:[^",]*+(?:{_STRING}[^",]*+)*+,)*+', re.DOTALL)
_BROKEN_STRING = re.compile(rf'[^"]*+(?:{_STRING}[^"]*+)*+"', re.DOTALL)
_WHOLE_CHARACTERS = re.compile(r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_CLOSING = {"{": "}", "[": "]"}
_MARK = "\u2026[+{} chars]"
_MORE = "\u2026[+more]"
"""Mark at the end of a text that was cut, if the number of missing characters is unknown."""

_MARK_ROOM = 20


def written(value: Any) -> str:
    """Return the value as compact JSON. Non-ASCII characters are not escaped."""
    return _ENCODER.encode(value)


def beginning(text: str) -> str:
    """Return the longest beginning of a JSON text that parses, with its open brackets and strings closed.

    To find it, only brackets, commas and quotes are examined. Return "", or what does not parse, if `text` is not the
    beginning of a single value.
    """
    opened: list[str] = []
    end = 0
    while bracket := _BRACKET.match(text, end):
        end = bracket.end()
        mark = text[end - 1]
        if mark in _CLOSING:
            opened.append(_CLOSING[mark])
        elif not opened or opened.pop() != mark:
            return ""
        if not opened and text[end:].strip():
            return ""
    commas = _COMMAS.match(text, end)
    if not opened or commas is None:
        return text[:end]
    behind = commas.end()
    closing = "".join(reversed(opened))
    end = max(end, behind - 1)
    if broken := _BROKEN_STRING.match(text, behind):
        start = broken.end() - 1
        if opened[-1] == "]" or text[end:start].rstrip().endswith(":"):
            return text[:start] + _broken_off(text[start:]) + closing
    return text[:end] + closing


def _broken_off(mark: str) -> str:
    """Return a cut JSON string without an incomplete escape at its end, followed by `_MORE`, which says that more
    follows.
    """
    characters = _WHOLE_CHARACTERS.match(mark)
    return f'{characters[0] if characters else mark[0]}{_MORE}"'


class Shortened:
    """Result of shortening a value to about `limit` bytes of JSON.

    `left_out` lists phrases that say what is missing. `items` is how many items remain in the outermost shortened list,
    or 0.
    """

    __slots__ = ("_open", "items", "left_out", "value")

    def __init__(self, value: Any, limit: int, complete: bool = True) -> None:
        """Shorten `value`.

        `complete` is False if the value is only the beginning of a larger one, so that its last members and items may
        be incomplete.
        """
        self.left_out: list[str] = []
        self.items = 0
        self._open: set[int] = set()
        if not complete:
            self._find_open(value)
        self.value = self._fit(value, limit, "the answer")

    def _find_open(self, value: Any) -> None:
        """Record the lists and objects that are incomplete because the text was cut inside them.

        The last item of the outermost incomplete list is removed, since that item may be incomplete.
        """
        while isinstance(value, (dict, list)) and value:
            self._open.add(id(value))
            if isinstance(value, list) and len(value) > 1:
                value.pop()
                return
            value = value[-1] if isinstance(value, list) else value[next(reversed(value))]

    def _fit(self, value: Any, room: int, name: str) -> Any:
        if isinstance(value, str) and (size := _size(value)) > room:
            kept = max(0, room - 2 - _MARK_ROOM) * len(value) // (size - 2)
            if value.endswith(_MORE):
                self.left_out.append(f"the end of {name}")
                return value[:kept] + _MORE
            cut = len(value) - kept
            self.left_out.append(f"{cut:,} character{'s' * (cut != 1)} of {name}")
            return value[:kept] + _MARK.format(cut)
        if isinstance(value, (list, dict)) and (id(value) in self._open or _size(value, room) > room):
            return self._items(value, room, name) if isinstance(value, list) else self._members(value, room, name)
        return value

    def _items(self, value: list[Any], room: int, name: str) -> list[Any]:
        """Return the items that fit into `room` bytes. At least one is kept; if it does not fit, it is shortened."""
        kept, left = [], room - 1  # one byte: two for the brackets, less one since the last item has no comma
        for item in value:
            left -= _size(item) + 1
            if left < 0:
                break
            kept.append(item)
        count = max(1, len(kept))
        if id(value) in self._open:
            self.left_out.append(f"all but the first {f'{count:,} items' if count > 1 else 'item'} of {name}")
        elif count < len(value):
            self.left_out.append(f"{len(value) - count:,} of {len(value):,} items of {name}")
        self.items = self.items or count
        return kept or [self._fit(value[0], room - 2, f"the first of {name}")]

    def _members(self, value: dict[str, Any], room: int, name: str) -> dict[str, Any]:
        """Return all members of an object, with the longest values shortened to fit into `room` bytes.

        If the names alone take more than half of `room`, return the first members unchanged, as many as fit.
        """
        if id(value) in self._open:
            self.left_out.append(f"what follows in {name}")
        names = {key: _size(key) + 2 for key in value}
        left = room - 1  # one byte: two for the braces, less one since the last member has no comma
        if sum(names.values()) > room // 2:
            kept = {}
            for key, member in value.items():
                left -= names[key] + _size(member, left)
                if left < 0:
                    break
                kept[key] = member
            self.left_out.append(f"{len(value) - len(kept):,} of {len(value):,} members of {name}")
            return kept
        left -= sum(names.values())
        sizes = sorted((_size(member, room), key) for key, member in value.items())
        if len(sizes) > 1 and sizes[-2][0] > room:
            sizes = sorted((_size(member), key) for key, member in value.items())  # the larger one gets its share last
        fitted = {}
        for index, (size, key) in enumerate(sizes):
            share = left // (len(sizes) - index)
            fitted[key] = self._fit(value[key], share, key[:64])
            left -= min(size, share)
        return {key: fitted[key] for key in value}

    def told(self) -> str:
        """Return a clause for a message that says what was left out, or ""."""
        more = len(self.left_out) - MOST_TOLD
        return "; ".join(self.left_out[:MOST_TOLD]) + (f"; and more in {more} places" if more > 0 else "")


def _size(value: Any, most: float = float("inf")) -> int:
    """Return how many bytes the value takes as compact JSON, or a number above `most` if it takes more than `most`.

    Of a larger value, only the first members or items are written to find this out.
    """
    if most < sys.maxsize and isinstance(value, (list, dict)) and value:
        size = 1  # two for the brackets, less one since the last item has no comma
        for item in value:
            size += _size(item) + 1 if isinstance(value, list) else _size({item: 0}) - 2 + _size(value[item], most)
            if size > most:
                break
        return size
    return len(written(value).encode(errors="replace"))


_TEXTUAL = re.compile(
    r"text/.*|.*[/+](json|xml|yaml|json-seq)|application/("
    r"(x-)?ndjson|jsonl|x-yaml|(x-)?javascript|ecmascript|graphql|sql|toml|x-sh|x-www-form-urlencoded|jwt|rtf|xhtml\+xml)"
)
# Encodings that servers really use. Other codecs of Python, such as `utf-7` and compressing codecs, are dangerous.
_CHARSET = re.compile(
    r"utf-?8|utf-?16(le|be)?|(us-)?ascii|iso-?8859-?\d{1,2}|latin-?1|(windows-?|cp)125\d|koi8-[ru]|shift_?jis|"
    r"euc-?(jp|kr)|iso-2022-jp|gb(k|2312|18030)|big5(-hkscs)?"
)
_DECLARED = re.compile(r";\s*charset\s*=\s*\"?([\w.:-]+)", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ANY_MARK = tuple(mark for mark, _ in _MARKS)

# How XML begins in UTF-16 without a byte order mark (XML 1.0, appendix F).
_WIDE_XML = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_XML = (b"<?", *_WIDE_XML)
_XML_TYPE = re.compile(r"(?:text/|application/|[^;]*\+)xml\s*(?:;|$)", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"<\?xml[^>]{1,100}?\sencoding\s*=\s*[\"']((?!utf-?16|ucs)[\w.-]+)", re.IGNORECASE)

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def is_text(media_type: str, content: bytes) -> bool:
    """Return True if content of this media type is text. Without a media type, the bytes decide."""
    if media_type:
        return _is_textual(media_type)
    try:
        return not _CONTROL.search(content[:4096].decode())
    except UnicodeDecodeError as fault:
        return fault.start >= 4093 and fault.reason == "unexpected end of data"


@lru_cache(maxsize=64)
def _is_textual(media_type: str) -> bool:
    return bool(_TEXTUAL.fullmatch(media_type))


def decode(content: bytes, content_type: str) -> tuple[str, bool]:
    """Return the decoded text, and True if every byte was valid. Invalid bytes become U+FFFD.

    The encoding is that of a byte order mark, else the declared charset, else that of an XML declaration, else UTF-8.
    """
    encoding = charset(content, content_type)
    try:
        return content.decode(encoding), True
    except UnicodeDecodeError:
        text = content.decode(encoding, "replace")
        return text, "\ufffd" not in text


def charset(content: bytes, content_type: str) -> str:
    """Return the name of Python's codec for content that begins with these bytes and has this Content-Type."""
    if content.startswith(_ANY_MARK):
        return _codec(next(known for mark, known in _MARKS if content.startswith(mark)), content_type)
    if content[:2] in _XML and not _DECLARED.search(content_type) and _XML_TYPE.match(content_type):
        return _of_xml(content, content_type)
    return _codec("", content_type)


def _of_xml(content: bytes, content_type: str) -> str:
    """Return the codec for XML without a byte order mark and without a charset (RFC 7303 section 3)."""
    if content[:2] in _WIDE_XML:
        return _WIDE_XML[content[:2]]
    declared = _XML_ENCODING.match(content)
    return _codec("", f";charset={declared[1].decode()}" if declared else content_type)


@lru_cache(maxsize=64)
def _codec(marked: str, content_type: str) -> str:
    """Return the name of Python's codec for a byte order mark ("" for none) and a Content-Type."""
    declared = _DECLARED.search(content_type)
    named = declared[1].lower() if declared and _CHARSET.fullmatch(declared[1].lower()) else "utf-8"
    try:
        name = codecs.lookup(marked or named).name
    except (LookupError, OSError):  # the codec is unknown, or cannot be loaded since no file descriptor is free
        return "utf-8"
    # Without a byte order mark, browsers assume little-endian (WHATWG Encoding, 4.2). Python's codec `utf-16` assumes
    # the byte order of the machine, and its incremental decoder raises UnicodeError.
    return "utf-16-le" if name == "utf-16" and not marked else name


def presentable(value: Any, redactor: Redactor, text: str = "") -> tuple[Any, int]:
    """Return the JSON value without secrets and hidden characters, and how many hidden characters were removed.

    Usually, a search of a JSON text of the value finds neither, and its parts are not examined. `text`: the text from
    which the value was parsed, or "".
    """
    # Python may write a number with other digits than the text has, which could make a secret of digits.
    if text and not redactor.has_digits and holds_nothing(text, redactor):
        return value, 0
    with suppress(TypeError, ValueError):  # the value is the marker ABSENT, which is no JSON
        if holds_nothing(written(value), redactor):
            return value, 0
    unseen = 0

    def shown(part: Any) -> Any:
        nonlocal unseen
        if isinstance(part, str):
            text, count = clean(part)
            unseen += count
            return redactor.text(text)
        if isinstance(part, list):
            return [shown(item) for item in part]
        if isinstance(part, dict):
            return {shown(name): shown(member) for name, member in part.items()}
        return redactor.value(part)

    return shown(value), unseen


def holds_nothing(text: str, redactor: Redactor) -> bool:
    """Return True if the JSON text contains neither a secret nor a hidden character, literally or escaped.

    In ASCII text, only U+007F is looked for literally, since JSON escapes all other hidden ASCII characters.
    """
    unseen = "\x7f" in text if text.isascii() else clean(text)[1]
    return not unseen and redactor.holds_nothing(text)


def brief(text: str, limit: int) -> str:
    """Return the text without hidden characters, on one line of at most `limit` characters."""
    line = " ".join(clean(text[: limit * 4])[0].split())
    return line if len(line) <= limit else f"{line[:limit]}\u2026"
