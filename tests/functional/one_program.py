"""Turn a list of tool calls into one program that makes the calls and ends with the list of their results.

An argument `"$N/POINTER"` stands for the value at this JSON Pointer in the result of call N; `"$N"` is that result as
text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from keyword import iskeyword
from typing import Any, Protocol

_REFERENCE = re.compile(r"\$(\d+)((?:/[^/]*)*)")
_HEAD = """import json
from typing import Any
told: list[Any] = []
def text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
def loose(value: Any) -> Any:
    return value
"""
_TRIED = """try:
    told.append({call})
except RuntimeError as problem:
    told.append({{"error": str(problem)}})
"""


class Step(Protocol):
    """One call: the name of its tool, and its arguments, which may refer to results of earlier calls."""

    @property
    def tool(self) -> str:
        """Name of the tool."""

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of the call."""


def one_program(steps: Sequence[Step], typed: bool = True) -> str:
    """Return the text of one program that makes the calls `steps`.

    A call that fails has the result {"error": TEXT}, and the program continues. `typed`: if False, the types of
    arguments are hidden from the type checker, so that arguments of a wrong type reach the tool.
    """
    return _HEAD + "".join(_TRIED.format(call=_call(step, typed)) for step in steps) + "told\n"


def _call(step: Step, typed: bool) -> str:
    values = {name: _value(value) if typed else f"loose({_value(value)})" for name, value in step.arguments.items()}
    return f"{_name(step.tool)}({', '.join(f'{_name(name)}={value}' for name, value in values.items())})"


def _name(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"{plain}_" if iskeyword(plain) else plain


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return repr(value)
    number, pointer = found.groups()
    if not pointer:
        return f"text(told[{number}])"
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return f"told[{number}]" + "".join(f"[{int(part) if part.isdigit() else part!r}]" for part in parts)
