# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Credentials: chosen by the binding, attached last.

Only the operator can set one; arguments cannot. What a document or a hook has under a credential's name, or under one
that a server may read as that name (name_conflicts.fold), gives way to it.
They are sent to the server of the binding and nowhere else, since no redirect is ever followed. A token that has to be
fetched first is named here, as a Grant, and attached when it is there (sending.py).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, assert_never
from urllib.parse import quote_plus

from ..request.name_conflicts import fold
from ..request.parameters import COOKIE, QUERY
from .credential_env import FETCHED, SHORTEST_REDACTED, ways
from .settings import NotReady

if TYPE_CHECKING:
    from ..core import table
    from ..core.table import Binding, Scheme
    from ..request.request import Request
    from .origins import Endpoint
    from .settings import Settings

Encoding = dict[str, Callable[[str], str]]
"""How a value is written where it cannot stand as it is: in the query, in a cookie, in HTTP Basic."""

Written = tuple[str, str, str]
"""A credential as requests carry it: the place (`header`, `query` or `cookie`), the name there, and the text."""

MOST_CHOSEN = 1024
"""Bindings of which is remembered what they want."""

_LOGIN = ("username", "password")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


SENT: Encoding = {"query": QUERY.value, "cookie": COOKIE.value, "basic": _base64}

_CLIENT = ("client_id", "client_secret")

_PUBLIC = frozenset(("username", "user", "login", "email", "client_id", "identifier"))
"""Roles of a login that name somebody, and are no secrets."""


def client_login(identity: str, secret: str) -> str:
    """Id and secret of an OAuth 2 client as HTTP Basic carries them (RFC 6749 section 2.3.1)."""
    return _base64(f"{quote_plus(identity)}:{quote_plus(secret)}")


class Grant:
    """What an access token is fetched with, by client credentials (RFC 6749 section 4.4) or by a `login`, and what it
    must allow. `variables` are those that it came from; `put` puts a token into a request.
    """

    __slots__ = ("client_id", "client_secret", "endpoint", "login", "put", "scopes", "variables")

    def __init__(
        self,
        endpoint: Endpoint,
        client_id: str,
        client_secret: str,
        scopes: tuple[str, ...],
        variables: list[str],
        login: Login | None = None,
        put: Callable[[Request, str], None] | None = None,
    ) -> None:
        self.login = login
        self.put = put or set_token
        self.endpoint = endpoint
        self.client_id = client_id
        self.client_secret = client_secret
        self.scopes = scopes
        self.variables = variables


class Login:
    """A request that logs in: the media type of its body, what stands in it, and where the answer holds the token and
    the seconds that it lives (JSON Pointers; `expires` may be empty).
    """

    __slots__ = ("content_type", "expires", "fields", "token")

    def __init__(self, described: table.Login, values: dict[str, str]) -> None:
        """`described` is what the table says, `values` are the values of its roles."""
        self.content_type = described["contentType"]
        self.token = described["token"]
        self.expires = described.get("expires", "")
        self.fields = {
            name: values[each["role"]] if "role" in each else each["value"]
            for name, each in described["fields"].items()
        }


class Chosen:
    """What a request is to be given. `put` attaches it; `variables` are those that it comes from, `grant` is for a
    token that has to be fetched, `scopes` are what the description asks of a token, and `offers` the ways to give a
    credential where none is given.
    """

    __slots__ = ("grant", "offers", "put", "scopes", "variables")

    def __init__(
        self,
        put: Callable[[Request], None],
        variables: list[str],
        grant: Grant | None = None,
        scopes: tuple[str, ...] = (),
        offers: tuple[str, ...] = (),
    ) -> None:
        self.put = put
        self.variables = variables
        self.grant = grant
        self.scopes = scopes
        self.offers = offers


def choose(wanted: list[list[str]] | None, security: dict[str, Scheme], secrets: dict[str, str]) -> list[Scheme]:
    """The schemes of the first alternative whose variables are all set; none where the binding asks for none.

    Raises NotReady, naming the variables, where no alternative has them all.
    """
    alternatives = [[security[name] for name in names] for names in ([[]] if wanted is None else wanted)]
    for schemes in alternatives:
        if all(filled(scheme, secrets) for scheme in schemes):
            return schemes
    found = dict.fromkeys(way for schemes in _smallest(alternatives) for way in _in_words(schemes))
    raise NotReady(f"It needs a credential: set {', or '.join(found)}, in the environment of this server.")


