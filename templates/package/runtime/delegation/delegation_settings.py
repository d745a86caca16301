# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Settings for calling the API with the rights of the caller: `<SCHEME>_AS` and related variables of each scheme.

Loaded only if one of these variables is set. Problems are sentences that name the variable and never its value.
"""

from __future__ import annotations

from ..oauth import well_known
from ..settings import credential_env
from ..settings.origins import Endpoint
from ..text import fields
from ..text.addresses import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from ..http_server.listening import Listening
    from ..request.request import Request
    from ..settings.origins import Rules
    from ..tables.table import Scheme
    from ..text.addresses import Address

    class DecidedSettings(Protocol):
        """Interface of the part of the settings (settings.Settings) that is read before this module is called."""

        prefix: str
        listening: Listening | None
        servers: list[Address | str]
        private: list[str]
        problems: list[str]
        delegations: dict[str, Delegation]


OWN, EXCHANGE, BEHALF, USER, HEADER = "own", "exchange", "on-behalf-of", "user", "header"
BY_ISSUER = (EXCHANGE, BEHALF)
"""Ways in which the caller's own token is sent to the issuer of that token, which returns a token for the API."""

LONGEST_SCOPES = 2000
_KEPT = frozenset(("authorization", "cookie", "origin", "referer", "forwarded", "x-forwarded-for", "accept"))
_FAMILIES = ("mcp-", "content-", "proxy-", "sec-", "access-control-")
_FORMS = "must be own, exchange, on-behalf-of, user, or header: and the name of a field, such as header:X-API-Token"


class Provider:
    """Authorization server that issues tokens for one scheme.

    - `issuer`: its issuer identifier, "" if not set; the metadata may name the issuer instead.
    - `metadata`: endpoints to request its metadata from, in that order; may be empty if the other endpoints are known.
    - `token`: the token endpoint, None if the metadata name it.
    - `authorization`: URL of the authorization endpoint, or "".
    - `resolve`: converts an endpoint's URL in the metadata to an Endpoint, or raises ValueError. The message is the
      predicate of a sentence about the URL, such as "is on another origin".
    """

    __slots__ = ("authorization", "issuer", "metadata", "resolve", "token")

    def __init__(
        self,
        issuer: str,
        metadata: list[Endpoint],
        token: Endpoint | None,
        authorization: str,
        resolve: Callable[[str], Endpoint],
    ) -> None:
        self.issuer = issuer
        self.metadata = metadata
        self.token = token
        self.authorization = authorization
        self.resolve = resolve


class Delegation:
    """Description of how the credential for one security scheme is obtained for the caller of a tool.

    - `way`: EXCHANGE, BEHALF, USER or HEADER. `variable`: the environment variable that sets the way.
    - `header`: for HEADER, the request header field that a gateway sets, in lower case. `word`: the word that the
      gateway may write before the credential.
    - `provider`: the authorization server that issues the tokens; None for HEADER.
    - `client`: id and secret of this server at `provider`; the secret may be "". `names`: the variables for both.
    - `audience`, `resource`, `subject_type`, `actor`: parameters of RFC 8693 section 2.1, or "".
    - `scopes`: scopes to request instead of those of the operation; () means those of the operation.
    - `redirect`: for USER, the URL to which the browser returns; its last segment is `slug`. Each scheme has its own
      URL, so that responses of different authorization servers are not confused (RFC 9700 section 4.4).
    """

    __slots__ = (
        "actor", "audience", "client", "header", "names", "provider", "redirect", "resource", "scheme", "scopes",
        "slug", "subject_type", "variable", "way", "word",
    )  # fmt: skip

    def __init__(self, scheme: str, variable: str, way: str, word: str = "Bearer") -> None:
        self.scheme = scheme
        self.variable = variable
        self.way = way
        self.word = word
        self.header = ""
        self.provider: Provider | None = None
        self.client = "", ""
        self.names: tuple[str, str] = "", ""
        self.audience = self.resource = self.actor = self.redirect = ""
        self.slug = variable.removesuffix("_AS").lower().replace("_", "-")
        self.subject_type = "access_token"
        self.scopes: tuple[str, ...] = ()


