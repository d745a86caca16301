# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Choose the credentials that a tool requires (`bindings.json`), and attach them to the request as the last step.

Only the operator sets credentials; arguments cannot. A parameter that the API description or a hook adds to the request
is dropped if a server could read its name as that of a credential (`folded_names.fold`). Credentials are sent only to
the tool's API server, not after a redirect to another origin. If a token must be fetched, a TokenRequest says how.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, assert_never
from urllib.parse import quote_plus

from ..request.parameters import COOKIE, QUERY
from ..text import fields
from ..text.folded_names import fold
from .credential_env import SHORTEST_REDACTED, bare, ways
from .settings import LoginNeeded, NotReady

if TYPE_CHECKING:
    from collections.abc import Awaitable, Collection
    from typing import Any, Protocol, TypeAlias

    from ..delegation.delegation_settings import CallerCredential
    from ..oauth.login_request import Login
    from ..request.request import Request
    from ..tables.table import Binding, Scheme
    from .origins import Endpoint
    from .settings import Settings

    Send: TypeAlias = Callable[[Request, Any], Awaitable[Any]]

    class UserTokens(Protocol):
        """Interface of the source of access tokens that uses a user's login (login.renewal.Renewal)."""

        async def token(self, send: Send) -> dict[str, Any]:
            """Return a token response (RFC 6749, section 5.1).

            Raise LoginNeeded if the user must log in, and NotReady if no token can be obtained now.
            """

    class Logins(Protocol):
        """Interface of the stored logins of this server's user (login.logins.Logins)."""

        async def look(self, scheme: str) -> None:
            """Find out whether a login of the scheme is stored; `has` then returns the result."""

        def has(self, scheme: str) -> bool:
            """Return True if `look` has found a stored login of the scheme, or the user has logged in during a call."""

        def command(self, scheme: str) -> str:
            """Return the command that logs a user in for a scheme."""

        def grant(self, name: str) -> TokenRequest:
            """Return the token request that uses the stored login of the scheme `name`."""


class TokenRequest:
    """Data for fetching an access token with the given `scopes`, in one of three ways.

    - `user`: object that gets the token by a user's stored login, or None.
    - `login`: request whose response contains the token, or None.
    - Without both, the token is fetched by client credentials (RFC 6749 section 4.4).

    `variables` are the environment variables of the credentials. `put(request, token)` attaches the token to a request.
    """

    __slots__ = ("client_id", "client_secret", "endpoint", "login", "put", "scopes", "user", "variables")

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
        self.user: UserTokens | None = None
        self.put = put or set_token
        self.endpoint = endpoint
        self.client_id = client_id
        self.client_secret = client_secret
        self.scopes = scopes
        self.variables = variables


def set_token(request: Request, token: str) -> None:
    """Attach a bearer token (RFC 6750) to the request."""
    request.set_field("Authorization", f"Bearer {token}")


def set_pair(pairs: list[str], name: str, value: str) -> None:
    """Set a pair `name=value` of a query or of cookies, replacing pairs of the same name."""
    known = fold(name)
    pairs[:] = [*(pair for pair in pairs if fold(pair.partition("=")[0]) != known), f"{name}={value}"]


Encoding = dict[str, Callable[[str], str]]
"""Functions that encode a credential, by the keys `query` and `base64`."""

Written = tuple[str, str, str]
"""A credential as it is sent: its place (`header`, `query` or `cookie`), its name, and its encoded value."""

MOST_CHOSEN = 1024
"""Maximum number of bindings whose chosen credentials are cached."""


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


SENT: Encoding = {"query": QUERY.value, "base64": _base64}


def client_login(identity: str, secret: str) -> str:
    """Return an OAuth 2 client id and secret, encoded for the Authorization header (RFC 6749 section 2.3.1)."""
    return _base64(f"{quote_plus(identity)}:{quote_plus(secret)}")


