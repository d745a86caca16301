# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Change single values of a TOML text, and preserve every other byte.

New tables are added at the end of the file, so that no other table changes its meaning. `remove` removes exactly the
text that `put` has added.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .faults import SyntaxFault
from .toml_scan import Statement, parse, statements

if TYPE_CHECKING:
    from .paths import Path

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
