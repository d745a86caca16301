# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read credentials from environment variables, or from the files that `<VARIABLE>_FILE` variables name.

Container platforms provide secrets as such files. `<VARIABLE>_COMMAND` names a command that prints the value. Values
are checked before anything is sent. A value that HTTP cannot transmit is refused here, with a message that only names
the variable. Otherwise the HTTP library would show the value in an error message.
"""

from __future__ import annotations

import codecs
import os

from ..text import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..tables.table import Scheme

LONGEST = 32 * 1024
"""Maximum length of a credential in characters.

A token with many claims has some thousands of characters, and servers refuse longer headers.
"""

_MOST_READ = 4 * (LONGEST + 3)
"""Bytes that are read of a file with a credential: characters have at most four, and a line break may end the file."""

CLIENT = ("client_id", "client_secret")
"""Roles of the OAuth client with which a user can log in to a scheme.

They do not supply the scheme's credential alone.
"""

SOURCES = ("_FILE", "_COMMAND")
"""Endings of the variables that name a file with a secret, or a command that prints the secret."""

_PLACEHOLDERS = ("op://", "your")
"""How placeholders begin that have no sign of a template."""

SHORTEST_REDACTED = 6
"""Minimum length in characters of a credential that is redacted.

Replacing every `ab` would ruin results and hide nothing.
"""


class Placeholder(ValueError):
    """Raised for a value that the program that starts this server should have replaced. It is never sent."""


def read(security: dict[str, Scheme], environ: Mapping[str, str]) -> tuple[dict[str, str], list[str], list[str]]:
    """Read all credential variables.

    Return the values of the variables that are set, by name. Also return problems and warnings, as sentences for the
    operator.
    """
    secrets: dict[str, str] = {}
    problems: list[str] = []
    oddities: list[str] = []
    for scheme in security.values():
        for part, name in variables(scheme):
            try:
                value, source = value_of(name, environ)
                # An empty password counts as set, since some APIs expect their API key as the user name and no
                # password. Other empty variables count as unset.
                if value is None or (value == "" and part != "password"):
                    continue
                secret = _tidied(source, value, scheme.get("word", "") if part == "value" else "", oddities)
                _check(secret, source, scheme, part)
            except Placeholder as unset:  # some clients pass on the placeholder of a variable that is not set
                oddities.append(str(unset))
                continue
            except ValueError as problem:
                problems.append(str(problem))
                continue
            secrets[name] = secret
            if part in scheme["secret"] and 0 < len(secret) < SHORTEST_REDACTED:
                oddities.append(f"{name} is so short that results which repeat it will show it.")
    return secrets, problems, oddities


def ways(scheme: Scheme) -> list[list[str]]:
    """Return the sets of roles (such as user name and password) that can supply the scheme's credential. A set needs
    all its roles.
    """
    found = scheme["ways"]
    return [found["given"], *([found["fetched"]] if "fetched" in found else [])]


def variables(scheme: Scheme) -> list[tuple[str, str]]:
    """Return role (such as `client_id`) and name of each environment variable for the credential of a scheme."""
    roles = [*scheme["variables"]] if "signing" in scheme else [role for each in ways(scheme) for role in each]
    if "user" in scheme:
        roles += [role for role in CLIENT if role not in roles]
    return [(role, scheme["variables"][role]) for role in roles]


def named(ending: str, security: dict[str, Scheme], environ: Mapping[str, str]) -> dict[str, str]:
    """Return variable -> path or command, for the variables of credentials with an ending of `SOURCES` that are set."""
    names = [f"{name}{ending}" for scheme in security.values() for _, name in variables(scheme)]
    return {name: value for name in names if (value := environ.get(name, "").strip())}


def source(name: str, environ: Mapping[str, str]) -> str:
    """Return the variable that says where the value of the variable `name` comes from; "" if none is set."""
    return next((name + ending for ending in SOURCES if environ.get(name + ending, "").strip()), "")


def value_of(name: str, environ: Mapping[str, str]) -> tuple[str | None, str]:
    """Return the value of the environment variable `name`, or what the file or the command has that the variable
    `<name>_FILE` or `<name>_COMMAND` names. Also return the name of the variable used.

    The value is None if none of them is set. Raise ValueError with a sentence for the operator if two are set, or if
    the file or the command is unusable. Raise Placeholder if the value is one.
    """
    from_file, command = (environ.get(name + ending, "").strip() for ending in SOURCES)
    variable = source(name, environ)
    if not variable:
        return _replaced(environ.get(name), name), name
    if environ.get(name) or (from_file and command):
        other = name if environ.get(name) else name + SOURCES[1]
        raise ValueError(f"{other} and {variable} are both set; one of them must go.")
    if command:
        from ..reach.secret_commands import output  # imported late: few secrets come from commands

        return output(command, variable), variable
    value = content(from_file, variable).removesuffix("\n").removesuffix("\r")
    if not value:
        raise ValueError(f"{variable} names a file that is empty.")
    return value, variable


def _replaced(value: str | None, variable: str) -> str | None:
    """Return the value. Raise Placeholder with a sentence for the operator if it is one, such as `${TOKEN}`."""
    if not value or not (any(each in value for each in "$%{<") or value[:5].lower().startswith(_PLACEHOLDERS)):
        return value
    from .mistaken_variables import form  # imported late: few values look like placeholders

    if not (found := form(value)):
        return value
    raise Placeholder(
        f"{variable} holds a placeholder of the form {found}, which the program that starts this server did not"
        f" replace. Set the value itself; if it only looks like a placeholder, name its file in {variable}_FILE."
    )


def content(path: str, variable: str) -> str:
    """Return the text of a file, or only its beginning if the text is too long for a credential.

    Raise ValueError with a sentence for the operator if the file cannot be read.
    """
    try:
        # Open without blocking: a pipe without a writer must not delay the start.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            content = os.read(descriptor, _MOST_READ)
        finally:
            os.close(descriptor)
        # If the file may have more bytes than were read, ignore the bytes of a last character that is cut off.
        return codecs.utf_8_decode(content, "strict", len(content) < _MOST_READ)[0]
    except UnicodeDecodeError:
        raise ValueError(f"{variable} must name a file of text in UTF-8.") from None
    except (OSError, ValueError):
        raise ValueError(f"{variable} must name a file that can be read.") from None


def bare(credential: str, word: str) -> str:
    """Return a credential without `word`, such as Bearer, which operators and gateways write before it, too."""
    front = f"{word} ".lower()
    return credential[len(front) :].lstrip() if credential[: len(front)].lower() == front else credential


def _tidied(name: str, value: str, word: str, oddities: list[str]) -> str:
    """Return the value without what was copied by mistake: a line break at the end, or `word` before it.

    Add a warning to `oddities` for each removal.
    """
    secret = value.rstrip("\r\n")
    if secret != value:
        oddities.append(f"{name} ends with a line break; it was taken off.")
    if word and (token := bare(secret, word)) != secret:
        secret = token
        oddities.append(f"{name} begins with the word {word}; it was taken off.")
    return secret


def _check(secret: str, variable: str, scheme: Scheme, part: str) -> None:
    """Raise ValueError, with a sentence that names the variable, if HTTP cannot transmit the secret."""
    wrong = _wrong(secret, scheme, part)
    if not wrong and part == "value" and scheme["in"] == "cookie" and not fields.is_cookie_value(secret):
        wrong = "must be a cookie's value as it is sent, without blanks, commas, quotes, semicolons and backslashes"
    if wrong:
        raise ValueError(f"{variable} {wrong}.")


def _wrong(secret: str, scheme: Scheme, part: str) -> str:
    """Return why HTTP cannot transmit the secret, such as "must be printable text", or ""."""
    if len(secret) > LONGEST:
        return f"must be at most {LONGEST} characters long"
    if "login" in scheme and part != "value":
        return "" if secret.isprintable() else "must be printable text"
    if part.startswith("client_"):
        return "" if secret.isprintable() and secret.isascii() else "must be printable ASCII characters"
    if "base64" in scheme or part in ("username", "password"):
        # Any character fits, except control characters, and a colon in any part but the last (RFC 7617). `isprintable`
        # also refuses environment bytes that are not UTF-8, which Python reads as lone surrogates.
        is_last = part == scheme["ways"]["given"][-1]
        if not secret.isprintable() or (not is_last and ":" in secret):
            return "must be printable text" + ("" if is_last else " without a colon")
    elif not secret or not fields.is_value(secret):
        return "must be visible ASCII characters without blanks at the ends"
    if "name" not in scheme:
        name, colon, value = secret.partition(":")
        if not colon or not fields.is_name(name.strip()) or not value:
            return "must be written as `Name: value`, the name being none of HTTP's own"
    return ""


def variable_of_rights(scheme: Scheme) -> str:
    """Return the variable `<SCHEME>_AS`, which selects the server's or the caller's rights; "" if this scheme offers no
    choice.
    """
    value = scheme["variables"].get("value", "")
    return f"{value}_AS" if value and "name" in scheme and scheme["secret"] else ""
