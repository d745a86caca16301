# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Change single values of a YAML text, and preserve every other byte.

Mappings on the path must be in block style. `remove` removes exactly the text that `put` has added.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .faults import SyntaxFault
from .yaml_scan import Entry, entries, read

if TYPE_CHECKING:
    from .paths import Path

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
