# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write Python code around a program that a model sent, so that the worker process that runs both passes large values
as text or not at all.

To convert a value of 20,000 objects for another process takes a tenth of a second, in which no other call proceeds. So
a large response is passed as JSON text, which the worker parses. And of a program's final value, the worker returns
only the beginning, because no more is shown.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from ..search.stubs import MOST_NESTED, OWN

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT = f"{OWN}last = "
"""Text inserted before the last expression of a model's program, so that the worker stores its value."""

LARGE = 64 * 1024
"""Length of JSON in characters from which a response is passed as text."""

# The model's program may reassign builtin names (`list = list_orders()`), so default arguments keep the builtins.
_HEAD = """\
import json as OWNjson
OWNlast = {last}
def OWNread(value, *, isinstance=isinstance, tuple=tuple, ValueError=ValueError):
    if not isinstance(value, tuple):
        return value
    try:
        return OWNjson.loads(value[0])
    except ValueError:
        return value[0]
def OWNbeginning(
    value, room, *, isinstance=isinstance, len=len, sorted=sorted, ValueError=ValueError, TypeError=TypeError,
    str=str, list=list, tuple=tuple, set=set, frozenset=frozenset, dict=dict
):
    left, cut = [room], [False]
    def of(value, depth):
        left[0] -= 2 + (len(value) if isinstance(value, str) else 0)
        if not isinstance(value, (list, tuple, set, frozenset, dict)):
            return value
        if depth > {most_nested}:
            raise ValueError
        found = []
        for each in value.items() if isinstance(value, dict) else value:
            if left[0] <= 0:
                cut[0] = True
                break
            left[0] -= 3 + len(each[0]) if isinstance(value, dict) and isinstance(each[0], str) else 0
            found.append((each[0], of(each[1], depth + 1)) if isinstance(value, dict) else of(each, depth + 1))
        if isinstance(value, dict):
            return dict(found)
        return sorted(found, key=str) if isinstance(value, (set, frozenset)) else found
    count = len(value) if isinstance(value, (list, tuple, dict, set, frozenset)) else -1
    try:
        found = of(value, 0)
    except ValueError:
        return str(value)[:room], False, False, -1
    try:
        return OWNjson.dumps(found), True, cut[0], count
    except (TypeError, ValueError):
        return found, False, cut[0], count
""".replace("OWN", OWN)
_FUNCTION = f"def {{name}}(*given, **named):\n    return {OWN}read({OWN}{{name}}(*given, **named))\n"


# Converting 20,000 objects blocks the event loop for 60 ms of CPU time, also in a thread; passing text takes 0.3 ms.
def prepared(code: str, names: Iterable[str]) -> tuple[str, str]:
    """Return the code to run before a model's program, and the program changed to store its last expression's value.

    `names`: names of the functions that call tools. A program that Python cannot parse is returned unchanged.
    """
    written = _keeping(code)
    head = _HEAD.format(last="..." if written is None else "None", most_nested=MOST_NESTED)
    return "".join([head, *(_FUNCTION.format(name=name) for name in names)]), written or code


def beginning(room: int) -> str:
    """Return Python code that evaluates to a tuple about the final value of the model's program. The code evaluates to
    `...` if there is no final value.

    The tuple: beginning of the value, True if this beginning is JSON text, True if items of the value were left out,
    number of the value's items (or -1).
    """
    return f"{OWN}last if {OWN}last is ... else {OWN}beginning({OWN}last, {room})"


def _keeping(code: str) -> str | None:
    """Return the model's program, changed to store the value of its last expression; None if it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # hide warnings that parsing causes, such as for an unknown escape
            body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not body or not isinstance(body[-1], ast.Expr):
        return code
    lines = code.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: body[-1].lineno - 1])) + body[-1].col_offset
    content = code.encode()
    return (content[:start] + KEPT.encode() + content[start:]).decode()