def _smallest(alternatives: list[list[Scheme]]) -> list[list[Scheme]]:
    """Return the alternatives that ask for no more than another does: the others name what is optional."""
    names = [{name for scheme in schemes for name in scheme["variables"].values()} for schemes in alternatives]
    return [one for one, has in zip(alternatives, names, strict=True) if not any(other < has for other in names)]


def filled(scheme: Scheme, secrets: dict[str, str]) -> bool:
    """Whether all variables of one way to fill it are set."""
    return any(secrets.keys() >= set(way) for way in _ways(scheme))


def variables(schemes: list[Scheme], secrets: dict[str, str]) -> list[str]:
    """The variables that these schemes take their values from: of the ways to fill one the first that is set, or the
    first.
    """
    chosen = ([way for way in _ways(scheme) if secrets.keys() >= set(way)] or _ways(scheme) for scheme in schemes)
    return [name for ways in chosen for name in ways[0]]


def _ways(scheme: Scheme) -> list[list[str]]:
    """The variables that fill it, once for each way to do it."""
    return [[scheme["variables"][role] for role in roles] for roles in ways(scheme)]


def _in_words(schemes: list[Scheme]) -> list[str]:
    """The ways to fill all of them."""
    each = [[" with ".join(way) for way in _ways(scheme)] for scheme in schemes]
    if len(each) == 1:
        return each[0]
    return [" with ".join(words[0] if len(words) == 1 else f"({' or '.join(words)})" for words in each)]


def fetched(scheme: Scheme, secrets: dict[str, str]) -> bool:
    """Whether its token is one to fetch: a ready one wins."""
    return scheme["type"] in FETCHED and scheme["variables"]["value"] not in secrets


def written(schemes: list[Scheme], secrets: dict[str, str], encode: Encoding = SENT) -> list[Written]:
    """The credentials of these schemes as they stand in a request, but for tokens that have to be fetched. `encode`
    other than the usual way writes what is shown and never sent.
    """
    return [_written(scheme, secrets, encode) for scheme in schemes if not fetched(scheme, secrets)]


def _written(scheme: Scheme, secrets: dict[str, str], encode: Encoding) -> Written:
    values = {part: secrets.get(name, "") for part, name in scheme["variables"].items()}
    kind = scheme["type"]
    match kind:
        case "bearer" | "oauth2":
            return _bearer(values["value"])
        case "basic":
            return "header", "Authorization", f"Basic {encode['basic'](':'.join(values[part] for part in _LOGIN))}"
        case "header":
            name, _, value = values["value"].partition(":")
            return "header", name.strip(), value.strip()
        case "login":
            return _placed(scheme, values["value"], encode) if "in" in scheme else _bearer(values["value"])
        case "apiKey" | "setting":
            return _placed(scheme, values["value"], encode)
        case _:
            assert_never(kind)


def _bearer(token: str) -> Written:
    return "header", "Authorization", f"Bearer {token}"


def _placed(scheme: Scheme, value: str, encode: Encoding) -> Written:
    """A value at the place that its scheme names."""
    place, name = scheme["in"], scheme["name"]
    match place:
        case "header":
            return place, name, value
        case "query":
            return place, QUERY.name(name), encode["query"](value)
        case "cookie":
            return place, COOKIE.name(name), encode["cookie"](value)
        case _:
            assert_never(place)


def put(request: Request, credentials: list[Written]) -> None:
    """Put them into the request, in place of anything under their names."""
    for place, name, value in credentials:
        if place == "header":
            _set_field(request, name, value)
        else:
            _set_pair(request.query if place == "query" else request.cookies, name, value)


def attach(request: Request, schemes: list[Scheme], secrets: dict[str, str], encode: Encoding = SENT) -> None:
    """Write the credentials of these schemes and put them into the request."""
    put(request, written(schemes, secrets, encode))


def set_token(request: Request, token: str) -> None:
    """Put a bearer token (RFC 6750) into the request."""
    _set_field(request, "Authorization", f"Bearer {token}")


