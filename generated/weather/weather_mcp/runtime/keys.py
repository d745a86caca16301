# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The credential variables: read from the environment and checked before anything is sent.

A value that HTTP cannot carry is refused here, by the name of its variable: later, the HTTP library's complaint would
print the value.
"""

from __future__ import annotations

from . import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGEST = 32 * 1024
"""In characters. A token with many claims has some thousands; servers refuse headers long before this."""

SHORTEST_REDACTED = 6
"""Shorter ones are left in results: replacing every `ab` would ruin these and hide nothing."""


def read(
    security: dict[str, dict[str, Any]], environ: Mapping[str, str]
) -> tuple[dict[str, str], list[str], list[str]]:
    """The variables that are set with their values, what is wrong, and what is odd; both as sentences."""
    secrets: dict[str, str] = {}
    problems: list[str] = []
    oddities: list[str] = []
    for scheme in security.values():
        for part, name in scheme["variables"].items():
            value = environ.get(name)
            # An empty password is one, where the user name is a key. Anything else that is empty is not set.
            if value is None or (value == "" and part != "password"):
                continue
            secret = _tidied(name, value, scheme["type"], oddities)
            try:
                _check(secret, scheme["type"], part)
            except ValueError as reason:
                problems.append(f"{name} {reason}.")
                continue
            secrets[name] = secret
            if part != "username" and 0 < len(secret) < SHORTEST_REDACTED:
                oddities.append(f"{name} is so short that results which repeat it will show it.")
    return secrets, problems, oddities


def _tidied(name: str, value: str, kind: str, oddities: list[str]) -> str:
    """Without what copying brings along."""
    secret = value.rstrip("\r\n")
    if secret != value:
        oddities.append(f"{name} ends with a line break; it was taken off.")
    if kind == "bearer" and secret[:7].lower() == "bearer ":
        secret = secret[7:]
        oddities.append(f"{name} begins with the word Bearer; it was taken off.")
    return secret


def _check(secret: str, kind: str, part: str) -> None:
    """Raises ValueError with the rest of a sentence about the variable."""
    if len(secret) > LONGEST:
        raise ValueError(f"must be at most {LONGEST} characters long")
    if kind == "basic":
        # Base64 carries any character; RFC 7617 excludes controls, and a colon ends the user name. Bytes of the
        # environment that are not UTF-8 arrive as lone surrogates, which are not printable either.
        if not secret.isprintable() or (part == "username" and ":" in secret):
            raise ValueError("must be printable text" + (" without a colon" if part == "username" else ""))
    elif not secret or not fields.is_value(secret):
        raise ValueError("must be visible ASCII characters without blanks at the ends")
    if kind == "header":
        name, colon, value = secret.partition(":")
        if not colon or not fields.is_name(name.strip()) or not value:
            raise ValueError("must be written as `Name: value`, the name being none of HTTP's own")