class SelectedCredentials:
    """Credentials selected for one tool. `put(request)` attaches the credentials to a request.

    - `variables`: environment variables that hold the credentials. `grant`: request for a token to fetch, or None.
    - `own`: how to get the caller's credential; None if the API is called with the server's own credentials.
    - `scopes`: scopes that the API requires. `offers`: if no credentials are sent, variables that could supply some.
    """

    __slots__ = ("grant", "offers", "own", "put", "scopes", "variables")

    def __init__(
        self,
        put: Callable[[Request], None],
        variables: list[str],
        grant: TokenRequest | None = None,
        scopes: tuple[str, ...] = (),
        offers: tuple[str, ...] = (),
        own: CallerCredential | None = None,
    ) -> None:
        self.own = own
        self.put = put
        self.variables = variables
        self.grant = grant
        self.scopes = scopes
        self.offers = offers


def choose(
    wanted: list[list[str]] | None,
    security: dict[str, Scheme],
    secrets: dict[str, str],
    logins: Logins | None = None,
    delegated: Collection[str] = (),
) -> list[Scheme]:
    """Return the security schemes of the first alternative in `wanted` whose environment variables are all set.

    If that alternative is [], which needs no credentials, an earlier one that a stored login completes is returned
    instead. If some alternatives contain a scheme in `delegated`, whose credential is the caller's, all others are
    ignored, since the server's own rights may be wider. Variables of schemes in `delegated` need not be set.
    If no alternative is complete, raise LoginNeeded if a login would complete one; else NotReady, naming the variables.
    """
    names = [[]] if wanted is None else wanted
    if callers := [each for each in names if not set(each).isdisjoint(delegated)]:
        return _delegated(callers, security, secrets, delegated)
    alternatives = [[security[name] for name in each] for each in names]
    first = next((at for at, each in enumerate(alternatives) if all(filled(one, secrets) for one in each)), None)
    if first is not None and (alternatives[first] or logins is None):
        return alternatives[first]
    if logins is not None:
        for each in names[:first]:
            if all(filled(security[name], secrets) or logins.has(name) for name in each):
                return [security[name] for name in each]
        if first is not None:
            return []
    found = dict.fromkeys(way for schemes in _smallest(alternatives) for way in _in_words(schemes))
    set_them = f"set {', or '.join(found)}, in the environment of this server."
    name = _by_login(names, security, secrets)
    if logins is None or not name:
        raise NotReady(f"It needs a credential: {set_them}")
    raise LoginNeeded(
        f"It needs a login: run `{logins.command(name)}` on the machine of this server, or {set_them}", name
    )


def _delegated(
    offered: list[list[str]], security: dict[str, Scheme], secrets: dict[str, str], delegated: Collection[str]
) -> list[Scheme]:
    """Return the schemes of the first security requirement in `offered` whose variables are all set. Schemes in
    `delegated` need none: callers supply their credentials. Raise NotReady, naming variables, if none is complete.
    """
    for names in offered:
        if all(name in delegated or filled(security[name], secrets) for name in names):
            return [security[name] for name in names]
    others = [[security[name] for name in names if name not in delegated] for names in offered]
    found = dict.fromkeys(way for schemes in _smallest(others) for way in _in_words(schemes))
    raise NotReady(f"It needs a credential: set {', or '.join(found)}, in the environment of this server.")


def _by_login(names: list[list[str]], security: dict[str, Scheme], secrets: dict[str, str]) -> str:
    """Return the first scheme for which a user's login would complete an alternative (a list of schemes), or ""."""
    for each in names:
        lacking = [name for name in each if not filled(security[name], secrets)]
        if len(lacking) == 1 and "user" in security[lacking[0]]:
            return lacking[0]
    return ""


def _smallest(alternatives: list[list[Scheme]]) -> list[list[Scheme]]:
    """Return the alternatives, except for those whose variables are a proper superset of another one's variables."""
    names = [{name for scheme in schemes for name in scheme["variables"].values()} for schemes in alternatives]
    return [one for one, has in zip(alternatives, names, strict=True) if not any(other < has for other in names)]


