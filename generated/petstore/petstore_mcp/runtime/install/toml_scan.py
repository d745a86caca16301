# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the offsets of the statements of a TOML text: headers of tables, and keys with their values.

The standard library parses the text first and checks its syntax. So this scanner sees only valid TOML, and just
searches for the ends of strings, arrays and inline tables.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from .faults import SyntaxFault

_AT = re.compile(r"at line (\d+), column (\d+)")
_KEY = re.compile(r'[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE = re.compile(r"[^,\]}#\r\n]*")


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
            found = _BARE.match(text, at)
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
