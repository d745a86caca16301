"""Parse JSON strictly: finite numbers, no lone surrogates, bounded depth. Duplicate keys are reported."""

import json
import re
from typing import Any, NoReturn

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.runtime import jsonrpc
from mcpgen.read.document import budgets
from mcpgen.read.document.budgets import too_many_nodes

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


class NotJson(Exception):
    """The text is not JSON. It may still be YAML, which also allows braces and brackets."""

    def __init__(self, message: str, where: Where) -> None:
        super().__init__(message)
        self.message, self.where = message, where


def count_nodes(text: str, name: str, most: int) -> int:
    """Return an upper bound on the number of values and keys in `text`.

    Raises FatalError if it exceeds `most`. Delimiters are counted before parsing, because parsing needs most of the
    memory.
    """
    counted = _count_delimiters(text, 0, len(text))
    if counted <= most:
        return counted
    counted = strings = end = 0
    for found in _STRING.finditer(text):  # count again, now without the delimiters inside strings
        start = found.start()
        counted += 1 if start - end == 1 else _count_delimiters(text, end, start)
        strings, end = strings + 1, found.end()
        if counted > most or strings > most:
            break
    else:
        counted += _count_delimiters(text, end, len(text))
    if counted > most or strings > most:
        line = text.count("\n", 0, end) + 1
        raise too_many_nodes(most, Where(name, "", line, end - text.rfind("\n", 0, end)))
    return counted


def _count_delimiters(text: str, start: int, end: int) -> int:
    """Return an upper bound on the values and keys between `start` and `end`.

    It is the number of opening brackets and braces, commas and colons.
    """
    inside = text.count("[", start, end) + text.count("{", start, end)
    return inside + text.count(",", start, end) + text.count(":", start, end)


def parse(text: str, name: str, diagnostics: Diagnostics) -> JsonValue:
    """Return the value of `text`. Raises NotJson if it is not JSON, and FatalError if it nests too deep."""
    text = _without_half_characters(text, name, diagnostics)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            _report_duplicates(pairs, name, diagnostics)
        return result

    def number(digits: str) -> float | str:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            return _as_text(digits, name, diagnostics)
        return value

    def integer(digits: str) -> int | str:
        return int(digits) if len(digits) <= budgets.NUMBER_CHARACTERS else _as_text(digits, name, diagnostics)

    def constant(word: str) -> NoReturn:
        raise NotJson(f"{word} is not a JSON value.", Where(name))

    try:
        decoder = json.JSONDecoder(
            object_pairs_hook=members, parse_float=number, parse_int=integer, parse_constant=constant, strict=False
        )
        value: JsonValue = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(
            f"The JSON text is invalid from here on: {error.msg}.", Where(name, "", error.lineno, error.colno)
        ) from None
    except RecursionError:
        raise _too_deep(name) from None
    if jsonrpc.is_deeper(value, budgets.DEPTH):
        raise _too_deep(name)
    return value


def _without_half_characters(text: str, name: str, diagnostics: Diagnostics) -> str:
    """Return `text` with the escape of each lone surrogate replaced by that of U+FFFD, which is as long.

    No UTF-8 text can hold lone surrogates, and readers of the emitted files would refuse the whole file.
    """
    if not _SURROGATE.search(text):
        return text
    clean = _ESCAPE.sub(lambda match: "\\ufffd" if match[1] else match[0], text)
    if clean != text:
        diagnostics.add("control-character", "Halves of surrogate pairs were replaced by U+FFFD.", Where(name))
    return clean


def _too_deep(name: str) -> FatalError:
    message = f"The JSON text nests deeper than {budgets.DEPTH} levels."
    return FatalError("too-deep", message, Where(name), "Flatten the document.")


def _report_duplicates(pairs: list[tuple[str, Any]], name: str, diagnostics: Diagnostics) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            diagnostics.add(
                "duplicate-key",
                f"The key {key!r} occurs twice in one object; the last value is used.",
                Where(name),
                "Remove one of them.",
            )
        seen.add(key)


def _as_text(digits: str, name: str, diagnostics: Diagnostics) -> str:
    shown = digits if len(digits) <= 40 else digits[:40] + "…"
    diagnostics.add("number", f"The number {shown} cannot be represented; it is read as text.", Where(name))
    return digits
