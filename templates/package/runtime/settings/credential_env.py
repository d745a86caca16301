# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The credential variables: read from the environment and checked before anything is sent. Each may also come from a
file, as container platforms hand them over: `<VARIABLE>_FILE` names it.

A value that HTTP cannot carry is refused here, by the name of its variable: later, the HTTP library's complaint would
print the value.
"""

from __future__ import annotations

import os

from ..text import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.table import Scheme, SchemeKind

LONGEST = 32 * 1024
"""In characters. A token with many claims has some thousands; servers refuse headers long before this."""

ROLES: dict[SchemeKind, tuple[tuple[str, ...], ...]] = {
    "apiKey": (("value",),),
    "bearer": (("value",),),
    "header": (("value",),),
    "basic": (("username", "password"),),
    "oauth2": (("value",), ("client_id", "client_secret")),
    "setting": (("value",),),
}
"""The ways to fill a scheme of each type: the roles that are needed together."""

FETCHED = ("oauth2", "login")
"""The types of schemes whose token the server can fetch."""

SHORTEST_REDACTED = 6
"""Shorter ones are left in results: replacing every `ab` would ruin these and hide nothing."""

_NAMES = ("username", "client_id")
"""Roles that are no secrets."""


def read(security: dict[str, Scheme], environ: Mapping[str, str]) -> tuple[dict[str, str], list[str], list[str]]:
    """The variables that are set with their values, what is wrong, and what is odd; both as sentences."""
    secrets: dict[str, str] = {}
    problems: list[str] = []
    oddities: list[str] = []
    for scheme in security.values():
        for part, name in variables(scheme):
            try:
                value, source = value_of(name, environ)
                # An empty password is one, where the user name is a key. Anything else that is empty is not set.
                if value is None or (value == "" and part != "password"):
                    continue
                secret = _tidied(source, value, scheme["type"], oddities)
                _check(secret, source, scheme["type"], part)
            except ValueError as problem:
                problems.append(str(problem))
                continue
            secrets[name] = secret
            if part not in _NAMES and scheme["type"] != "setting" and 0 < len(secret) < SHORTEST_REDACTED:
                oddities.append(f"{name} is so short that results which repeat it will show it.")
    return secrets, problems, oddities


def ways(scheme: Scheme) -> tuple[tuple[str, ...], ...]:
    """Return the ways to fill a scheme: the roles that are needed together. A login says itself what it takes."""
    if scheme["type"] == "login":
        needed = dict.fromkeys(each["role"] for each in scheme["login"]["fields"].values() if "role" in each)
        return (("value",), tuple(needed))
    return ROLES[scheme["type"]]


def variables(scheme: Scheme) -> list[tuple[str, str]]:
    """Role and name of each variable that holds a credential."""
    return [(role, scheme["variables"][role]) for roles in ways(scheme) for role in roles]


def value_of(name: str, environ: Mapping[str, str]) -> tuple[str | None, str]:
    """The value of a variable, or of the file that is named in its place, and the variable that it came from. Raises
    ValueError with a sentence.
    """
    from_file = f"{name}_FILE"
    path = environ.get(from_file, "").strip()
    if not path:
        return environ.get(name), name
    if environ.get(name):
        raise ValueError(f"{name} and {from_file} are both set; one of them must go.")
    value = _content(path, from_file).removesuffix("\n").removesuffix("\r")
    if not value:
        raise ValueError(f"{from_file} names a file that is empty.")
    return value, from_file


def _content(path: str, variable: str) -> str:
    """The text of a regular file, as far as a credential can be long. Raises ValueError with a sentence."""
    try:
        # Without waiting: a pipe that nobody writes to must not hold up the start.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            content = os.read(descriptor, 4 * LONGEST + 3)
        finally:
            os.close(descriptor)
        return content.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{variable} must name a file of text in UTF-8.") from None
    except (OSError, ValueError):
        raise ValueError(f"{variable} must name a file that can be read.") from None


def _tidied(name: str, value: str, kind: str, oddities: list[str]) -> str:
    """Without what copying brings along."""
    secret = value.rstrip("\r\n")
    if secret != value:
        oddities.append(f"{name} ends with a line break; it was taken off.")
    if kind == "bearer" and secret[:7].lower() == "bearer ":
        secret = secret[7:]
        oddities.append(f"{name} begins with the word Bearer; it was taken off.")
    return secret


def _check(secret: str, variable: str, kind: str, part: str) -> None:
    """Raises ValueError with a sentence about the variable that the secret came from."""
    if wrong := _wrong(secret, kind, part):
        raise ValueError(f"{variable} {wrong}.")


def _wrong(secret: str, kind: str, part: str) -> str:
    """What HTTP cannot carry of it, as the rest of a sentence; "" where it can carry it."""
    if len(secret) > LONGEST:
        return f"must be at most {LONGEST} characters long"
    if kind == "login" and part != "value":
        return "" if secret.isprintable() else "must be printable text"
    if part.startswith("client_"):
        return "" if secret.isprintable() and secret.isascii() else "must be printable ASCII characters"
    if kind == "basic":
        # Base64 carries any character; RFC 7617 excludes controls, and a colon ends the user name. Bytes of the
        # environment that are not UTF-8 arrive as lone surrogates, which are not printable either.
        if not secret.isprintable() or (part == "username" and ":" in secret):
            return "must be printable text" + (" without a colon" if part == "username" else "")
    elif not secret or not fields.is_value(secret):
        return "must be visible ASCII characters without blanks at the ends"
    if kind == "header":
        name, colon, value = secret.partition(":")
        if not colon or not fields.is_name(name.strip()) or not value:
            return "must be written as `Name: value`, the name being none of HTTP's own"
    return ""
