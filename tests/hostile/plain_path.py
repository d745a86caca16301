"""Do the work on a response in the plainest way: without a search that comes first, and without memory of a search.

`test_plain_path.py` compares the results of these functions with those of the runtime.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from package.runtime import tuning
from package.runtime.core import jsonrpc
from package.runtime.result import response
from package.runtime.text import redaction, sanitize
from package.runtime.text.redaction import Redactor

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:(")|\\?\Z)|[\[\]{},]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_ESCAPES = ("\\b", "\\f", "\\u")


def clean(text: str) -> tuple[str, int]:
    left = sanitize.pattern().sub("", text)
    return left, len(text) - len(left)


def beginning(text: str) -> str:
    """Examine each bracket, comma and string."""
    opened: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSING:
            opened.append(_CLOSING[mark])
        elif mark in ("}", "]"):
            if not opened or opened.pop() != mark:
                return ""
        elif mark[0] == '"':
            if token[1] is None and opened and (opened[-1] == "]" or text[end : token.start()].rstrip().endswith(":")):
                return text[: token.start()] + sanitize._broken_off(mark) + "".join(reversed(opened))
            continue
        end = token.start() if mark == "," else token.end()
        if not opened and text[end:].strip():
            return ""
    return text[:end] + "".join(reversed(opened))


def size(value: Any, most: float = 0) -> int:
    return len(sanitize.written(value).encode(errors="replace"))


def _anchors(redactor: Redactor) -> list[str]:
    return [form.anchor[:32] for form in redactor._forms]


def holds_nothing(redactor: Redactor, text: str) -> bool:
    return not any(each in text for each in (*_ESCAPES, *_anchors(redactor)))


def may_be_in(redactor: Redactor, text: str) -> bool:
    anchors = _anchors(redactor)
    return any(each in text for each in anchors) or (bool(anchors) and redaction.has_escaped_letters(text))


def redacted(redactor: Redactor, text: str) -> str:
    if not may_be_in(redactor, text):
        return text
    return redaction._replaced(redactor._forms, text.encode(errors="surrogatepass")).decode(errors="surrogatepass")


PLAIN: tuple[tuple[object, str, object], ...] = (
    (tuning, "ON", False),
    (sanitize, "clean", clean),
    (response, "clean", clean),
    (response, "beginning", beginning),
    (sanitize, "_size", size),
    (Redactor, "holds_nothing", holds_nothing),
    (Redactor, "may_be_in", may_be_in),
    (Redactor, "text", redacted),
    (jsonrpc, "_counted", lambda text: jsonrpc._UNSURE),
    (jsonrpc, "_quote_long", jsonrpc._quote),
)
"""What the plain path replaces: module or class, name, and the plain form."""


@contextmanager
def plain_path() -> Iterator[None]:
    """Inside the `with` block, responses take the plain path."""
    patches = [patch.object(owner, name, form) for owner, name, form in PLAIN]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