class Keys:
    """The credentials of one server, as requests carry them. What a binding wants is found out once."""

    __slots__ = ("_chosen", "_security", "_settings")

    def __init__(self, security: dict[str, Scheme], settings: Settings) -> None:
        self._security = security
        self._settings = settings
        self._chosen: dict[int, tuple[Binding, Chosen]] = {}

    def choose(self, binding: Binding) -> Chosen:
        """What the binding wants, as far as it is there. Raises NotReady."""
        try:
            return self._chosen[id(binding)][1]
        except KeyError:
            chosen = self._choose(binding)
        if len(self._chosen) >= MOST_CHOSEN:
            self._chosen.clear()
        self._chosen[id(binding)] = binding, chosen  # which keeps the binding, and so its id
        return chosen

    def _choose(self, binding: Binding) -> Chosen:
        secrets, wanted = self._settings.secrets, binding.get("security")
        schemes = choose(wanted, self._security, secrets)
        grants = [self._grant(scheme, binding) for scheme in schemes if fetched(scheme, secrets)]
        others = [self._security[name] for names in wanted or () for name in names] if not schemes else []
        settings = [self._security[name] for name in binding.get("settings", ())]
        sent = [*schemes, *(scheme for scheme in settings if filled(scheme, secrets))]
        credentials = cache(lambda: written(sent, secrets))  # when the first request is given them, and not before
        return Chosen(
            lambda request: put(request, credentials()),
            variables(schemes, secrets),
            grants[0] if grants else None,
            tuple(dict.fromkeys(scope for scheme in schemes for scope in self._scopes(scheme, binding))),
            tuple(dict.fromkeys(way for scheme in others for way in _in_words([scheme]))),
        )

    def _grant(self, scheme: Scheme, binding: Binding) -> Grant:
        if scheme["type"] == "login":
            return self._login(scheme, binding)
        names = [scheme["variables"][role] for role in _CLIENT]
        identity, secret = (self._settings.secrets[each] for each in names)
        endpoint = self._settings.endpoint(self._name(scheme))
        return Grant(endpoint, identity, secret, self._scopes(scheme, binding), names)

    def _login(self, scheme: Scheme, binding: Binding) -> Grant:
        values = {role: self._settings.secrets.get(name, "") for role, name in scheme["variables"].items()}
        names = [scheme["variables"][role] for role in ways(scheme)[1]]
        own = scheme["variables"]["value"]

        def put_token(request: Request, token: str) -> None:
            put(request, [_written(scheme, {own: token}, SENT)])

        scopes, endpoint = self._scopes(scheme, binding), self._settings.endpoint(self._name(scheme))
        return Grant(endpoint, "", "", scopes, names, Login(scheme["login"], values), put_token)

    def _scopes(self, scheme: Scheme, binding: Binding) -> tuple[str, ...]:
        return tuple(binding.get("scopes", {}).get(self._name(scheme), ()))

    def _name(self, scheme: Scheme) -> str:
        return next(name for name, each in self._security.items() if each is scheme)


def sensitive(security: dict[str, Scheme], settings: Settings) -> list[str]:
    """The texts that must not leave the process but for the upstream: the secrets, and what is made of them."""
    found, secrets = [*settings.private], settings.secrets
    for scheme in security.values():
        values = {part: secrets.get(name, "") for part, name in scheme["variables"].items()}
        kind = scheme["type"]
        match kind:
            case "basic":
                found += [values["password"] or values["username"], _base64(":".join(values[part] for part in _LOGIN))]
            case "login":
                kept = set(values) - {*_PUBLIC, "token_url"}
                found += [text for role in sorted(kept) for text in (values[role], quote_plus(values[role]))]
            case "oauth2":
                identity, secret = (values[role] for role in _CLIENT)
                found += [values["value"], secret, client_login(identity, secret) if secret else ""]
            case "setting":
                continue  # no secret: results may show it
            case "header":
                value = values["value"].partition(":")[2].strip()
                found += [value, value.rpartition(" ")[2]]
            case "apiKey" | "bearer":
                encode = SENT.get(scheme.get("in", ""), str)  # as it is sent, since it may come back so
                found += [values["value"], encode(values["value"])]
            case _:
                assert_never(kind)
    return [each for each in dict.fromkeys(found) if len(each) >= SHORTEST_REDACTED]


def _set_field(request: Request, name: str, value: str) -> None:
    if request.headers:
        known = fold(name)
        request.headers = [field for field in request.headers if fold(field[0]) != known]
    request.headers.append((name, value))


def _set_pair(pairs: list[str], name: str, value: str) -> None:
    known = fold(name)
    pairs[:] = [*(pair for pair in pairs if fold(pair.partition("=")[0]) != known), f"{name}={value}"]
