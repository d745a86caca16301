"""Write the HTML page of `inspect --html`: a static shell, and one block of data.

The shell is HTML, styles and scripts beside this module, and no byte of it depends on a document. The data is the JSON
of `inspect`, with the index, word lists and numbers of the server's search. It stands in one
`<script type="application/json">` that `sinks.html_data` escapes. The scripts put data only into text nodes. The page's
content security policy allows only mcpgen's own style and script, by their hashes, and no network request.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.runtime import coverage, notation, postings, retriever, search_listing, stems, synonyms
from mcpgen.emit.sinks import html_data

MARK = b"<!doctype html>\n<!-- A page of mcpgen inspect. -->\n"
"""Beginning of every page that mcpgen writes. A file with this beginning may be overwritten by another page."""

_HERE = Path(__file__).parent
SCRIPTS = (
    *("text", "schemas", "tools", "filters", "treemap", "tables"),
    *("retriever", "notation", "search", "curate", "main"),
)
"""Names of the scripts, in the order of the page: a script uses only functions of earlier scripts."""
_MODULES = (stems, postings, coverage, retriever, notation, search_listing)
"""Modules of the runtime whose numbers (weights and limits) the scripts of the page use under the same names."""


# Data goes only into text nodes, and the content security policy forbids other scripts, so no text of a document is
# executed.
def page(document: JsonObject) -> bytes:
    """Return the HTML page of `mcpgen inspect --html` as UTF-8. `document`: the JSON output of `inspect`, with the
    result of `search_data` in its member `search`, and the JSON output of `grade` in its member `grade`.
    """
    style = _read("page.css")
    script = '"use strict";\n' + "\n".join(_read(f"{name}.js") for name in SCRIPTS)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    shell = _read("page.html")
    for name, text in (("policy", policy), ("style", style), ("script", script), ("data", html_data(document))):
        before, mark, after = shell.partition(f"{{{{{name}}}}}")
        assert mark, name
        shell = before + text + after  # insert the data last, so that no text in it is taken for a placeholder
    return MARK + shell.encode()


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the SHA-256 of `text` in the form of a Content-Security-Policy (CSP 3, section 2.3.1)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# The search exists twice, in Python and in JavaScript: precomputed answers would cover fixed queries alone, and a page
# that asks a process could not be passed on. `tests/page/` compares both. GitHub's page grows by 0.6 MB.
def search_data(index: bytes) -> JsonObject:
    """Return the data for the search on the page of `inspect --html`. `index`: search index of the generated server."""
    return {
        "index": json.loads(index),
        "numbers": {name: value for module in _MODULES for name, value in _numbers(vars(module))},
        "short": dict[str, JsonValue](notation.SHORT),
        "stop": list[JsonValue](sorted(stems.STOP)),
        "verbs": dict[str, JsonValue](synonyms.VERBS),
        "synonyms": {word: list[JsonValue](others) for word, others in synonyms.SYNONYMS.items()},
        "questions": list[JsonValue](sorted(synonyms.QUESTIONS)),
        "general": list[JsonValue](sorted(synonyms.GENERAL)),
    }


def _numbers(names: Mapping[str, object]) -> Iterator[tuple[str, int | float]]:
    """Yield name and value of each constant of a module that is a number, without the underscore of private names."""
    for name, value in names.items():
        if name.isupper() and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield name.lstrip("_"), value
