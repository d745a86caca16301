"""Decide which redirects of a fetched document are followed (RFC 9110, section 15.4).

A document decides where a server sends its requests, so it must come from the host that the user named. A redirect may
stay on the same host and port, or go from http to https. Any other host needs a flag that names it. Redirects to
link-local and metadata addresses are never followed, whatever the flags.
"""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

from mcpgen.base import origins
from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped
from mcpgen.base.source_urls import without_secrets

ALLOW_REDIRECT = "--allow-redirect"
STATUSES = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Redirect:
    """Target of a redirect. `is_own`: True if the target is on the redirecting server, False if a flag allowed it."""

    url: str
    is_own: bool


# A redirect must not lead to an unexpected server. No flag allows one from https to http, or to a metadata address.
def resolve_redirect(url: str, location: str, allowed: tuple[str, ...]) -> Redirect:
    """Return the target of a redirect from `url` to `location`.

    `allowed`: values of --allow-redirect, HOST or HOST:PORT. Raises FatalError if the redirect is not allowed.
    """
    parts, port = _split(url)
    target = _join(url, location)
    new, new_port = _split(target)
    host, name = (new.hostname or "").rstrip("."), _authority(new, new_port)
    if parts.scheme == "https" and new.scheme == "http":
        raise _refusal(url, f"to {name} without TLS", "Give a URL that does not redirect from https to http.")
    if origins.is_forbidden(host):
        raise _refusal(url, f"to {name}, a link-local or metadata address", "Name another URL.")
    if host == (parts.hostname or "").rstrip("."):
        upgraded = (parts.scheme, port, new.scheme, new_port) == ("http", 80, "https", 443)
        if (parts.scheme, port) == (new.scheme, new_port) or upgraded:
            return Redirect(target, is_own=True)
    if _is_allowed(host, new_port, new.scheme, allowed):
        return Redirect(target, is_own=False)
    private = ", in a private network," if origins.is_private(host) else ""
    hint = (
        f"If you trust the redirect target, give {ALLOW_REDIRECT} {name}. Otherwise, give the final URL of the "
        "document."
    )
    raise _refusal(url, f"to another server, {name}{private or ','} and mcpgen does not follow such redirects", hint)


def is_redirect_value(text: str) -> bool:
    """Return True if `text` is a valid value of --allow-redirect."""
    return _server(text) is not None


def _server(text: str) -> tuple[str, int | None] | None:
    """Parse a value of the flag --allow-redirect. Return host and port, or None if it is neither HOST nor HOST:PORT."""
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    written = f"[{host}]" if ":" in host else host
    is_whole = text.lower() == (written if port is None else f"{written}:{port}")
    return (host.rstrip("."), port) if host and is_whole and port != 0 and not re.search(r"[\s@]", host) else None


def _is_allowed(host: str, port: int, scheme: str, allowed: tuple[str, ...]) -> bool:
    """Return True if a value of --allow-redirect names the server at `host` and `port`. A value without a port means
    the default port of `scheme`.
    """
    named = filter(None, map(_server, allowed))
    return any(host == each and port == (its_port or _PORTS[scheme]) for each, its_port in named)


def _join(url: str, location: str) -> str:
    """Return the absolute URL of `location`, without fragment. Raises FatalError if it cannot be fetched."""
    try:
        target = urljoin(url, location).partition("#")[0]
        parts = urlsplit(target)
        usable = parts.scheme in _PORTS and parts.hostname and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise _refusal(
            url,
            f"to {clipped(without_secrets(location), 120)}, from which mcpgen does not fetch documents",
            "Name another URL.",
        )
    return target


def _split(url: str) -> tuple[SplitResult, int]:
    parts = urlsplit(url)
    return parts, parts.port or _PORTS.get(parts.scheme, 0)


def _authority(parts: SplitResult, port: int) -> str:
    """Return host and port of a URL as a value of --allow-redirect: HOST or HOST:PORT."""
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return clipped(host if port == _PORTS.get(parts.scheme) else f"{host}:{port}", 120)


def _refusal(url: str, what: str, hint: str) -> FatalError:
    return FatalError("unreadable", f"{without_secrets(url)} redirects {what}.", hint=hint)