class CallerCredential:
    """Data for obtaining the credential of a caller: by `delegation`, with the scopes of the operation.

    `put(request, token)` attaches the credential to a request. The object holds no credential itself.
    """

    __slots__ = ("delegation", "put", "scopes")

    def __init__(self, delegation: Delegation, scopes: tuple[str, ...], put: Callable[[Request, str], None]) -> None:
        self.delegation = delegation
        self.scopes = delegation.scopes or scopes
        self.put = put


class SeveralCredentials(CallerCredential):
    """Several credentials of a caller for one request: a gateway sends all `parts`, or all but one.

    Their text has a line for each part.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: list[CallerCredential]) -> None:
        self.parts = sorted(parts, key=lambda each: each.delegation.way != HEADER)
        super().__init__(self.parts[-1].delegation, self.parts[-1].scopes, self._put)

    def _put(self, request: Request, token: str) -> None:
        # A header field holds no line break. So whatever a fetched token contains, it stays in the last place.
        for part, value in zip(self.parts, token.split("\n", len(self.parts) - 1), strict=True):
            part.put(request, value)


def load(
    settings: DecidedSettings, security: Mapping[str, Scheme], environ: Mapping[str, str], rules: Rules, described: str
) -> None:
    """Read into `settings.delegations` how to obtain the caller's credential for each scheme (`Delegation`). Add
    problems to `settings.problems`.

    `described` is the URL of the API's first server in the API description.
    """
    credentials = {each for scheme in security.values() for each in scheme["variables"].values()}
    for name, scheme in security.items():
        variable = credential_env.variable_of_rights(scheme)
        # If `<PREFIX>_OAUTH_AS` holds the credential of a scheme `oauth_as`, it is no setting of the scheme `oauth`.
        if variable in credentials:
            continue
        value = environ.get(variable, "").strip() if variable else ""
        if not value or value == OWN:
            continue
        try:
            found = _Reader(settings, scheme, environ, rules, described).read(name, variable, value)
        except ValueError as sentence:
            settings.problems.append(str(sentence))
        else:
            settings.delegations[name] = found


def public_url(settings: DecidedSettings, environ: Mapping[str, str]) -> str:
    """Return the URL at which browsers reach this server's endpoint, or "" if the settings do not say it."""
    name = f"{settings.prefix}_HTTP_URL"
    typed, listening = environ.get(name, "").strip(), settings.listening
    if typed:
        try:
            return str(parse(typed))
        except ValueError as reason:
            raise ValueError(f"{name} {reason}.") from None
    is_known = listening is not None and listening.port and listening.host in ("127.0.0.1", "localhost", "::1")
    return f"http://{listening.address}/mcp" if listening is not None and is_known else ""


