"""Parse bytes as JSON or YAML into a `Document`. Refuse a web page, and name the description that the page shows."""

import re
from urllib.parse import urljoin

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.source_urls import without_secrets
from mcpgen.read.document import budgets, json_text
from mcpgen.read.document.budgets import Memory
from mcpgen.read.document.document import Document, decoded

_MARKS = ("\n<<<<<<< ", "\n=======", "\n>>>>>>> ")
"""Beginnings of lines that git writes around a conflict, in this order. The style `diff3` adds another one between."""

_BEGINNINGS = ("<!doctype html", "<html")
_SEARCHED = 200_000
"""Characters of a page that are searched for the URL of its description."""
_LINK = re.compile(r"""(?:spec-url|data-url|\burl)["']?\s{0,9}[:=]\s{0,9}["']([^"'<>\s]{1,300})["']""")
"""How pages of Swagger UI, ReDoc, Scalar and RapiDoc name the description."""
_NAMES = re.compile(r"openapi|swagger|api-docs|\.(json|ya?ml)\b", re.IGNORECASE)


def load(name: str, data: bytes, diagnostics: Diagnostics, memory: Memory | None = None) -> Document:
    """Parse `data` as JSON, else as YAML, and return the document.

    Raises FatalError with a place if it is neither, or if it exceeds a limit or the remaining `memory`.
    """
    memory = memory or Memory()
    text = _decode(name, data)
    memory.take_text(name, data, text)
    document = _read(name, data, text, diagnostics, memory.nodes_left)
    memory.take_nodes(document.nodes)
    return document


def _read(name: str, data: bytes, text: str, diagnostics: Diagnostics, most_nodes: int) -> Document:
    looks_like_json = text.lstrip()[:1] in ("{", "[")
    if looks_like_json:
        try:
            nodes = json_text.count_nodes(text, name, most_nodes)
            return Document(name, json_text.parse(text, name, diagnostics), data, nodes=nodes)
        except json_text.NotJson as not_json:
            failure = not_json
    _refuse_page(name, text)
    from mcpgen.read.document import yaml_text  # imported late: takes a quarter of the start-up

    try:
        composed = yaml_text.compose(text, name, diagnostics, most_nodes)
        return Document(name, composed.value, data, composed.outline, composed.nodes)
    except FatalError:
        if line := conflict_line(text):
            message = "The text contains conflict marks of a merge."
            raise FatalError("syntax", message, Where(name, "", line, 1), "Resolve the merge in this file.") from None
        if looks_like_json:
            raise FatalError("syntax", failure.message, failure.where, "Correct the JSON at this place.") from None
        raise


def _decode(name: str, data: bytes) -> str:
    if len(data) > budgets.BYTES:
        raise FatalError(
            "too-large",
            f"The source is {len(data):,} bytes long; mcpgen accepts at most {budgets.BYTES:,} bytes.",
            Where(name),
            "Split the document, or remove what you do not need.",
        )
    try:
        text = decoded(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise FatalError(
            "not-text", "The source is not UTF-8 text.", Where(name, "", line, column), "Save the file as UTF-8."
        ) from None
    if not text.strip():
        raise FatalError(
            "syntax", "The source is empty.", Where(name, "", 1, 1), "Name a file that holds an API description."
        )
    return text


def _refuse_page(name: str, text: str) -> None:
    """Raise FatalError if `text` is a web page. The hint has the URL of the page's description, if the page names it.

    `name`: the URL or file of the page.
    """
    if not text.lstrip()[:20].lower().startswith(_BEGINNINGS):
        return
    links = (link for link in _LINK.findall(text[:_SEARCHED]) if _NAMES.search(link))
    found = next(links, "")
    hint = "Its document is often at /openapi.json, /swagger.json or /v3/api-docs of the same server; name that URL."
    if found:
        hint = (
            f"The page shows {without_secrets(urljoin(name, found) if '://' in name else found)}; name that document."
        )
    raise FatalError("syntax", "This is a web page (HTML), not an API description.", Where(name, "", 1, 1), hint)


def conflict_line(text: str) -> int:
    """Return the number of the line where a conflict begins, or 0 if not all marks stand in `text` in their order."""
    text = f"\n{text}"
    at = first = text.find(_MARKS[0])
    for mark in _MARKS:
        at = text.find(mark, at)
        if at < 0:
            return 0
    return text.count("\n", 0, first) + 1
