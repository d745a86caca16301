"""Write the HTML page of `inspect --html`: a static shell, and one block of data.

The shell is HTML, styles and scripts beside this module, and no byte of it depends on a document. The data is the JSON
of `inspect` with the search index (`search_data`), in one `<script type="application/json">` that `sinks.html_data`
escapes. The scripts put data only into text nodes. The page's content security policy allows only mcpgen's own style
and script, by their hashes, and no network request.
"""

import base64
import hashlib
from pathlib import Path

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.emit.page.search_data import search_data
from mcpgen.emit.sinks import html_data

__all__ = ["MARK", "SCRIPTS", "page", "search_data"]

MARK = b"<!doctype html>\n<!-- A page of mcpgen inspect. -->\n"
"""Beginning of every page that mcpgen writes. A file with this beginning may be overwritten by another page."""

_HERE = Path(__file__).parent
SCRIPTS = ("text", "schemas", "tools", "filters", "treemap", "tables", "retriever", "notation", "search", "main")
"""Names of the scripts, in the order of the page: a script uses only functions of earlier scripts."""


# Data goes only into text nodes, and the content security policy forbids other scripts, so no text of a document is
# executed.
def page(document: JsonObject) -> bytes:
    """Return the HTML page of `mcpgen inspect --html` as UTF-8. `document`: the JSON output of `inspect`, with the
    result of `search_data` in its member `search`.
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
