# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse the body of an error response: its message, and which values it reports as wrong.

Known formats are problem details (RFC 9457) with `errors`, and the formats of common frameworks. They use `message`,
`error`, `error_description`, lists and maps of errors, `source` (JSON:API), or `loc` (FastAPI). The body is not
trusted: values of unexpected types are skipped.
"""

from __future__ import annotations

import json
import re
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
_POINTERS = ("pointer", "loc", "field", "name", "parameter", "param", "property", "path", "location", "target")
_CODES = ("code", "type", "error", "reason", "status", "statusCode", "instance")
"""Members that name the kind of an error, by which models and support desks look it up."""

_LISTS = ("errors", "detail", "details", "message")
_SAID = {*_CODES, *_LISTS, "title", "error_description"}
_TOLD = ("detail", "message", "error_description", "description", "msg", "title", "errors", *_CODES)
"""Members of an error body that `Findings.are_in` looks for, at any depth."""


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
    """Contents of an error body: message, and wrong values.

    `complete` is True if no other member of the body says more.
    """

    __slots__ = ("_body", "complete", "items", "message")

    def __init__(
        self, message: str = "", items: list[Finding] | None = None, complete: bool = False, body: Any = None
    ) -> None:
        self.message = message
        self.items = items or []
        self.complete = complete
        self._body = body

    def are_in(self, text: str) -> bool:
        """Return True if a text tells everything of the body: each message, code, type and title of its errors."""
        return self.complete and all(_says(text, each) for each in _texts(self._body))


def read(content: bytes, redactor: Redactor, status: str) -> Findings:
    """Return the message and the wrong values that an error body reports, with secrets removed. Return empty findings
    if the body is no JSON object, or larger than LARGEST. `status`: status code and phrase, which are not repeated.
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
    listed = next((inner[key] for key in _LISTS if isinstance(inner.get(key), list | dict)), None)
    pointed = _pointed(inner, status)
    items = list(_items(listed, status)) or pointed
    message = _told({**body, **inner}, status) if _message(inner) else ""
    said = {*_SAID, *_POINTERS} if items is pointed else _SAID
    return Findings(message, items, bool(message or items) and set(body) | set(inner) <= said, body)


def _message(entry: dict[str, Any]) -> str:
    return next((text for key in _MESSAGES if isinstance(text := entry.get(key), str) and text), "")


def _told(entry: dict[str, Any], status: str) -> str:
    """Return title, message and codes of an error, without those that the message or the status line contains."""
    text, title = _message(entry), entry.get("title")
    if isinstance(title, str) and title and title not in text and not _says(status, title):
        text = f"{title.rstrip('.')}. {text}"
    codes = [
        f"{key}: {each}" for key in _CODES for each in _scalars(entry.get(key)) if not _says(f"{status} {text}", each)
    ]
    return f"{text} ({', '.join(codes)})" if text and codes else text or ", ".join(codes)


def _scalars(value: Any) -> Iterator[str]:
    """Yield a text or a number as text, unless it is the default `about:blank` of problem details (RFC 9457)."""
    if isinstance(value, str | int | float) and not isinstance(value, bool) and value not in ("", "about:blank"):
        yield str(value)


def _says(text: str, value: str) -> bool:
    """Return True if a text contains a value as whole words, regardless of letter case and white space."""
    wanted = re.escape(" ".join(value.split()).rstrip("."))
    return re.search(rf"(?<!\w){wanted}(?!\w)", text, re.IGNORECASE) is not None


def _texts(body: Any) -> Iterator[str]:
    """Yield the messages, codes, types and titles of all errors in an error body."""
    left = [body]
    while left:
        value = left.pop()
        members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        left += members
        for key in _TOLD if isinstance(value, dict) else ():
            found = value.get(key)
            for each in found if isinstance(found, list) else [found]:
                yield from _scalars(each)


def _items(listed: Any, status: str) -> Iterator[Finding]:
    """Yield a finding for each entry of a list of errors, or of a map from names to texts or errors."""
    if isinstance(listed, dict):
        for name, entries in listed.items():
            for entry in entries if isinstance(entries, list) else [entries]:
                if text := _told(entry, status) if isinstance(entry, dict) else entry if isinstance(entry, str) else "":
                    yield _finding(name, "", text)
    elif isinstance(listed, list):
        for entry in listed:
            if isinstance(entry, str):
                yield Finding("", [], entry)
            elif isinstance(entry, dict):
                yield from _pointed(entry, status) or [Finding("", [], text) for text in [_told(entry, status)] if text]


def _pointed(entry: dict[str, Any], status: str) -> list[Finding]:
    """Return a list with one finding for `entry`, an object in an error body that describes one error. Return [] unless
    the object says both which value is wrong and what is wrong.
    """
    source = entry["source"] if isinstance(entry.get("source"), dict) else entry
    pointer = next((source[key] for key in _POINTERS if isinstance(source.get(key), str | list) and source[key]), None)
    if pointer is None or not _message(entry):
        return []
    place = entry.get("in") if isinstance(entry.get("in"), str) else ""
    return [_finding(pointer, place or "", _told(entry, status))]


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