def filled(scheme: Scheme, secrets: dict[str, str]) -> bool:
    """Return True if all variables of one of the sets that can supply the scheme's credential are set."""
    return any(secrets.keys() >= set(way) for way in _ways(scheme))


def variables(schemes: list[Scheme], secrets: dict[str, str]) -> list[str]:
    """Return each scheme's environment variables: its first set whose variables all have values, else its first set."""
    chosen = ([way for way in _ways(scheme) if secrets.keys() >= set(way)] or _ways(scheme) for scheme in schemes)
    return [name for ways in chosen for name in ways[0]]


def _ways(scheme: Scheme) -> list[list[str]]:
    """Return the sets of environment variables that can supply the scheme's credential."""
    return [[scheme["variables"][role] for role in roles] for roles in ways(scheme)]


def _in_words(schemes: list[Scheme]) -> list[str]:
    """Return phrases for a message, one for each way to set the variables of all these schemes."""
    each = [[" with ".join(way) for way in _ways(scheme)] for scheme in schemes]
    if len(each) == 1:
        return each[0]
    return [" with ".join(words[0] if len(words) == 1 else f"({' or '.join(words)})" for words in each)]


def fetched(scheme: Scheme, secrets: dict[str, str]) -> bool:
    """Return True if the scheme's token must be fetched. A token that is set in the environment is used instead."""
    return len(scheme["ways"]) > 1 and scheme["variables"]["value"] not in secrets


def written(schemes: list[Scheme], secrets: dict[str, str], encode: Encoding = SENT) -> list[Written]:
    """Return the credentials of these schemes as they are sent, without tokens that must be fetched.

    `encode`: functions that encode credentials, for sending by default. Callers that only display them give others.
    """
    return [_written(scheme, secrets, encode) for scheme in schemes if not fetched(scheme, secrets)]


def _written(scheme: Scheme, secrets: dict[str, str], encode: Encoding) -> Written:
    """Return the given credential of a scheme as place, name and encoded value."""
    text = _text(scheme, secrets, encode)
    if "name" not in scheme:
        name, _, value = text.partition(":")
        return scheme["in"], name.strip(), value.strip()
    if word := scheme.get("word"):
        text = f"{word} {bare(text, word)}"
    place, name = scheme["in"], scheme["name"]
    match place:
        case "header":
            return place, name, text
        case "query":
            return place, QUERY.name(name), encode["query"](text)
        case "cookie":
            return place, COOKIE.name(name), text  # a session's cookie must come back byte by byte
        case _:
            assert_never(place)


def _text(scheme: Scheme, secrets: dict[str, str], encode: Encoding) -> str:
    """Return the text of a given credential, without the word before it."""
    text = ":".join(secrets.get(scheme["variables"][role], "") for role in scheme["ways"]["given"])
    return encode["base64"](text) if "base64" in scheme else text


def put(request: Request, credentials: list[Written]) -> None:
    """Attach the credentials to the request. Header fields and parameters of the same name are replaced."""
    for place, name, value in credentials:
        if place == "header":
            request.set_field(name, value)
        else:
            set_pair(request.query if place == "query" else request.cookies, name, value)


def constant(settings: Settings, binding: Binding) -> tuple[Written, ...]:
    """Return the operator's constant header fields for requests of a tool."""
    if not (found := (*settings["HEADERS"], *settings["HEADERS_FILE"])):
        return ()
    from ..reach.constant_headers import is_at_home  # imported late: few operators set header fields

    return found if is_at_home(settings.server, binding) else ()


def _put_fetched(scheme: Scheme) -> Callable[[Request, str], None]:
    """Return a function that attaches a credential of `scheme` that came from a server or a gateway to a request."""

    def put_value(request: Request, value: str) -> None:
        if scheme["in"] == "cookie" and not fields.is_cookie_value(value):
            raise NotReady("The credential that was fetched for this call cannot be the value of a cookie.")
        put(request, [_written(scheme, {scheme["variables"]["value"]: value}, SENT)])

    return put_value