class _Reader:
    """Reader of the environment variables for the delegation of one security scheme.

    Methods raise ValueError, with a sentence, if a variable is missing or invalid.
    """

    def __init__(
        self, settings: DecidedSettings, scheme: Scheme, environ: Mapping[str, str], rules: Rules, described: str
    ) -> None:
        self._described_url = described
        self._settings = settings
        self._scheme = scheme
        self._environ = environ
        self._rules = rules

    def read(self, name: str, variable: str, value: str) -> Delegation:
        """Return how calls get the caller's credential for the security scheme `name`, as an environment variable says.

        `variable`: name of the environment variable. `value`: its text. Raise ValueError if a setting is invalid.
        """
        way, colon, field = value.partition(":")
        if (way == HEADER) != bool(colon) or way not in (EXCHANGE, BEHALF, USER, HEADER):
            raise ValueError(f"{variable} {_FORMS}.")
        found = Delegation(name, variable, way, self._scheme.get("word", "Bearer"))
        if self._settings.listening is None:
            raise ValueError(
                f"{variable} is {way}, but over stdio nobody says who calls: serve with --http, or unset it."
            )
        if way == HEADER:
            found.header = _field(field.strip(), variable)
            return found
        if "tokens" not in self._scheme:
            raise ValueError(f"{variable} cannot be {way}: the API takes no OAuth access tokens for {name}.")
        self._read_client(found)
        found.scopes = self._scopes()
        found.resource = self._text(self._base("RESOURCE"))
        issuers = [
            each.strip() for each in self._text(f"{self._settings.prefix}_AUTH_ISSUER").split(",") if each.strip()
        ]
        if way in BY_ISSUER:
            self._read_exchange(found, issuers)
        else:
            self._read_login(found, issuers)
        return found

    def _read_client(self, found: Delegation) -> None:
        """Read id and secret of this server's client at the authorization server. The secret may come from a file."""
        found.names = self._name("client_id"), self._name("client_secret")
        values = [self._secret(each) for each in found.names]
        if not values[0]:
            raise ValueError(
                f"{found.variable} is {found.way}: set {found.names[0]} to the id of this server's client."
            )
        if not all(each.isascii() and each.isprintable() for each in values):
            raise ValueError(f"{found.names[0]} and {found.names[1]} must be printable ASCII characters.")
        found.client = values[0], values[1]
        self._keep_private(values[1])

    def _read_exchange(self, found: Delegation, issuers: list[str]) -> None:
        own = self._base("ISSUER")
        issuer = self._text(own) or (issuers[0] if len(issuers) == 1 else "")
        if not issuers:
            known = f"{self._settings.prefix}_AUTH_ISSUER"
            raise ValueError(f"{found.variable} is {found.way}: set {known}, whose tokens callers bring.")
        if issuer not in issuers:
            raise ValueError(f"{own} must be one of the issuers in {self._settings.prefix}_AUTH_ISSUER.")
        found.provider = self._operators(issuer, own)
        found.audience = self._text(self._base("AUDIENCE"))
        kind = self._text(self._base("SUBJECT_TYPE")) or found.subject_type
        if kind not in ("access_token", "jwt"):
            raise ValueError(f"{self._base('SUBJECT_TYPE')} must be access_token or jwt.")
        found.subject_type = kind
        found.actor = self._secret(self._base("ACTOR_TOKEN"))
        self._keep_private(found.actor)

    def _read_login(self, found: Delegation, issuers: list[str]) -> None:
        settings, own = self._settings, self._base("ISSUER")
        if not issuers and (settings.listening is None or settings.listening["HTTP_TOKENS"] is None):
            known = f"{settings.prefix}_AUTH_ISSUER or {settings.prefix}_HTTP_TOKENS"
            raise ValueError(f"{found.variable} is user: set {known}, so that this server knows who calls.")
        public = public_url(settings, self._environ)
        if not public:
            raise ValueError(f"{found.variable} is user: set {settings.prefix}_HTTP_URL, at which browsers come back.")
        # One redirect URI for each scheme prevents mix-up attacks (RFC 9700, 4.4), even without `iss`, which many
        # servers do not send.
        found.redirect = f"{public}/callback/{found.slug}"
        if issuer := self._text(own):
            found.provider = self._operators(issuer, own)
        else:
            found.provider = self._described(found)

    def _operators(self, issuer: str, name: str) -> Provider:
        """Return the authorization server that the operator has configured by variables."""
        try:
            address = parse(issuer)
            places = [self._rules.typed_endpoint(url) for url in _metadata_urls(issuer)]
        except ValueError as reason:
            raise ValueError(f"{name} {reason}.") from None
        rules = self._rules

        def resolve(url: str) -> Endpoint:
            """Return the endpoint at a URL from the issuer's metadata.

            Raise ValueError unless the URL is on the issuer's own origin, or on a public host with https.
            """
            found = rules.typed_endpoint(url)
            inside = found.address.loopback or found.address.forbidden or found.address.is_literal
            if found.address.origin != address.origin and (inside or found.address.scheme != "https"):
                raise ValueError("is on another origin, and not on a public host by https")
            return found

        return Provider(issuer, places, self._typed("token_url"), self._authorization(), resolve)

    def _described(self, found: Delegation) -> Provider:
        """Return the authorization server that the API description names. Endpoints that the operator sets replace the
        described ones.

        Raise ValueError if the operator's rules refuse a URL. Raise it also if the URL of the metadata is unknown, and
        that of the authorization endpoint or the token endpoint is unknown as well.
        """
        rules, base, described = self._rules, self._settings.servers[0], self._described_url
        scheme: Mapping[str, Any] = self._scheme
        said: Mapping[str, object] = scheme.get("user", scheme)

        def accepted(url: str) -> Endpoint:
            return rules.endpoint(url, base, described)

        typed, token = self._authorization(), self._typed("token_url")
        try:
            authorization = typed or (
                _url(accepted(str(said["authorizationUrl"]))) if "authorizationUrl" in said else ""
            )
            token = token or (accepted(str(said["tokenUrl"])) if "tokenUrl" in said else None)
            metadata = said.get("metadataUrl") or scheme.get("openIdConnectUrl")
            places = [accepted(str(metadata))] if metadata else []
        except ValueError as reason:
            raise ValueError(f"The login that the API's description names for {found.scheme} {reason}.") from None
        if not places and not (token and authorization):
            both = f"{self._base('AUTHORIZATION_URL')} with {self._name('token_url')}"
            raise ValueError(f"{found.variable} is user: set {self._base('ISSUER')}, or {both}.")
        return Provider("", places, token, authorization, accepted)

    def _authorization(self) -> str:
        """Return the URL of the authorization endpoint that the operator has set, or ""."""
        name = self._base("AUTHORIZATION_URL")
        value = self._text(name)
        try:
            return value if not value or self._rules.typed_endpoint(value) else ""
        except ValueError as reason:
            raise ValueError(f"{name} {reason}.") from None

    def _typed(self, role: str) -> Endpoint | None:
        name = self._name(role)
        value = self._text(name)
        try:
            return self._rules.typed_endpoint(value) if value else None
        except ValueError as reason:
            raise ValueError(f"{name} {reason}.") from None

    def _scopes(self) -> tuple[str, ...]:
        name = self._base("SCOPES")
        value = self._text(name)
        if len(value) > LONGEST_SCOPES or not value.isascii() or not value.replace(" ", "a").isprintable():
            raise ValueError(f"{name} must be scopes with blanks between them.")
        return tuple(dict.fromkeys(value.split()))

    def _name(self, role: str) -> str:
        return self._scheme["variables"].get(role) or self._base(role.upper())

    def _base(self, ending: str) -> str:
        return f"{self._scheme['variables']['value']}_{ending}"

    def _text(self, name: str) -> str:
        return self._environ.get(name, "").strip()

    def _secret(self, name: str) -> str:
        value, _ = credential_env.value_of(name, self._environ)
        return (value or "").strip()

    def _keep_private(self, value: str) -> None:
        """Register a value to be redacted in everything that leaves the server."""
        if len(value) >= credential_env.SHORTEST_REDACTED:
            self._settings.private.append(value)


def _field(name: str, variable: str) -> str:
    """Return the lower-case name of a header field that a gateway may set.

    Raise ValueError with a sentence if the name is invalid, or reserved for HTTP or MCP.
    """
    lower = name.lower()
    if not fields.is_name(name) or lower in _KEPT or lower.startswith(_FAMILIES):
        raise ValueError(f"{variable} must name a header field of its own, such as header:X-API-Token.")
    return lower


def _metadata_urls(issuer: str) -> list[str]:
    """Return the URLs at which an issuer publishes its metadata (OpenID Connect Discovery 1.0 section 4; RFC 8414
    section 3.1).
    """
    address = parse(issuer)
    return [address.origin + target for target in well_known.targets(address.path)]


def _url(endpoint: Endpoint) -> str:
    return endpoint.address.origin + endpoint.target
