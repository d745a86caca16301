"""URLs from which documents are fetched, and the header fields sent with the request.

URLs appear in diagnostics, in the lock file and in READMEs, so possible secrets are removed from them. The value of a
header field comes from an environment variable, and only the variable's name is recorded.
"""

import os
import re
from collections.abc import Iterable
from urllib.parse import unquote_plus, urlsplit

from mcpgen.base import secrets
from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped, words
from mcpgen.base.secrets import LEFT_OUT

_QUERY = re.compile(r"(?<=[?&])([^=&#]*)=([^&#]+)")
_HEADER = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]+)=([A-Za-z_][A-Za-z0-9_]*)")
_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_FRAMING = frozenset(["connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"])


def without_secrets(url: str) -> str:
    """Return `url` without credentials before its host and without query values that may be secrets."""
    front, separator, rest = url.partition("://")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if separator and "@" in authority:
        rest = f"{LEFT_OUT}@{authority.rpartition('@')[2]}{rest[len(authority) :]}"
    return secrets.without_secrets(_QUERY.sub(_without_value, f"{front}{separator}{rest}"))


def _without_value(match: re.Match[str]) -> str:
    """Return a pair of a query without its value, if its name may mean a secret. The look does not count."""
    name = unquote_plus(match[1])
    may_be_secret = secrets.is_secret_name(name) or any(map(secrets.is_ambiguous_name, (name, *words(name))))
    return f"{match[1]}={LEFT_OUT}" if may_be_secret else match[0]


def origin_of(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of a URL. Raises ValueError if its port is invalid."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def is_same_origin(url: str, other: str) -> bool:
    try:
        return "://" in other and origin_of(url) == origin_of(other)
    except ValueError:
        return False


# The value comes from a variable, so it appears neither in the shell's history nor in the lock file.
def fetch_headers(wanted: Iterable[str], url: str) -> dict[str, str]:
    """Return the header fields to send to `url`, from `wanted` texts of the form NAME=VARIABLE.

    Raises FatalError if a text is malformed, its variable is not set, or the value would be sent without TLS.
    """
    found: dict[str, str] = {}
    for text in wanted:
        match = _HEADER.fullmatch(text)
        if match is None or match[1].lower() in _FRAMING:
            hint = (
                "Write NAME=VARIABLE, such as Authorization=DOCS_TOKEN. The environment variable holds the "
                "whole value of the header."
            )
            raise FatalError(
                "invalid-flag",
                f"--fetch-header {clipped(match[1] if match else '')} is not of the form NAME=VARIABLE.",
                hint=hint,
            )
        name, variable = match[1], match[2]
        value = os.environ.get(variable, "").strip()
        if not _VALUE.fullmatch(value):
            what = "contains characters that no header field may contain" if value else "is not set"
            raise FatalError("invalid-flag", f"The variable {variable}, which --fetch-header names, {what}.")
        found[name] = value
    if not found:
        return found
    try:
        scheme, host, _ = origin_of(url)
    except ValueError:
        raise FatalError("unreadable", f"{without_secrets(url)} is not a URL.", hint="Check the URL.") from None
    if scheme != "https" and not (host in ("localhost", "::1") or re.fullmatch(r"127(\.\d+){3}", host)):
        raise FatalError(
            "invalid-flag",
            f"--fetch-header would send {next(iter(found))} to {clipped(host)} without TLS.",
            hint="Use an https URL for the document.",
        )
    return found
