"""URLs that documents are fetched from, and the headers that go with them: what of both may be told.

A URL stands in diagnostics, in the lock and in READMEs, so that what may be a secret in its query is left out there. A
header has its value from a variable of the environment, and only the variable's name is recorded.
"""

import os
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from mcpgen.base.errors import CannotGoOn
from mcpgen.base.names import clipped

LEFT_OUT = "LEFT-OUT"
"""What stands in place of a secret."""

_SECRET = re.compile(
    r"([?&][^=&#]*(?:token|key|sig|secret|pass|auth|cred|code|jwt|session)[^=&#]*=)[^&#]*", re.IGNORECASE
)
_HEADER = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]+)=([A-Za-z_][A-Za-z0-9_]*)")
_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_FRAMING = frozenset(["connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"])


def without_secrets(url: str) -> str:
    """Return `url` with what may be a secret in its query, or before its host, left out."""
    front, separator, rest = url.partition("://")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if separator and "@" in authority:
        rest = f"{LEFT_OUT}@{authority.rpartition('@')[2]}{rest[len(authority) :]}"
    return _SECRET.sub(rf"\1{LEFT_OUT}", f"{front}{separator}{rest}")


def origin_of(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of a URL. ValueError where it has none."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def is_same_origin(url: str, other: str) -> bool:
    """Return True if both are URLs of one origin."""
    try:
        return "://" in other and origin_of(url) == origin_of(other)
    except ValueError:
        return False


# Decision 0108: A fetch header names a variable.
def fetch_headers(wanted: Iterable[str], url: str) -> dict[str, str]:
    """Return the header fields that `wanted` (NAME=VARIABLE each) asks to send to `url`.

    CannotGoOn where one is written wrongly, its variable is not set, or it would be sent in the clear.
    """
    found: dict[str, str] = {}
    for text in wanted:
        match = _HEADER.fullmatch(text)
        if match is None or match[1].lower() in _FRAMING:
            hint = "Write NAME=VARIABLE, such as Authorization=DOCS_TOKEN: the variable holds all of the value."
            raise CannotGoOn("invalid-flag", f"--fetch-header {clipped(match[1] if match else '')} is none.", hint=hint)
        name, variable = match[1], match[2]
        value = os.environ.get(variable, "").strip()
        if not _VALUE.fullmatch(value):
            what = "holds what no header field can carry" if value else "is not set"
            raise CannotGoOn("invalid-flag", f"The variable {variable}, which --fetch-header names, {what}.")
        found[name] = value
    if not found:
        return found
    try:
        scheme, host, _ = origin_of(url)
    except ValueError:
        raise CannotGoOn("unreadable", f"{without_secrets(url)} is no URL.", hint="Check the URL.") from None
    if scheme != "https" and not (host in ("localhost", "::1") or re.fullmatch(r"127(\.\d+){3}", host)):
        raise CannotGoOn(
            "invalid-flag",
            f"--fetch-header would send {next(iter(found))} to {clipped(host)} without TLS.",
            hint="Name the document by https.",
        )
    return found
