# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The text of an answer as a value, and the value as the object that stands in a structured result. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.jsontext import NotJSON, loads
from ..core.wire_formats import ABSENT

TEXT = "_text"
"""Where what is no JSON stands, and what is told beside an answer."""


# Decision 0044: The text of a structured result is the same value.
def read(text: str, mark: str = "") -> tuple[Any, bool]:
    """The JSON value that a text is, and whether it names a member twice; ABSENT where it is none. Numbers that would
    be written otherwise are texts behind the `mark`, where there is one."""
    try:
        value, repeated = loads(text, _marking(mark) if mark else None)
    except NotJSON:
        return ABSENT, False
    return value, bool(repeated)


def _marking(mark: str) -> Callable[[str], float | str]:
    def literal(digits: str) -> float | str:
        number = float(digits)
        return number if repr(number) == digits else mark + digits

    return literal


def wrapped(value: Any, form: str, text: str = "") -> dict[str, Any]:
    """The object that stands for an answer in that form of the binding; `text` is what is told beside it.

    An answer of another kind than the form expects is put where it says what it is.
    """
    if isinstance(value, dict) and form != "value":
        made = dict(value)
    else:
        made = {"items" if isinstance(value, list) and form != "value" else "value": value}
    return {**made, TEXT: text} if text and TEXT not in made else made


def wrapped_text(text: str, value: Any, form: str) -> str:
    """What `wrapped` makes of a value, written out; `text` is the value so."""
    if isinstance(value, dict) and form != "value":
        return text
    return f'{{"{"items" if isinstance(value, list) and form != "value" else "value"}":{text}}}'
