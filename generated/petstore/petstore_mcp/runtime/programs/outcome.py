# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Convert the final value of a program that a model wrote to text for the model, and the result of a tool call to a
value for the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import NotJSON, loads
from ..core.wire_formats import ABSENT
from ..search.stubs import as_json
from ..text.sanitize import Shortened, clean, written
from .worker_code import LARGE

if TYPE_CHECKING:
    from ..core.wire_formats import Result

NO_VALUE = "The program ended without a value. End it with the value that you want to see, or print it."
TEXT = "_text"
"""Member of a structured result that holds text in addition to the value (result/response.py)."""


def value_of(result: Result, form: str) -> tuple[Any, str]:
    """Return the value that a tool call returns inside a program, and further texts of the result.

    The value is the whole JSON of the response without the wrapper object, or the response's text. `form` says how a
    tool with an output schema wraps its value. Long JSON is returned as a tuple that contains its text
    (`worker_code.py`), which the worker parses.
    """
    texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
    others = [str(block["type"]) for block in result.content if block["type"] not in ("text", "resource_link")]
    if result.structured is not ABSENT:
        value, told = _unwrapped(result.structured, form)
        return ((texts[0],) if texts and _is_large(texts[0]) else value), told
    first = texts[0] if texts else f"The answer is of the type {', '.join(others)}, which a program cannot read."
    if _is_large(first):
        return (first,), "\n".join(texts[1:])
    try:
        return loads(first)[0], "\n".join(texts[1:])
    except NotJSON:
        return first, "\n".join(texts[1:])


def _is_large(text: str) -> bool:
    return len(text) >= LARGE and text.lstrip()[:1] in ("[", "{")


def _unwrapped(value: Any, form: str) -> tuple[Any, str]:
    if not isinstance(value, dict):
        return value, ""
    told = str(value[TEXT]) if form != "written" and len(value) > 1 and TEXT in value else ""
    bare = {key: member for key, member in value.items() if key != TEXT} if told else value
    wrapper = form if form in ("items", "value") else ""
    return bare.get(wrapper, bare), told


def shown(value: Any, printed: str, most: int, more: bool = False, count: int = -1) -> str:
    """Return the text for the model: the printed text and the final value, in about `most` bytes.

    `more` is True if `value` is only the beginning of the final value. `count` is how many items the whole value has.
    """
    parts = [_cut(printed.rstrip("\n"), most // 2)] if printed.strip() else []
    if value is not None:
        parts.append(_value(value, most - sum(len(part.encode(errors="replace")) for part in parts), more, count))
    text = clean("\n".join(parts))[0]
    return text or NO_VALUE


def _value(value: Any, most: int, more: bool, count: int) -> str:
    """Return a value as JSON, shortened to about `most` bytes."""
    if isinstance(value, str):
        return _cut(value, most)
    try:
        plain = as_json(value)
    except TypeError:
        return _cut(str(value), most)
    text = written(plain)
    if not more and len(text.encode(errors="replace")) <= most:
        return text
    items = f" of {count:,} items" if count >= 0 else ""
    told = f"[Cut: the first part{items} is shown. Return less: pick, count or join in the program.]"
    return f"{written(Shortened(plain, most).value)}\n{told}"


def _cut(text: str, most: int) -> str:
    content = text.encode(errors="replace")
    if len(content) <= most:
        return text
    start = content[:most].decode(errors="ignore")
    return f"{start}\n[Cut: the first {most:,} of {len(content):,} bytes are shown. Print or return less.]"
