"""Recognise a web page in place of an API description, and find the description that the page shows."""

import re
from urllib.parse import urljoin

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.base.source_urls import without_secrets

_BEGINNINGS = ("<!doctype html", "<html")
_SEARCHED = 200_000
"""Characters of a page that are searched for the URL of its description."""

_LINK = re.compile(r"""(?:spec-url|data-url|\burl)["']?\s{0,9}[:=]\s{0,9}["']([^"'<>\s]{1,300})["']""")
"""How pages of Swagger UI, ReDoc, Scalar and RapiDoc name the description."""

_NAMES = re.compile(r"openapi|swagger|api-docs|\.(json|ya?ml)\b", re.IGNORECASE)


def refuse_page(name: str, text: str) -> None:
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
