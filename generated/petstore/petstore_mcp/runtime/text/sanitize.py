# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sanitize text from the upstream for a model: decode the bytes, and remove hidden characters and secrets.

Control characters act on terminals. With hidden characters (`invisible.py`), a text can say something to models that
people do not see. Both kinds are removed and counted. Visible text stays unchanged, except for secrets.
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

# JSON escapes that may represent a control or hidden character.
_ESCAPED = re.compile(r"\\[bfu]")


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


def presentable(value: Any, redactor: Redactor) -> tuple[Any, int]:
    """Return the JSON value without secrets and hidden characters, and how many hidden characters were removed."""
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
    """Return True if the value contains nothing that must be removed.

    This searches the value's JSON text, in a third of the time of examining each part. If the text contains an
    escape that may stand for a hidden character, the answer is False, and `presentable` examines each part.
    """
    try:
        text = written(value)
    except (TypeError, ValueError):  # the value is the marker ABSENT, which is no JSON: `presentable` handles it
        return False
    return holds_nothing(text, redactor)


def holds_nothing(text: str, redactor: Redactor) -> bool:
    """Return True if the JSON text contains neither a secret nor a hidden character, literally or escaped.

    In ASCII text, only U+007F is looked for literally, since JSON escapes all other hidden ASCII characters.
    """
    unseen = "\x7f" in text if text.isascii() else clean(text)[1]
    return not (unseen or _ESCAPED.search(text) or redactor.may_be_in(text))


def brief(text: str, limit: int) -> str:
    """Return the text without hidden characters, on one line of at most `limit` characters."""
    line = " ".join(clean(text[: limit * 4])[0].split())
    return line if len(line) <= limit else f"{line[:limit]}\u2026"
