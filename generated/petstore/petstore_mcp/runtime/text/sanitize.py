# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Text from upstream made fit for a model: decoded, and without what cannot be seen.

Control characters steer terminals; hidden characters (invisible.py) hide from people what models read. They are taken
out and counted, and so are secrets. What is visible otherwise is never changed.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .invisible import clean
from .shortening import written

if TYPE_CHECKING:
    from .redaction import Redactor

_TEXTUAL = re.compile(
    r"text/.*|.*[/+](json|xml|yaml|json-seq)|application/("
    r"(x-)?ndjson|jsonl|x-yaml|(x-)?javascript|ecmascript|graphql|sql|toml|x-sh|x-www-form-urlencoded|jwt|rtf|xhtml\+xml)"
)
# Encodings of text that servers use. Not all that Python knows: `utf-7` and the likes of `zip` are traps.
_CHARSET = re.compile(
    r"utf-?8|utf-?16(le|be)?|(us-)?ascii|iso-?8859-?\d{1,2}|latin-?1|(windows-?|cp)125\d|koi8-[ru]|shift_?jis|"
    r"euc-?(jp|kr)|iso-2022-jp|gb(k|2312|18030)|big5(-hkscs)?"
)
_DECLARED = re.compile(r";\s*charset\s*=\s*\"?([\w.:-]+)", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ANY_MARK = tuple(mark for mark, _ in _MARKS)

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

# The escapes of JSON by which such characters may be written.
_ESCAPED = re.compile(r"\\[bfu]")


def is_text(media_type: str, content: bytes) -> bool:
    """Whether content of that media type is to be read; where none is given, whether it looks like text."""
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
    """The text, and whether every byte of it could be read; U+FFFD stands where not. A byte order mark counts first,
    then the declared charset, then UTF-8."""
    encoding = charset(content, content_type)
    try:
        return content.decode(encoding), True
    except UnicodeDecodeError:
        text = content.decode(encoding, "replace")
        return text, "\ufffd" not in text


def charset(content: bytes, content_type: str) -> str:
    """The encoding of content that begins so, by the name of a codec that exists."""
    if not content.startswith(_ANY_MARK):
        return _codec("", content_type)  # as most
    return _codec(next(known for mark, known in _MARKS if content.startswith(mark)), content_type)


@lru_cache(maxsize=64)
def _codec(marked: str, content_type: str) -> str:
    """The codec of content with that mark, "" for none, and that media type."""
    declared = _DECLARED.search(content_type)
    named = declared[1].lower() if declared and _CHARSET.fullmatch(declared[1].lower()) else "utf-8"
    try:
        name = codecs.lookup(marked or named).name
    except (LookupError, OSError):  # there is none of that name, or no descriptor left to load it
        return "utf-8"
    # Without a mark browsers take it for little-endian (WHATWG Encoding, 4.2), and Python's decoder of streams raises.
    return "utf-16-le" if name == "utf-16" and not marked else name


def presentable(value: Any, redactor: Redactor) -> tuple[Any, int]:
    """The value without secrets and characters that cannot be seen, and how many of these there were."""
    if _is_presentable(value, redactor):
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


def _is_presentable(value: Any, redactor: Redactor) -> bool:
    """Whether there is nothing to take out: one look at all of it as JSON takes a third of the time of a walk,
    or less. What is written by an escape is taken for an unseen character."""
    try:
        text = written(value)
    except (TypeError, ValueError):  # ABSENT, which is no JSON
        return False
    return holds_nothing(text, redactor)


def holds_nothing(text: str, redactor: Redactor) -> bool:
    """Whether there is neither a secret in a JSON text nor, written out or by an escape, what cannot be seen: of what
    ASCII has of that, only one character may stand in JSON as it is."""
    unseen = "\x7f" in text if text.isascii() else clean(text)[1]
    return not (unseen or _ESCAPED.search(text) or redactor.may_be_in(text))


def brief(text: str, limit: int) -> str:
    """One line of at most that many characters, cleaned."""
    line = " ".join(clean(text[: limit * 4])[0].split())
    return line if len(line) <= limit else f"{line[:limit]}\u2026"
