"""Derive how clients with the extension MCP Apps show the results of tools, and write the application that shows them.

`derive` chooses a kind of view for each tool, and the members that it shows (`columns`). The application is the same in
every project: `application/` has its page, style and scripts. The runtime's `views/views.py` gives both to clients.
"""

import base64
import hashlib
from pathlib import Path

from mcpgen.views.derive import with_views

__all__ = ["application", "with_views"]

_HERE = Path(__file__).parent / "application"
SCRIPTS = ("elements", "host", "values", "result", "table", "card", "form", "changes", "main")
"""Names of the scripts, in the order of the page: a script uses only functions of earlier scripts."""


# The client adds a policy of its own. This one allows only the style and the script of the page, by their hashes, so
# that no text of a result could become a script even if it became markup.
def application() -> bytes:
    """Return the HTML page that shows views, as UTF-8."""
    style = _read("page.css")
    script = '"use strict";\n' + "\n".join(_read(f"{name}.js") for name in SCRIPTS)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = _read("page.html")
    for name, text in (("policy", policy), ("style", style), ("script", script)):
        page = page.replace(f"{{{{{name}}}}}", text)
    return page.encode()


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the SHA-256 of `text` in the form of a Content-Security-Policy (CSP 3, section 2.3.1)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
