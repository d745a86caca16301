# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Change single values of a TOML text, and preserve every other byte.

New tables are added at the end of the file, so that no other table changes its meaning. `remove` removes exactly the
text that `put` has added.

A scan first finds the offsets of the statements: headers of tables, and keys with their values. The standard library
parses the text before that and checks its syntax. So the scan sees only valid TOML, and just searches for the ends of
strings, arrays and inline tables.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .paths import SyntaxFault

if TYPE_CHECKING:
    from .paths import Path


_AT = re.compile(r"at line (\d+), column (\d+)")
_KEY = re.compile(r'[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE_VALUE = re.compile(r"[^,\]}#\r\n]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a TOML text: a table header, or a key with its value.

    - `path`: the keys from the root. `table`: path of the table that contains the statement.
    - `start`, `end`: offsets of the statement's lines. `value`: offsets of the value, None for a header.
    """

    path: tuple[str, ...]
    table: tuple[str, ...]
    start: int
    end: int
    value: tuple[int, int] | None


def parse(text: str) -> dict[str, Any]:
    """Return the parsed content of a text. Raise SyntaxFault if it is not valid TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = _AT.search(str(problem))
        offset = len(text)
        if found:
            lines = text.split("\n")
            offset = sum(len(line) + 1 for line in lines[: int(found[1]) - 1]) + int(found[2]) - 1
        raise SyntaxFault("this is no valid TOML", min(offset, len(text))) from None
    except RecursionError:
        raise SyntaxFault("values are nested too deep", 0) from None


def statements(text: str) -> list[Statement]:
    """Return the statements of a valid TOML text, in order."""
    found: list[Statement] = []
    table: tuple[str, ...] = ()
    at = _skip(text, 0)
    while at < len(text):
        start = text.rfind("\n", 0, at) + 1
        if text[at] == "[":
            brackets = 2 if text.startswith("[[", at) else 1
            table, at = _keys(text, _skip(text, at + brackets))
            end = _line_end(text, at)
            found.append(Statement(table, table, start, end, None))
        else:
            keys, at = _keys(text, at)
            begin = _skip(text, at + 1)  # skip the equals sign
            close = _value_end(text, begin)
            end = _line_end(text, close)
            found.append(Statement(table + keys, table, start, end, (begin, close)))
        at = _skip(text, end)
    return found


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _keys(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the parts of a dotted key, and the offset after the key and the white space that follows."""
    keys = []
    while True:
        found = _KEY.match(text, at)
        assert found is not None
        key = found[0]
        keys.append(tomllib.loads(f"key = {key}")["key"] if key[0] in "\"'" else key)
        dot = _DOT.match(text, found.end())
        if dot is None:
            return tuple(keys), _skip(text, found.end())
        at = dot.end()


def _value_end(text: str, at: int) -> int:
    """Return the offset at which the value that begins at `at` ends."""
    depth = 0
    while True:
        first = text[at]
        if first in "[{":
            depth += 1
            at += 1
        elif first in "]}":
            depth -= 1
            at += 1
        elif first == ",":
            at += 1
        elif first in "\"'":
            at = _string_end(text, at)
        elif depth and (close := _assigned(text, at)):
            at = close
        else:
            found = _BARE_VALUE.match(text, at)
            assert found is not None
            at += len(found[0].rstrip(" \t"))
        if not depth:
            return at
        at = _skip(text, at)


def _assigned(text: str, at: int) -> int:
    """Return the offset after a bare key and its equals sign in an inline table, or 0 if there is none at `at`."""
    found = re.compile(r"[A-Za-z0-9_.\- \t]*=").match(text, at)
    return found.end() if found else 0


def _string_end(text: str, at: int) -> int:
    quote = text[at]
    fence = quote * 3
    if not text.startswith(fence, at):
        fence = quote
    here = at + len(fence)
    while not text.startswith(fence, here):
        here += 2 if quote == '"' and text[here] == "\\" else 1
    here += len(fence)
    # The string's content may end with quotes, directly before the closing quotes.
    while len(fence) == 3 and text.startswith(quote, here):
        here += 1
    return here


__all__ = ("parse", "put", "remove")

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def put(text: str, path: Path, value: Any) -> str:
    """Return the text with `value` at a path.

    Raise SyntaxFault if a value on the path is an inline table, or is no table.
    """
    whole = parse(text)
    keys = _names(path)
    found = statements(text)
    _refuse_arrays(whole, keys, found)
    for each in found:
        if each.value is None or each.path != keys[: len(each.path)]:
            continue
        begin, end = each.value
        if each.path == keys:
            return text[:begin] + _inline(value) + text[end:]
        if each.path == keys[:-1] and text[begin] == "{" and not isinstance(value, dict):
            table = parse(f"table = {text[begin:end]}")["table"]
            return text[:begin] + _inline({**table, keys[-1]: value}) + text[end:]
        raise SyntaxFault(f"{'.'.join(each.path)} is written on one line; write it as tables in brackets", each.start)
    newline = "\r\n" if "\r\n" in text else "\n"
    parent = [each for each in found if each.table == keys[:-1] and len(keys) > 1]
    if parent and not isinstance(value, dict):
        last = parent[-1]
        gap = "" if text[: last.end].endswith("\n") else newline
        return text[: last.end] + gap + _row(keys[-1], value) + newline + text[last.end :]
    if isinstance(value, dict):
        rows = [_header(keys), *(_row(key, each) for key, each in value.items())]
    else:
        rows = [_header(keys[:-1]), _row(keys[-1], value)]
    gap = "" if not text or text.endswith("\n") else newline
    blank = newline if text.strip() else ""
    return text + gap + blank + "".join(row + newline for row in rows)


def _refuse_arrays(whole: Any, keys: tuple[str, ...], found: list[Statement]) -> None:
    """Raise SyntaxFault if one of the tables above a key is an array of tables, written in double brackets."""
    for length, key in enumerate(keys[:-1], start=1):
        whole = whole.get(key, {})
        if isinstance(whole, list) and (begun := [each for each in found if each.path == keys[:length]]):
            if begun[0].value is None:
                raise SyntaxFault(f"{'.'.join(keys[:length])} is expected once, in single brackets", begun[0].start)
            return  # an array on one line, for which `put` raises SyntaxFault
        if not isinstance(whole, dict):
            return


def remove(text: str, path: Path) -> str:
    """Return the text without the key or the tables at a path.

    Raise SyntaxFault if they are inside of an inline table.
    """
    value: Any = parse(text)
    for step in path:
        value = value[step]
    keys = _names(path)
    spans = _spans(statements(text), keys)
    if not spans:
        raise SyntaxFault(f"{'.'.join(keys)} is written on one line; remove it by hand", 0)
    joined = [spans[0]]
    for start, end in spans[1:]:
        if text[joined[-1][1] : start].strip():
            joined.append((start, end))
        else:
            joined[-1] = (joined[-1][0], end)
    bare = text
    for start, end in reversed(joined):
        bare = bare[:start] + bare[end:]
    # Before `put`, the file may have had any of several texts. Choose one from which `put` would make exactly the text
    # that the file has now.
    start = joined[0][0]
    shorter = re.sub(r"\r?\n[ \t]*\Z", "", bare[:start]) if len(joined) == 1 else bare[:start]
    candidates = (shorter + bare[start:], bare, re.sub(r"\r?\n\Z", "", shorter) + bare[start:])
    return next((each for each in candidates if _leads_back(each, path, value, text)), bare)


def _leads_back(text: str, path: Path, value: Any, wanted: str) -> bool:
    try:
        return put(text, path, value) == wanted
    except SyntaxFault:
        return False


def _spans(found: list[Statement], keys: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return a pair of offsets (start, end) for each key or table that is written at the path `keys` or below it.

    The offsets of a table enclose its header and all its keys, so these keys get no pairs of their own.
    """
    spans = []
    for index, each in enumerate(found):
        if each.path[: len(keys)] != keys or (each.value is not None and each.table[: len(keys)] == keys):
            continue
        end = each.end
        if each.value is None:
            for later in found[index + 1 :]:
                if later.value is None:
                    break
                end = later.end
        spans.append((each.start, end))
    return spans


def _names(path: Path) -> tuple[str, ...]:
    return tuple(str(step) for step in path)


def _header(keys: tuple[str, ...]) -> str:
    return f"[{'.'.join(map(_key, keys))}]"


def _row(key: str, value: Any) -> str:
    return f"{_key(key)} = {_inline(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _inline(value: Any) -> str:
    """Return `value` as TOML on one line."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(_row(key, each) for key, each in value.items()) + " }" if value else "{}"
    return str(value)


def _string(text: str) -> str:
    """Return `text` as a basic string of TOML 1.0, in double quotes."""
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    code = ord(character)
    if character.isprintable():
        return character
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
