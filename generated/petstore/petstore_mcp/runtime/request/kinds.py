# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find styles, body encodings and multipart encodings in `bindings.json` that this runtime does not know.

A newer mcpgen may write other kinds. A tool whose entry has an unknown kind is not called. Kinds of security schemes
are checked when the server starts (`catalog.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from .styles import STYLES

if TYPE_CHECKING:
    from ..tables.table import Binding, Body, Parameter
    from ..tables.words import BodyEncoding, PartKind

ENCODINGS: tuple[BodyEncoding, ...] = ("json", "jsonl", "form", "multipart", "xml", "text", "binary")
PARTS: tuple[PartKind, ...] = ("text", "json", "xml", "file")


def unknown(binding: Binding) -> str:
    """Return the first unknown style, encoding or part kind in a tool's entry, with a label; "" if all are known."""
    return next((f"{what} {kind!r}" for what, kind, known in _kinds(binding) if kind not in known), "")


def _kinds(binding: Binding) -> Iterator[tuple[str, str, Collection[str]]]:
    """Yield a triple for each style, body encoding and kind of a multipart part in a tool's entry.

    The triple is: a label for messages (`style`, for example), the value, and the values that the runtime knows.
    """
    for parameter in parameters_of(binding):
        yield "style", parameter["style"], STYLES
    if "body" in binding:
        yield from _of_body(binding["body"])


def _of_body(body: Body) -> Iterator[tuple[str, str, Collection[str]]]:
    yield "encoding", body["encoding"], ENCODINGS
    for field in body.get("fields", ()):
        if "style" in field:
            yield "style", field["style"], STYLES
        if "part" in field:
            yield "part", field["part"], PARTS


def parameters_of(binding: Binding) -> Iterator[Parameter]:
    """Yield the parameters of a tool's entry, then the headers of its multipart parts."""
    yield from (part for part in binding.get("path", ()) if not isinstance(part, str))
    yield from (*binding.get("query", ()), *binding.get("querystring", ()))
    yield from (*binding.get("headers", ()), *binding.get("cookies", ()))
    if "body" in binding:
        yield from (header for field in binding["body"].get("fields", ()) for header in field.get("headers", ()))
