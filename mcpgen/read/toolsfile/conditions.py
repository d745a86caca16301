"""Read conditions on a response, such as `/status == finished`: the keys `done` and `failed` of `task`, and `failed`
of `result`.

Invalid types are skipped here; `schema_check` has already reported them.
"""

import json
import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.names import clipped
from mcpgen.model import Condition

_CONDITION = re.compile(r"(/\S*|status)(?:\s*(==|!=)\s*(.+))?", re.DOTALL)
_HOW = "Write `/status == finished`, `/done`, `/state != running, queued`, or `status == 200`."


def read(entry: JsonObject, key: str, where: Where, diagnostics: Diagnostics) -> tuple[Condition, ...]:
    """Return the conditions at `key` of `entry`, whose place is `where`: one text, or a list of texts."""
    value, place = entry.get(key), where.inside(key)
    return tuple(_conditions(value if isinstance(value, list) else [value], place, diagnostics))


def _conditions(texts: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[Condition]:
    for text in texts:
        if not isinstance(text, str):
            continue
        found = _CONDITION.fullmatch(text.strip())
        if found is None or (found[1] == "status" and found[3] is None):
            message = f"'{clipped(text)}' is not a valid condition on a response."
            diagnostics.add("invalid-value", message, where, _HOW)
            continue
        values = tuple(map(_value, found[3].split(","))) if found[3] else ()
        of_status = found[1] == "status"
        yield Condition("" if of_status else found[1], values, of_status, found[2] == "!=")


def _value(text: str) -> JsonValue:
    """Return the value that a condition compares with: a JSON scalar if the text is one, else the text itself."""
    text = text.strip()
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (dict, list)) else value