class ServerCredentials:
    """Credentials with which this MCP server calls the API. The credentials selected for each tool are cached."""

    __slots__ = ("_chosen", "_logins", "_security", "_settings", "_turn")

    def __init__(self, security: dict[str, Scheme], settings: Settings, logins: Logins | None = None) -> None:
        """Create the credentials. `logins`: stored logins, or None if no scheme lets a user log in."""
        self._security = security
        self._settings = settings
        self._logins = logins
        self._chosen: dict[int, tuple[Binding, SelectedCredentials]] = {}
        self._turn = 0

    async def look(self, binding: Binding) -> None:
        """Find out which stored logins the tool could use, unless the environment already has credentials for it."""
        if self._logins is None or id(binding) in self._chosen:
            return
        for names in binding.get("security") or ():
            if names and all(filled(self._security[name], self._settings.secrets) for name in names):
                return
        for name in self._users(binding):
            await self._logins.look(name)

    def _users(self, binding: Binding) -> list[str]:
        """Return the names of the tool's security schemes for which a user can log in."""
        named = dict.fromkeys(name for names in binding.get("security") or () for name in names)
        return [name for name in named if "user" in self._security[name]]

    def choose(self, binding: Binding) -> SelectedCredentials:
        """Return the credentials that the tool needs. Raise NotReady if no alternative has all its variables set."""
        if (rotation := self._settings.rotation) is not None and rotation.turn() != self._turn:
            self._turn = rotation.turn()
            self._chosen.clear()
        try:
            return self._chosen[id(binding)][1]
        except KeyError:
            chosen = self._choose(binding)
        if self._logins is not None and not chosen.variables and self._users(binding):
            return chosen  # not cached: after a login of the user, other credentials may be chosen
        if len(self._chosen) >= MOST_CHOSEN:
            self._chosen.clear()
        self._chosen[id(binding)] = binding, chosen  # hold `binding`, so that its id() is not reused
        return chosen

    def _choose(self, binding: Binding) -> SelectedCredentials:
        secrets, wanted = self._settings.secrets, binding.get("security")
        delegations = self._settings.delegations
        schemes = choose(wanted, self._security, secrets, self._logins, delegations)
        delegated = [scheme for scheme in schemes if delegations and self._name(scheme) in delegations]
        if delegated:
            schemes = [scheme for scheme in schemes if scheme not in delegated]
        grants = [self._grant(scheme, binding) for scheme in schemes if fetched(scheme, secrets)]
        asking = [scheme for scheme in delegated if delegations[self._name(scheme)].way != "header"]
        if delegated and (grants or len(asking) > 1):
            raise NotReady("It needs two access tokens for one request, which is not possible as the caller.")
        others = [] if schemes or delegated else [self._security[name] for names in wanted or () for name in names]
        settings = [self._security[name] for name in binding.get("settings", ())]
        sent = [*schemes, *(scheme for scheme in settings if filled(scheme, secrets))]
        fixed = constant(self._settings, binding)
        # Encode credentials only at the first request. Constant fields come first, so that credentials replace them.
        credentials = cache(lambda: [*fixed, *written([each for each in sent if "signing" not in each], secrets)])
        chosen = SelectedCredentials(
            lambda request: put(request, credentials()),
            [
                *(name for scheme in schemes for name in self._told(scheme)),
                *(delegations[self._name(each)].variable for each in delegated),
            ],
            grants[0] if grants else None,
            tuple(dict.fromkeys(scope for scheme in (*schemes, *delegated) for scope in self._scopes(scheme, binding))),
            tuple(dict.fromkeys(way for scheme in others for way in _in_words([scheme]))),
            self._callers(delegated, binding) if delegated else None,
        )
        for scheme in (each for each in schemes if "signing" in each):
            from ..signing.signers import signing  # imported late: few APIs want signatures

            address = self._settings.server(binding.get("server", 0))
            chosen.put = signing(chosen.put, scheme, secrets, address)
        return chosen

    def _callers(self, schemes: list[Scheme], binding: Binding) -> CallerCredential:
        """Return an object that says how to get the caller's credentials, and attaches them to a request."""
        from ..delegation.delegation_settings import (  # imported late: seldom needed
            CallerCredential,
            SeveralCredentials,
        )

        of = self._settings.delegations
        found = [
            CallerCredential(of[self._name(each)], self._scopes(each, binding), _put_fetched(each)) for each in schemes
        ]
        return found[0] if len(found) == 1 else SeveralCredentials(found)

    def _told(self, scheme: Scheme) -> list[str]:
        """Return texts for error messages that name a scheme's credential: its variables, or the command to log in."""
        secrets = self._settings.secrets
        if self._logins is None or "user" not in scheme or filled(scheme, secrets):
            return variables([scheme], secrets)
        return [f"the login of `{self._logins.command(self._name(scheme))}`"]

    def _grant(self, scheme: Scheme, binding: Binding) -> TokenRequest:
        if self._logins is not None and "user" in scheme and not filled(scheme, self._settings.secrets):
            return self._logins.grant(self._name(scheme))
        if "login" in scheme:
            return self._login(scheme, binding)
        names = self._fetching(scheme)
        identity, secret = (self._settings.secrets[each] for each in names)
        endpoint = self._settings.endpoint(self._name(scheme))
        return TokenRequest(endpoint, identity, secret, self._scopes(scheme, binding), names)

    def _login(self, scheme: Scheme, binding: Binding) -> TokenRequest:
        values = {role: self._settings.secrets.get(name, "") for role, name in scheme["variables"].items()}
        names = self._fetching(scheme)
        scopes, endpoint = self._scopes(scheme, binding), self._settings.endpoint(self._name(scheme))
        from ..oauth.login_request import Login  # imported late: few servers log in with a request

        base = self._settings.server(binding.get("server", 0))
        login = Login(scheme["login"], values, base)
        if login.is_session and base.origin != endpoint.address.origin:
            raise NotReady(f"Its login gives a cookie of {endpoint.address.origin}, which no other origin gets.")
        return TokenRequest(endpoint, "", "", scopes, names, login, login.put(_put_fetched(scheme)))

    def _fetching(self, scheme: Scheme) -> list[str]:
        """Return the variables with which the server fetches a token."""
        return [scheme["variables"][role] for role in scheme["ways"]["fetched"]]

    def _scopes(self, scheme: Scheme, binding: Binding) -> tuple[str, ...]:
        return tuple(binding.get("scopes", {}).get(self._name(scheme), ()))

    def _name(self, scheme: Scheme) -> str:
        return next(name for name, each in self._security.items() if each is scheme)


