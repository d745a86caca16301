# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Change single values of a YAML text, and preserve every other byte.

Mappings on the path must be in block style. `remove` removes exactly the text that `put` has added.

A scan first finds the entries (keys with their values) of mappings in block style, and the offsets of each entry.
Values in block and flow style are read as in YAML 1.2. A value that this module cannot read, such as one with an anchor
or a tag, is represented by its text. This text is compared and preserved, but never changed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .paths import SyntaxFault

if TYPE_CHECKING:
    from .paths import Path


_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_EMPTY = re.compile(r"[ \t\r]*(#[^\n]*)?\n?\Z")
_KEY = re.compile(
    r'(?P<double>"(?:[^"\\\n]|\\.)*")[ \t]*:(?=\s|\Z)|'
    r"(?P<single>'(?:[^'\n]|'')*')[ \t]*:(?=\s|\Z)|"
    r"(?P<plain>[^\s\-?:,\[\]{}#&*!|>'\"%@`][^\n]*?|[\-?:][^\s][^\n]*?)[ \t]*:(?=\s|\Z)"
)
_ITEM = re.compile(r"-(?=\s|\Z)")
_NUMBER = re.compile(r"[-+]?(\d+|0o[0-7]+|0x[0-9a-fA-F]+|(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?)")
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
_FLOW_SCALAR = re.compile(r"[^,\[\]{}\n]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its offsets, and the column of its first character. `empty` is True for a blank line or a comment."""

    start: int
    end: int
    indent: int
    empty: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a mapping. `start`, `end`: offsets of its lines. `colon`: offset after the colon of its key."""

    key: str
    indent: int
    start: int
    colon: int
    end: int


def entries(text: str, start: int = 0, end: int | None = None) -> list[Entry]:
    """Return the entries of the mapping between two offsets. Raise SyntaxFault if they are not valid."""
    end = len(text) if end is None else end
    found: list[Entry] = []
    indent = -1
    last = start
    close = 0  # end offset of a quoted or flow value that spans several lines
    key: tuple[str, int, int] | None = None
    for line in _lines(text, start, end):
        if line.start < close:
            last = max(last, min(close, line.end))
            continue
        if line.empty:  # a comment with deeper indentation belongs to the entry above it
            last = line.end if key is not None and indent < line.indent < line.end - line.start - 1 else last
            continue
        content = line.start + line.indent
        indent = line.indent if indent < 0 else indent
        item = _ITEM.match(text, content) is not None
        if line.indent > indent or (item and key is not None and line.indent == indent):
            last = line.end
            continue
        if text[content] == "\t":
            raise SyntaxFault("a tab indents this line; YAML takes blanks", content)
        if line.indent < indent:
            raise SyntaxFault("this line is indented as no line above", content)
        name, colon = _key(text, content, end)
        if key is not None:
            found.append(Entry(key[0], indent, key[1], key[2], last))
        if any(each.key == name for each in found) or (key is not None and key[0] == name):
            raise SyntaxFault(f"{name} stands here a second time", content)
        key, last = (name, line.start, colon), line.end
        close = _closed(text, colon, end)
        last = max(last, close and text.find("\n", close - 1) + 1)
    if key is not None:
        found.append(Entry(key[0], indent, key[1], key[2], last))
    return found


def _lines(text: str, start: int, end: int) -> list[Line]:
    found: list[Line] = []
    for each in _LINE.finditer(text, start, end):
        if text.startswith(("---", "...", "%"), each.start()) and not start:
            marker = text[each.start() : each.end()].rstrip()
            if marker == "..." or marker.startswith("%") or (marker == "---" and all(line.empty for line in found)):
                found.append(Line(each.start(), each.end(), 0, empty=True))
                continue
            if marker == "---":
                raise SyntaxFault("a second document begins here", each.start())
        indent = len(each[0]) - len(each[0].lstrip(" "))
        empty = _EMPTY.match(text, each.start(), each.end()) is not None
        found.append(Line(each.start(), each.end(), indent, empty))
    return found


def _key(text: str, at: int, end: int) -> tuple[str, int]:
    """Return a key, and the offset after its colon. Raise SyntaxFault if there is no key with a colon."""
    found = _KEY.match(text, at, end)
    if found is None:
        raise SyntaxFault("a name with a colon is expected here", at)
    if found["double"]:
        return str(_quoted(found["double"])), found.end()
    return found["plain"] if found["plain"] else found["single"][1:-1].replace("''", "'"), found.end()


def _closed(text: str, at: int, end: int) -> int:
    """Return the offset after a quoted or flow value, 0 for any other value.

    Raise SyntaxFault if the value does not end.
    """
    at = _blanks(text, at)
    if text[at : at + 1] in ("[", "{", '"', "'") and at < end:
        return _flow(text, at, end, 0)[1]
    return 0


def read(text: str, entry: Entry) -> Any:
    """Return the value of a mapping's entry. Raise SyntaxFault if the value is not valid."""
    return _value(text, entry.colon, entry.end)


def _value(text: str, at: int, end: int) -> Any:
    """Return the value that begins at `at`, after a colon or a dash."""
    here = _blanks(text, at)
    first = text[here : here + 1] if here < end else ""
    if first and first in "[{\"'":
        value, close = _flow(text, here, end, 0)
        return value if _EMPTY.match(text[close:end].partition("\n")[0]) else text[at:end].strip()
    if first and first not in "\r\n#":
        raw = text[at:end]
        if first in "&*!|>@`%" or "\n" in raw.rstrip():
            return raw.strip()
        return _plain(re.sub(r"[ \t]#.*", "", raw.strip()))
    lines = [each for each in _lines(text, _line_end(text, here), end) if not each.empty]
    if not lines:
        return None
    content = lines[0].start + lines[0].indent
    if _ITEM.match(text, content):
        return _items(text, lines)
    if _KEY.match(text, content, end):
        return {each.key: read(text, each) for each in entries(text, lines[0].start, end)}
    return text[at:end].strip()


def _items(text: str, lines: list[Line]) -> list[Any]:
    """Return the items of a sequence. An item on one line is returned as its value, a longer item as text."""
    found: list[Any] = []
    for line in lines:
        content = line.start + line.indent
        if line.indent == lines[0].indent and _ITEM.match(text, content):
            found.append(_value(text, content + 1, line.end))
        else:
            found[-1] = f"{found[-1]}\n{text[line.start : line.end]}"
    return found


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _flow(text: str, at: int, end: int, depth: int) -> tuple[Any, int]:
    """Return the value in flow style at an offset, and the offset after it.

    Raise SyntaxFault if the value is not valid.
    """
    if depth > 100:
        raise SyntaxFault("values are nested too deep", at)
    first = text[at : at + 1] if at < end else ""
    if first == '"' or first == "'":
        pattern = r'"(?:[^"\\]|\\.)*"' if first == '"' else r"'(?:[^']|'')*'"
        found = re.compile(pattern, re.DOTALL).match(text, at, end)
        if found is None:
            raise SyntaxFault("this quoted text does not end", at)
        return _quoted(found[0]), found.end()
    if first == "[" or first == "{":
        return _collection(text, at, end, depth)
    found = _FLOW_SCALAR.match(text, at, end)
    if found is None:
        raise SyntaxFault("a value is expected here", at)
    scalar = re.split(r":(?=\s)|[ \t]#", found[0])[0]
    return _plain(scalar.strip()), at + len(scalar)


def _collection(text: str, at: int, end: int, depth: int) -> tuple[Any, int]:
    opened, close = at, "]" if text[at] == "[" else "}"
    items: list[Any] = []
    mapping: dict[Any, Any] = {}
    here = _space(text, at + 1)
    while not text.startswith(close, here):
        if here >= end:
            raise SyntaxFault("this bracket is never closed", opened)
        item, here = _flow(text, here, end, depth + 1)
        here = _space(text, here)
        if close == "}":
            mapping[str(item)] = None
            if text.startswith(":", here):
                mapping[str(item)], here = _flow(text, _space(text, here + 1), end, depth + 1)
                here = _space(text, here)
        items.append(item)
        if text.startswith(",", here):
            here = _space(text, here + 1)
        elif not text.startswith(close, here):
            raise SyntaxFault(
                f"a comma or {close} is expected here" if here < end else "this bracket is never closed",
                here if here < end else opened,
            )
    return (mapping if close == "}" else items), here + 1


def _space(text: str, at: int) -> int:
    found = re.compile(r"(?:[ \t\r\n]+|(?<=\s)#[^\n]*)*").match(text, at)
    assert found is not None
    return found.end()


def _quoted(written: str) -> str:
    if written[0] == "'":
        return written[1:-1].replace("''", "'")
    try:
        return str(json.loads(written))
    except ValueError:  # an escape that JSON lacks, or a string of several lines: return the text with its quotes
        return written


def _plain(text: str) -> Any:
    """Return the value of a plain scalar, according to the core schema of YAML 1.2."""
    if text.lower() in _WORDS and text in (text.lower(), text.title(), text.upper()):
        return _WORDS[text.lower()]
    if _NUMBER.fullmatch(text):
        try:
            return int(text, 0) if re.fullmatch(r"[-+]?(\d+|0[ox].+)", text) else float(text)
        except ValueError:  # leading zeros: decimal in YAML, an error in `int(text, 0)`
            return float(text) if re.fullmatch(r"[-+]?\d+", text) else text
    return text


_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*")
_WORD = re.compile(r"y|n|yes|no|on|off|true|false|null", re.IGNORECASE)
_NOTHING = re.compile(r"[ \t]*(\{[ \t]*\}|null|~)?[ \t]*(?=#|\r?\n|\Z)")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that a YAML file must not contain, or that end a line there. JSON escapes the other ones."""

_UNIT = 2


def parse(text: str) -> dict[str, Any]:
    """Return the value of a text; {} if the text is empty. Raise SyntaxFault if the text cannot be read."""
    return {each.key: read(text, each) for each in entries(text)}


def put(text: str, path: Path, value: Any) -> str:
    """Return the text with `value` at a path. Missing mappings on the path are added.

    Raise SyntaxFault if the text cannot be read, or if a value on the path is not a mapping in block style.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    keys = [str(step) for step in path]
    found = entries(text)
    if not found:
        return _appended(text, len(text), _rows(_nested(keys, value), 0), newline)
    parent: Entry | None = None
    while keys:
        here = next((each for each in found if each.key == keys[0]), None)
        if here is None:
            if found:
                return _appended(text, found[-1].end, _rows(_nested(keys, value), found[0].indent), newline)
            assert parent is not None
            return _filled(text, parent, _rows(_nested(keys, value), parent.indent + _UNIT), newline)
        del keys[0]
        if not keys:
            [first, *rest] = _rows({here.key: value}, here.indent)
            written = newline.join([text[here.start : here.colon] + first.partition(":")[2], *rest]) + newline
            return text[: here.start] + written + text[here.end :]
        parent, found = here, _children(text, here)
    raise AssertionError


def remove(text: str, path: Path) -> str:
    """Return the text without the entry at a path, which must exist. Raise SyntaxFault if the text cannot be read."""
    found, parent = entries(text), None
    for step in path[:-1]:
        parent = next(each for each in found if each.key == step)
        found = _children(text, parent)
    entry = next(each for each in found if each.key == path[-1])
    if parent is not None and len(found) == 1:  # the parent's only entry is removed: write {}, as no value means null
        return text[: parent.colon] + " {}" + text[parent.colon : entry.start] + text[entry.end :]
    return text[: entry.start] + text[entry.end :]


def _children(text: str, entry: Entry) -> list[Entry]:
    """Return the entries of the mapping that is the value of `entry`. Raise SyntaxFault if it is not in block style."""
    if (found := _NOTHING.match(text, entry.colon)) is None:
        raise SyntaxFault(f"{entry.key} is not written as lines of its own, below its name", entry.start)
    line = text.find("\n", found.end()) + 1
    if not line or line >= entry.end:
        return []
    return entries(text, line, entry.end)


def _appended(text: str, at: int, rows: list[str], newline: str) -> str:
    gap = newline if text[:at] and not text[:at].endswith("\n") else ""
    return text[:at] + gap + "".join(row + newline for row in rows) + text[at:]


def _filled(text: str, parent: Entry, rows: list[str], newline: str) -> str:
    """Return the text with the lines `rows` written as the content of the empty mapping `parent`."""
    found = _NOTHING.match(text, parent.colon)
    assert found is not None
    rest = text[found.end() : parent.end]
    gap = " " if rest.startswith("#") else ""
    whole = text[: parent.colon] + gap + rest
    return _appended(whole + text[parent.end :], len(whole), rows, newline)


def _nested(keys: list[str], value: Any) -> dict[str, Any]:
    for key in reversed(keys):
        value = {key: value}
    assert isinstance(value, dict)
    return value


def _rows(value: dict[str, Any], indent: int) -> list[str]:
    """Return a mapping written as lines of YAML in block style."""
    rows = []
    for key, each in value.items():
        label = f"{' ' * indent}{_scalar(key)}:"
        if isinstance(each, dict) and each:
            rows += [label, *_rows(each, indent + _UNIT)]
        elif isinstance(each, list) and each:
            rows += [label, *(f"{' ' * indent}- {_scalar(item)}" for item in each)]
        else:
            rows.append(f"{label} {_scalar(each)}")
    return rows


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        if _PLAIN.fullmatch(value) and not _WORD.fullmatch(value):
            return value
        # JSON would escape a character above U+FFFF as two surrogates, which libyaml refuses and PyYAML reads as two.
        return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value)
