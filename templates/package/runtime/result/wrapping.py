# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse the text of a response, and wrap its value as the object of a structured result. Pure functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.jsonrpc import NotJSON, loads
from ..core.wire_formats import ABSENT

TEXT = "_text"
"""Member of a structured result for text that is not JSON, and for notes."""


# A text from which nothing is removed stays unchanged, with all digits of its numbers. Any other text is written again,
# as compact JSON.
def read(text: str, mark: str = "") -> tuple[Any, bool]:
    """Return the JSON value of a text, and True if an object repeats a member name. Return ABSENT and False if it is
    not JSON.

    With a `mark`, numbers that Python would write back differently become texts that begin with the mark.
    """
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
    """Return the structured object for a response whose JSON value is `value`.

    If `form` (words.OutputForm) is "value", every value is put under `value`. Otherwise an object stays as it is, an
    array is put under `items`, and any other value under `value`. `text`: notes about the response, put under TEXT.
    """
    if isinstance(value, dict) and form != "value":
        made = dict(value)
    else:
        made = {"items" if isinstance(value, list) and form != "value" else "value": value}
    return {**made, TEXT: text} if text and TEXT not in made else made


def wrapped_text(text: str, value: Any, form: str) -> str:
    """Return the JSON text of `wrapped(value, form)`. `text` is the JSON text of `value`."""
    if isinstance(value, dict) and form != "value":
        return text
    return f'{{"{"items" if isinstance(value, list) and form != "value" else "value"}":{text}}}'
