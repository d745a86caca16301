# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Credentials: chosen by the binding, attached last.

Only the operator can set one; arguments cannot, and what a document declares under a credential's name gives way to it.
They are sent to the server of the binding and nowhere else, since no redirect is ever followed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from .keys import SHORTEST_REDACTED
from .parameters import COOKIE, QUERY
from .settings import NotReady

if TYPE_CHECKING:
    from .request import Request

Scheme = dict[str, Any]


Encoding = dict[str, Callable[[str], str]]
"""How a value is written where it cannot stand as it is: in the query, in a cookie, in HTTP Basic."""

_LOGIN = ("username", "password")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


SENT: Encoding = {"query": QUERY.value, "cookie": COOKIE.value, "basic": _base64}


def choose(wanted: list[list[str]] | None, security: dict[str, Scheme], secrets: dict[str, str]) -> list[Scheme]:
    """The schemes of the first alternative whose variables are all set; none where the binding asks for none.

    Raises NotReady, naming the variables, where no alternative has them all.
    """
    alternatives = [[security[name] for name in names] for names in ([[]] if wanted is None else wanted)]
    for schemes in alternatives:
        if all(name in secrets for name in variables(schemes)):
            return schemes
    ways = dict.fromkeys(" with ".join(variables(schemes)) for schemes in alternatives)
    raise NotReady(f"It needs a credential: set {', or '.join(ways)}, in the environment of this server.")


def variables(schemes: list[Scheme]) -> list[str]:
    """The variables that these schemes take their values from."""
    return [name for scheme in schemes for name in scheme["variables"].values()]


def attach(request: Request, schemes: list[Scheme], secrets: dict[str, str], encode: Encoding | None = None) -> None:
    """Put the credentials of these schemes into the request, in place of anything under their names. `encode` other
    than the usual way writes what is shown and never sent.
    """
    encode = encode or SENT
    for scheme in schemes:
        values = {part: secrets[name] for part, name in scheme["variables"].items()}
        kind, place = scheme["type"], scheme.get("in")
        if kind == "bearer":
            _set_field(request, "Authorization", f"Bearer {values['value']}")
        elif kind == "basic":
            _set_field(request, "Authorization", f"Basic {encode['basic'](':'.join(values[part] for part in _LOGIN))}")
        elif kind == "header":
            name, _, value = values["value"].partition(":")
            _set_field(request, name.strip(), value.strip())
        elif place == "header":
            _set_field(request, scheme["name"], values["value"])
        elif place == "query":
            _set_pair(request.query, QUERY.name(scheme["name"]), encode["query"](values["value"]))
        else:
            _set_pair(request.cookies, COOKIE.name(scheme["name"]), encode["cookie"](values["value"]))


class Keys:
    """The credentials of one server, as requests carry them."""

    __slots__ = ("_secrets", "_security")

    def __init__(self, security: dict[str, Scheme], secrets: dict[str, str]) -> None:
        self._security = security
        self._secrets = secrets

    def attach(self, request: Request, wanted: list[list[str]] | None) -> list[str]:
        """Attach what the binding wants; the variables that it came from. Raises NotReady."""
        schemes = choose(wanted, self._security, self._secrets)
        attach(request, schemes, self._secrets)
        return variables(schemes)


def sensitive(security: dict[str, Scheme], secrets: dict[str, str]) -> list[str]:
    """The texts that must not leave the process but for the upstream: the secrets, and what is made of them."""
    found = []
    for scheme in security.values():
        values = {part: secrets.get(name, "") for part, name in scheme["variables"].items()}
        if scheme["type"] == "basic":
            found += [values["password"] or values["username"], _base64(":".join(values[part] for part in _LOGIN))]
        elif scheme["type"] == "header":
            value = values["value"].partition(":")[2].strip()
            found += [value, value.rpartition(" ")[2]]
        else:
            found.append(values["value"])
    return [each for each in found if len(each) >= SHORTEST_REDACTED]


def _set_field(request: Request, name: str, value: str) -> None:
    request.headers = [field for field in request.headers if field[0].lower() != name.lower()] + [(name, value)]


def _set_pair(pairs: list[str], name: str, value: str) -> None:
    pairs[:] = [pair for pair in pairs if unquote(pair.partition("=")[0]) != unquote(name)] + [f"{name}={value}"]
