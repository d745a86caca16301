# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""HTML pages that the user's browser shows at the end of a login. They have no scripts and load nothing."""

from __future__ import annotations

from html import escape

from ..text.sanitize import visible

_STYLE = (
    "body{font:1.1em/1.5 sans-serif;max-width:34em;margin:15vh auto;padding:0 1em}button{font:inherit;padding:.4em 1em}"
)

FIELDS = [
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
]
"""Header fields of each page. `Referrer-Policy` hides the page's URL from other sites, since it contains the code."""

LONGEST_NAME = 120


class Page:
    """Response to a browser: status code, header fields and HTML."""

    __slots__ = ("body", "fields", "status")

    def __init__(self, status: int, title: str, *paragraphs: str, form: str = "") -> None:
        """Create a page. Title and paragraphs are plain text, which is escaped; `form` is HTML."""
        self.status = status
        self.fields = FIELDS
        text = "".join(f"<p>{escape(each)}</p>" for each in paragraphs)
        head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        self.body = f"<!doctype html><html lang=en>{head}<h1>{escape(title)}</h1>{text}{form}</html>\n".encode()


def done(server: str) -> Page:
    """Return the page after a successful login."""
    return Page(200, "You are logged in", f"{_shown(server)} can go on. You may close this window.")


def unknown() -> Page:
    """Return the page for a login that this server did not begin, or that has ended or expired."""
    return Page(
        400, "This login is not known here", "It was finished before, or took too long. Begin again in your client."
    )


def failed(server: str, sentence: str) -> Page:
    """Return the page for a login that failed. `sentence` is the reason."""
    return Page(400, "You are not logged in", _shown(sentence, 400), f"You can begin again in {_shown(server)}.")


def unavailable() -> Page:
    """Return the page to show while this server cannot find out whether the login was finished before."""
    return Page(503, "This does not work just now", "Part of this server is away. Begin again in a few minutes.")


# An attacker could send a login link to a victim, and get the victim's login (docs/decisions/identity.md).
def question(server: str, who: str, issuer: str, provider: str, path: str, ticket: str) -> Page:
    """Return the page that asks whether the browser's user is the one who began the login."""
    name = _shown(who)
    known = f" (known by {_shown(issuer)})" if issuer else ""
    form = (
        f'<form method="post" action="{escape(path)}"><input type="hidden" name="ticket" value="{escape(ticket)}">'
        f"<button>I am {escape(name)}: go on</button></form>"
    )
    return Page(
        200,
        f"Are you {name}?",
        f"{name}{known} wants {_shown(server)} to use your account at {_shown(provider)}, through an MCP client.",
        f"Go on only if you are {name} and have just opened this login from your own client. If somebody sent you the "
        "link, close this window: going on would give that person the use of your account.",
        form=form,
    )


def _shown(text: str, longest: int = LONGEST_NAME) -> str:
    """Return `text` without invisible characters, cut to `longest` characters."""
    found = " ".join(visible(text).split())
    return found if len(found) <= longest else f"{found[:longest]}\u2026"
