"""Act as a user's browser at the end of a login: open the redirect, and submit the form of the server's page."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode, urlsplit

from tests.delegation.servers import Server
from tests.streamable.client import Answer, Fields

FORM: Fields = {"Content-Type": "application/x-www-form-urlencoded"}
_TICKET = re.compile(rb'name="ticket" value="([^"]+)"')


def open_page(server: Server, url: str, **fields: str) -> Answer:
    """Open a URL of the server, and return the page. No page may have scripts, link elsewhere or be cached."""
    parts = urlsplit(url)
    answer = server.ask("GET", f"{parts.path}?{parts.query}", fields=fields)
    checked(answer)
    return answer


def ticket_of(page: Answer) -> str:
    """Return the value of the hidden field `ticket` in the form of a page."""
    found = _TICKET.search(page.body)
    assert found is not None, page.body
    return unescape(found[1].decode())


def submit(server: Server, url: str, fields: Fields | None = None, **form: str) -> Answer:
    """Submit a form with these fields to the URL of the page."""
    answer = server.ask("POST", urlsplit(url).path, fields={**FORM, **(fields or {})}, body=urlencode(form).encode())
    checked(answer)
    return answer


def checked(answer: Answer) -> None:
    """Check the rules that every page of the server must follow."""
    assert answer.field("location") is None
    if not (answer.field("content-type") or "").startswith("text/html"):
        assert answer.status >= 400
        return
    policy = answer.field("content-security-policy") or ""
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.field("cache-control") == "no-store"
    assert b"<script" not in answer.body
    assert b"http://" not in answer.body.replace(b"(known by http://", b"")
