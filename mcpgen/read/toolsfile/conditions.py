"""Read conditions on a response, such as `/status == finished`: the keys `done` and `failed` of `task`, and `failed`
of `result`. The form of a condition is the one in `bindings.json`.

Invalid types are skipped here; `schema_check` has already reported them.
"""

import json
import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.names import clipped

_CONDITION = re.compile(r"(/\S*|status)(?:\s*(==|!=)\s*(.+))?", re.DOTALL)
_HOW = "Write `/status == finished`, `/done`, `/state != running, queued`, or `status == 200`."


def read(value: JsonValue, where: Where, diagnostics: Diagnostics) -> list[JsonValue]:
    """Return the conditions in `value`, whose place is `where`: one text, or a list of texts."""
    return [*_conditions(value if isinstance(value, list) else [value], where, diagnostics)]


def _conditions(texts: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[JsonObject]:
    for text in texts:
        if not isinstance(text, str):
            continue
        found = _CONDITION.fullmatch(text.strip())
        if found is None or (found[1] == "status" and found[3] is None):
            message = f"'{clipped(text)}' is not a valid condition on a response."
            diagnostics.add("invalid-value", message, where, _HOW)
            continue
        condition: JsonObject = {} if found[1] == "status" else {"pointer": found[1]}
        if found[3]:
            condition["values"] = list(map(_value, found[3].split(",")))
        yield {**condition, "not": True} if found[2] == "!=" else condition


def _value(text: str) -> JsonValue:
    """Return the value that a condition compares with: a JSON scalar if the text is one, else the text itself."""
    text = text.strip()
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (dict, list)) else value
