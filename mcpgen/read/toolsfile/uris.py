"""Check URIs of resources, and URI templates (RFC 6570, level 1: only `{name}`)."""

import re

from mcpgen.base.names import WRITTEN_ARGUMENT_NAME, clipped

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CHARACTERS = re.compile(r"(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+")
LONGEST = 1000


# Only level 1 of RFC 6570: the URI `x/y/z` matches `{+a}/{+b}` in two ways.
def variables(uri: str) -> tuple[str, ...]:
    """Return the variables of a URI template, in order."""
    return tuple(_VARIABLE.findall(uri))


def blanked(uri: str) -> str:
    """Return the URI template without the names of its variables (`{id}` becomes `{}`). Templates with equal results
    match the same URIs.
    """
    return _VARIABLE.sub("{}", uri)


def refusal(uri: str) -> str:
    """Return why `uri` cannot be the URI of a resource, such as "has one variable twice", or "" if it can."""
    names, pieces = variables(uri), _VARIABLE.split(uri)[::2]
    scheme = _SCHEME.match(pieces[0])
    if len(uri) > LONGEST:
        return f"is longer than {LONGEST:,} characters"
    if scheme is None:
        return "does not begin with a scheme and a colon, such as `db:`"
    if scheme[0].lower() in ("http:", "https:"):
        return "is an http URL, which clients would fetch by themselves without this server"
    if not all(_CHARACTERS.fullmatch(piece) for piece in pieces if piece) or uri == scheme[0]:
        return "is not a URI: write other characters as %XX (RFC 3986)"
    wrong = next((name for name in names if not WRITTEN_ARGUMENT_NAME.fullmatch(name)), None)
    if wrong is not None:
        return f"has the variable '{clipped(wrong)}', but variables have only letters, digits and `_`"
    if len(set(names)) < len(names):
        return "has one variable twice"
    return "has two variables with nothing between them" if "" in pieces[1:-1] else ""
