# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse the body of an error response: its message, and which values it reports as wrong.

Known formats are problem details (RFC 9457) with `errors`, and the formats of common frameworks. They use `message`,
`error`, `error_description`, lists and maps of errors, `source` (JSON:API), or `loc` (FastAPI). The body is not
trusted: values of unexpected types are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..text.sanitize import presentable

if TYPE_CHECKING:
    from ..text.redaction import Redactor

LARGEST = 64 * 1024
"""Maximum size in bytes of an error body that is parsed. Parsing takes time and some 25 times the memory."""

PLACES = {
    "path": "path",
    "query": "query",
    "header": "headers",
    "headers": "headers",
    "cookie": "cookies",
    "cookies": "cookies",
    "body": "body",
}
"""Names of the request's parts as error bodies use them, and the names of these parts in bindings."""

_MESSAGES = ("detail", "message", "error_description", "description", "msg", "reason", "error", "title")
_POINTERS = ("pointer", "loc", "field", "name", "parameter", "param", "property", "path", "location")
# Members of an error body that add nothing to the status line and the message
_SAID = {"type", "title", "status", "detail", "instance", "errors", "message", "error", "error_description", "code"}


class Finding:
    """One value that the upstream reports as wrong.

    `place` is the part of the request ("" if unknown), `steps` the path to the value, and `text` says what is wrong.
    """

    __slots__ = ("place", "steps", "text")

    def __init__(self, place: str, steps: list[str], text: str) -> None:
        self.place = place
        self.steps = steps
        self.text = text


class Findings:
    """Contents of an error body: kind of problem, message, and wrong values.

    `complete` is True if these findings contain all information of the body.
    """

    __slots__ = ("complete", "items", "message", "title")

    def __init__(
        self, title: str = "", message: str = "", items: list[Finding] | None = None, complete: bool = False
    ) -> None:
        self.title = title
        self.message = message
        self.items = items or []
        self.complete = complete


def read(content: bytes, redactor: Redactor) -> Findings:
    """Return the message and the wrong values that an error body reports, with secrets removed. Return empty findings
    if the body is no JSON object, or larger than LARGEST.
    """
    try:
        body = json.loads(content) if len(content) <= LARGEST else None
    except (ValueError, RecursionError):
        body = None
    # Redact before JSON Pointers are split into steps: parts of a secret would not be recognized.
    body, _ = presentable(body, redactor)
    if not isinstance(body, dict):
        return Findings()
    inner = body["error"] if isinstance(body.get("error"), dict) else body
    listed = next(
        (inner[key] for key in ("errors", "detail", "details") if isinstance(inner.get(key), list | dict)), None
    )
    items = list(_items(listed)) or list(_pointed(inner))
    title, message = inner.get("title"), _message(inner)
    complete = bool(message or items) and set(body) | set(inner) <= _SAID
    return Findings(title if isinstance(title, str) else "", message, items, complete)


def _message(entry: dict[str, Any]) -> str:
    return next((text for key in _MESSAGES if isinstance(text := entry.get(key), str) and text), "")


def _items(listed: Any) -> Iterator[Finding]:
    """Yield a finding for each entry of a list of errors, or of a map from names to texts."""
    if isinstance(listed, dict):
        for name, texts in listed.items():
            for text in texts if isinstance(texts, list) else [texts]:
                if isinstance(text, str):
                    yield _finding(name, "", text)
    elif isinstance(listed, list):
        for entry in listed:
            if isinstance(entry, str):
                yield Finding("", [], entry)
            elif isinstance(entry, dict):
                yield from _pointed(entry) or [Finding("", [], text) for text in [_message(entry)] if text]


def _pointed(entry: dict[str, Any]) -> list[Finding]:
    """Return a list with one finding for `entry`, an object in an error body that describes one error. Return [] unless
    the object says both which value is wrong and what is wrong.
    """
    source = entry["source"] if isinstance(entry.get("source"), dict) else entry
    pointer = next((source[key] for key in _POINTERS if isinstance(source.get(key), str | list) and source[key]), None)
    text = _message(entry)
    if pointer is None or not text:
        return []
    place = entry.get("in") if isinstance(entry.get("in"), str) else ""
    return [_finding(pointer, place or "", text)]


def _finding(pointer: str | list[Any], place: str, text: str) -> Finding:
    steps = [str(step) for step in pointer] if isinstance(pointer, list) else _steps(pointer)
    if not place and steps and steps[0].lower() in PLACES and (len(steps) > 1 or steps == ["body"]):
        place, *steps = steps
    return Finding(PLACES.get(place.lower(), ""), steps, text)


def _steps(pointer: str) -> list[str]:
    """Return the steps of a JSON Pointer (RFC 6901), of a path with dots and brackets, or of a JSONPath."""
    if pointer.startswith(("/", "#/")):
        steps = pointer.removeprefix("#").split("/")[1:]
        return [step.replace("~1", "/").replace("~0", "~") for step in steps]
    return [step for step in pointer.removeprefix("$.").replace("]", "").replace("[", ".").split(".") if step]