def sensitive(security: dict[str, Scheme], settings: Settings) -> list[str]:
    """Return the texts to redact in results: secrets, texts made of them such as base64, and only X of `token="X"`."""
    found, secrets = [*settings.private, *(value for _, _, value in settings["HEADERS_FILE"])], settings.secrets
    for scheme in security.values():
        if not scheme["secret"]:
            continue  # skip: a setting is no secret, so results may show its value
        values = {role: secrets.get(name, "") for role, name in scheme["variables"].items()}
        text = _text(scheme, secrets, SENT)
        if "name" not in scheme:
            value = text.partition(":")[2].strip()
            found += [value, value.rpartition(" ")[2]]
            continue
        private = [values[role] for role in scheme["secret"]]
        if not any(private):  # an API key may be sent as the user name, with an empty password
            private = [values[role] for role in scheme["ways"]["given"]]
        # Redact the encoded values too: the API may repeat them.
        found += [*private, text, SENT.get(scheme["in"], str)(text)]
        if "login" in scheme:
            found += map(quote_plus, private)
        if secret := values.get("client_secret", ""):
            found.append(client_login(values.get("client_id", ""), secret))
    found += [text[:-1].rpartition('"')[2] for text in found if text.count('"') == 2 and text.endswith('"')]
    return [each for each in dict.fromkeys(found) if len(each) >= SHORTEST_REDACTED]
