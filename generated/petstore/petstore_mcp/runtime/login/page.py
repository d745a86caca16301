# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the page at the redirect URI of a login, which the user sees in the browser after logging in."""

from __future__ import annotations

import html

#: Content-Security-Policy: the page loads nothing and runs no script, whatever it contains.
POLICY = "default-src 'none'; frame-ancestors 'none'"

DONE = "You can close this window. The login goes on where you began it."
REFUSED = "This is not the answer that the login waits for."


def page(status: str, title: str, sentence: str) -> bytes:
    """Return a whole HTTP response with a page of one sentence. `status` is code and phrase, such as "200 OK"."""
    body = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<h1>{html.escape(title)}</h1><p>{html.escape(sentence)}</p></html>"
    ).encode()
    fields = (
        f"HTTP/1.1 {status}",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(body)}",
        f"Content-Security-Policy: {POLICY}",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
        "Connection: close",
    )
    return "\r\n".join(fields).encode() + b"\r\n\r\n" + body
