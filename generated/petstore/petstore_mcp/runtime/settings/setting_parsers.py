# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse single settings: each function takes the text of an environment variable and returns its value.

Each parser raises ValueError with a reason such as "must be a number of seconds" if the text is not valid. In a
message, the reason follows the variable's name. A reason never contains the value.
"""

from __future__ import annotations

import os
import re
from collections import deque

from ..text import fields
from ..text.addresses import parse
from . import credential_env

MOST = 100_000

_SPANS = {"s": (1.0, "a second"), "min": (60.0, "a minute"), "h": (3600.0, "an hour")}
_FORM = re.compile(r"([0-9]{1,6}) ?/ ?(s|min|h)", re.IGNORECASE)


# A token bucket that starts full would allow nearly twice the rate in its first interval.
class Rate:
    """Sliding-window rate limiter: the limit, and the times of the latest requests."""

    def __init__(self, count: int, seconds: float, span: str) -> None:
        self.count = count
        self.seconds = seconds
        self._span = span
        self._sent: deque[float] = deque(maxlen=count)

    def __str__(self) -> str:
        return f"{self.count:,} request{'' if self.count == 1 else 's'} {self._span}"

    def due(self, now: float, ahead: int = 0) -> float:
        """Return the earliest time at which a request may be sent if `ahead` other requests are waiting to be sent
        before it.

        All times are in seconds.
        """
        sent, later = self._sent, 0.0
        # Index of the request that must leave the window before the new request may be sent. The index is too large for
        # `sent` if that request is still waiting, and negative if no request must leave.
        before = len(sent) + ahead - self.count
        while before >= len(sent) and before >= 0:
            before -= self.count
            later += self.seconds
        return max(now, sent[before] + self.seconds if before >= 0 else now) + later

    def note(self, now: float) -> None:
        """Record that a request was sent at the time `now`, in seconds."""
        self._sent.append(now)


def rate(value: str) -> Rate:
    """Return the rate for the operator's text, such as `10/s`.

    Raise ValueError with a reason such as "must say how many requests in which time" if the text is not valid.
    """
    found = _FORM.fullmatch(value)
    if not found:
        raise ValueError("must say how many requests in which time, such as 10/s, 100/min or 5000/h")
    if not 1 <= int(found[1]) <= MOST:
        raise ValueError(f"must allow 1 to {MOST:,} requests")
    return Rate(int(found[1]), *_SPANS[found[2].lower()])


SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.1, 3600.0

MOST_CONCURRENCY = 256

SHORTEST_TOKEN = 16

_LEVELS = ("debug", "info", "warning", "error")
_ROLE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-")
_SWITCH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def level(value: str) -> str:
    """Return a log level, one of `_LEVELS`. Letter case is ignored."""
    if value.lower() not in _LEVELS:
        raise ValueError(f"must be one of {', '.join(_LEVELS)}")
    return value.lower()


def seconds(value: str) -> float:
    """Return the number of seconds that the text gives."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not SHORTEST_TIMEOUT <= seconds <= LONGEST_TIMEOUT:
        raise ValueError(f"must be a number of seconds from {SHORTEST_TIMEOUT:g} to {LONGEST_TIMEOUT:.0f}")
    return seconds


def concurrency(value: str) -> int:
    """Return the maximum number of concurrent requests."""
    if not (value.isascii() and value.isdigit() and len(value) < 4 and 1 <= int(value) <= MOST_CONCURRENCY):
        raise ValueError(f"must be a whole number from 1 to {MOST_CONCURRENCY}")
    return int(value)


def hosts(value: str) -> frozenset[str]:
    """Return the comma-separated host names, without scheme and port. Each host is allowed on every port."""
    found = frozenset(host.strip().lower() for host in value.split(",") if host.strip())
    if any("/" in host or host.count(":") == 1 for host in found):
        raise ValueError("must be names of hosts such as login.example.com, joined by commas")
    return found


def roles(value: str) -> frozenset[str]:
    """Return the comma-separated role names."""
    names = [name.strip() for name in value.split(",") if name.strip()]
    if any(character not in _ROLE for name in names for character in name):
        raise ValueError("must be names of roles, joined by commas")
    return frozenset(names)


def names(value: str) -> frozenset[str]:
    """Return the comma-separated names."""
    return frozenset(filter(None, map(str.strip, value.split(","))))


def directory(value: str) -> str:
    """Return the real path of a directory."""
    if not os.path.isdir(value):
        raise ValueError("must name a directory that exists")
    return os.path.realpath(value)


def writable_directory(value: str) -> str:
    """Return the real path of a directory in which files can be created."""
    path = directory(value)
    if not os.access(path, os.W_OK | os.X_OK):
        raise ValueError("must name a directory that can be written to")
    return path


