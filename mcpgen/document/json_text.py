"""JSON text → value, strictly: finite numbers only, duplicate keys reported, depth bounded by the parser itself."""

import json
from typing import Any, NoReturn

from mcpgen.diagnostics import Diagnostics, Where
from mcpgen.document import budgets
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import JsonValue


class NotJson(Exception):
    """The text is not JSON; it may still be YAML, which allows braces too."""

    def __init__(self, message: str, where: Where) -> None:
        super().__init__(message)
        self.message, self.where = message, where


def parse(text: str, name: str, diagnostics: Diagnostics) -> JsonValue:
    """The value of `text`; NotJson where it is not JSON, CannotGoOn where it nests too deep."""

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
            f"The JSON text breaks off here: {error.msg}.", Where(name, "", error.lineno, error.colno)
        ) from None
    except RecursionError:
        raise CannotGoOn("too-deep", "The JSON text nests too deep.", Where(name), "Flatten the document.") from None
    return value


def _report_duplicates(pairs: list[tuple[str, Any]], name: str, diagnostics: Diagnostics) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            diagnostics.add(
                "duplicate-key",
                f"The key {key!r} stands twice in one object; the last one is used.",
                Where(name),
                "Remove one of them.",
            )
        seen.add(key)


def _as_text(digits: str, name: str, diagnostics: Diagnostics) -> str:
    shown = digits if len(digits) <= 40 else digits[:40] + "…"
    diagnostics.add("number", f"The number {shown} cannot be represented; it is read as text.", Where(name))
    return digits