def file(value: str) -> str:
    """Return `value`, a path, unchanged. Raise ValueError if the file at this path cannot be read."""
    if os.path.isdir(value) or not os.access(value, os.R_OK):
        raise ValueError("must name a file that can be read")
    return value


def audit(value: str) -> str:
    """Return where calls are recorded: the absolute path of a file, or the word `stderr`."""
    from ..audit.audit import STDERR, problem  # imported here: few operators keep an audit log

    if value.lower() == STDERR:
        return STDERR
    if not os.path.dirname(value):  # refuse a word such as `stdout`, which hardly means a file
        raise ValueError("must be stderr, or the path of a file, such as ./audit.jsonl")
    path = os.path.abspath(value)
    if reason := problem(path):
        raise ValueError(reason)
    return path


def metrics(value: str) -> bool | str:
    """Return the absolute path of a file for metrics, or True or False for a switch."""
    if not os.path.dirname(value):
        try:
            return switch(value)
        except ValueError:
            raise ValueError("must be 1 or 0, or the path of a file, such as ./metrics.prom") from None
    path = os.path.abspath(value)
    if not os.access(os.path.dirname(path), os.W_OK | os.X_OK):
        raise ValueError("must name a file in a folder that can be written to")
    return path


def metrics_token(value: str) -> str:
    """Return `value`, the bearer token that a reader of `/metrics` must send."""
    if len(value) < SHORTEST_TOKEN or not fields.is_value(value) or " " in value:
        raise ValueError(f"must be {SHORTEST_TOKEN} or more visible ASCII characters without blanks")
    return value


def port(value: str) -> int:
    """Return `value` as a port number."""
    if not (value.isascii() and value.isdigit() and 0 < int(value[:6]) < 65536):
        raise ValueError("must be a port from 1 to 65535")
    return int(value)


def token_store(value: str) -> str:
    """Return where logins are stored: `keyring`, `file`, or the absolute path of a file."""
    if value.lower() in ("keyring", "file"):
        return value.lower()
    if not os.path.isabs(value):
        raise ValueError("must be keyring, file, or the absolute path of a file")
    return value


def proxy(value: str) -> str:
    """Return the URL of a proxy, which may contain a user and a password."""
    # Proxy URLs may contain a user and a password; otherwise they follow the rules of server URLs.
    scheme, _, rest = value.partition("://")
    user, _, host = rest.rpartition("@")
    if scheme.lower().startswith("socks"):
        from ..reach.proxies import as_http  # imported late: few operators have a SOCKS proxy

        scheme = as_http(scheme)
    if not (user.isascii() and user.isprintable()) or parse(f"{scheme}://{host}").path:
        raise ValueError("must be a URL such as http://proxy.example:3128")
    from urllib.parse import unquote

    name, _, password = user.partition(":")
    if ":" in unquote(name):
        raise ValueError("has a colon in its user name, which cannot be sent")
    try:
        # Refuse characters outside Latin-1, the encoding that the HTTP library uses for user and password.
        unquote(f"{name}:{password}").encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError("must have a user and a password of Latin-1 characters; others cannot be sent") from None
    return value.rstrip("/")


def switch(value: str) -> bool:
    """Return True for `1` and False for `0`, and for common synonyms of both."""
    if value.lower() not in _SWITCH:
        raise ValueError("must be 1 or 0")
    return _SWITCH[value.lower()]


# Functions that extract secrets from settings, since results must never contain them


def secret_texts(value: str) -> list[str]:
    """Return the secrets in the text of a secret setting: the text, or for the URL of a proxy or a store, its password,
    or its user name if there is no password.

    A password is returned in every form: as written, decoded, and encoded for HTTP Basic.
    """
    _, separator, rest = value.partition("://")
    if not separator:
        return [value] if len(value) >= credential_env.SHORTEST_REDACTED else []
    found_login = rest.rpartition("@")[0]
    if not found_login:
        return []
    from base64 import b64encode
    from urllib.parse import unquote

    user, _, password = found_login.partition(":")
    secret, both = password or user, f"{unquote(user)}:{unquote(password)}"
    sent = [b64encode(both.encode(encoding, "replace")).decode() for encoding in ("latin-1", "utf-8")]
    found = dict.fromkeys([secret, unquote(secret), *sent])
    return [each for each in found if len(each) >= credential_env.SHORTEST_REDACTED]


def private_key(client: tuple[str, str | None] | None) -> list[str]:
    """Return the text of the client certificate's private key, which is redacted in results.

    The key is never sent, but a file argument or a hook could read it.
    """
    if client is None:
        return []
    try:
        with open(client[1] or client[0], encoding="latin-1") as file:
            blocks = file.read(credential_env.LONGEST * 4).split("-----BEGIN ")
    except OSError:
        return []
    return [block.partition("\n")[2].partition("-----END")[0] for block in blocks if "PRIVATE KEY-" in block[:40]]
