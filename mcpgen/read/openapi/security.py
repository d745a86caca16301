"""Read security schemes and requirements (OpenAPI 3.1, 4.8.27 and 4.8.30): the credentials that requests need, and the
OAuth scopes that a caller over HTTP needs for an operation.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import SCOPE, clipped
from mcpgen.model import (
    API_KEY,
    AWS_SIGNATURE,
    BEARER,
    HTTP_SCHEMES,
    UNDECLARED,
    CallerScopes,
    CredentialPlace,
    Login,
    Scopes,
    Security,
    SecurityRequirement,
    SecurityScheme,
    UserFlow,
)
from mcpgen.read.openapi import servers
from mcpgen.read.openapi.parameters import can_be_set
from mcpgen.read.openapi.references import References

_KEY_PLACES: dict[str, CredentialPlace] = {
    "header": "header",
    "query": "query",
    "cookie": "cookie",
}
_WITH_SCOPES = ("oauth2", "openIdConnect")
_PASSWORD = Login(
    "application/x-www-form-urlencoded",
    (("grant_type", "", "password"), ("username", "username", ""), ("password", "password", "")),
    "/access_token",
    "/expires_in",
)
"""Login request of the resource owner password credentials flow (RFC 6749, section 4.3)."""

_GATEWAY = "x-amazon-apigateway-authtype"
"""Key of documents of AWS. With the value `awsSigv4`, the header field Authorization is a signature, and no API key."""

_WELL_KNOWN = "/.well-known/openid-configuration"
_MOST_ALTERNATIVES = 100
"""Limit on the alternative sets of scopes of one operation. The smallest sets are kept. Dropping a set only lets fewer
callers in.
"""


def read_schemes(
    value: JsonValue, where: Where, references: References, diagnostics: Diagnostics
) -> tuple[SecurityScheme, ...]:
    """Return the security schemes. A scheme for which the server cannot get a credential is reported, and is unsent as
    `unknown`.
    """
    found = []
    for name, entry in sorted(as_object(value).items()):
        try:
            raw, place = references.resolve(entry, where.inside(name))
        except SkipOperation as unusable:
            diagnostics.extend([unusable.diagnostic])
            continue
        scheme = _scheme(name, raw)
        if scheme is None:
            diagnostics.add(
                "invalid-security",
                f"The security scheme {name} is of a kind that is not supported ({_kind(raw)}).",
                place,
                "For operations without another scheme, write the header, as in `Name: value`, into the server's "
                "environment variable whose name ends in _HEADER.",
            )
            scheme = SecurityScheme(name, description=as_text(raw.get("description")), unsent="unknown")
        elif scheme.unsent == "certificate":
            diagnostics.add(
                "client-certificate",
                f"The security scheme {name} asks for a client certificate (mutual TLS).",
                place,
                "Name its file in the server's environment variable whose name ends in _CLIENT_CERT, and the file of "
                "its key in the variable whose name ends in _CLIENT_KEY.",
            )
        elif scheme.location == "header" and not can_be_set(scheme.wire_name):
            diagnostics.add(
                "invalid-security",
                f"The security scheme {name} needs a key in the header field '{clipped(scheme.wire_name)}', which the "
                "server cannot set.",
                place,
                "Correct the name of the header field, or write the header, as in `Name: value`, into the server's "
                "environment variable whose name ends in _HEADER.",
            )
            scheme = SecurityScheme(name, description=scheme.description, unsent="unknown")
        elif scheme.is_fetched and (reason := _refusal(url := scheme.token_url or scheme.discovery_url)):
            diagnostics.add(
                "invalid-security",
                f"The {'token' if scheme.token_url else 'OpenID'} URL '{clipped(url, 120)}' of {name} is not used: "
                f"{reason}.",
                place,
                "Correct the URL. Otherwise the server can use only an access token that you provide.",
            )
            user = None if scheme.user and url in scheme.user.urls else scheme.user
            scheme = SecurityScheme(name, BEARER, description=scheme.description, user=user)
        if scheme.user is not None:
            scheme = replace(scheme, user=_usable(scheme.name, scheme.user, place, diagnostics))
        found.append(replace(scheme, has_scopes=True) if raw.get("type") in _WITH_SCOPES else scheme)
    return tuple(found)


def _usable(name: str, user: UserFlow, place: Where, diagnostics: Diagnostics) -> UserFlow | None:
    """Return `user`, a login flow. If one of its URLs must not be used, report this and return None."""
    for url in user.urls:
        if reason := _refusal(url):
            diagnostics.add(
                "invalid-security",
                f"The URL '{clipped(url, 120)}' at which users log in for {name} is not used: {reason}.",
                place,
                "Correct the URL. Otherwise no user can log in, and you must provide an access token.",
            )
            return None
    return user


def _kind(raw: JsonObject) -> str:
    return " ".join(filter(None, (as_text(raw.get("type")), as_text(raw.get("scheme"))))) or "no type"


def _scheme(name: str, raw: JsonObject) -> SecurityScheme | None:
    scheme, user = _filled_scheme(name, raw), _user_flow(raw)
    return replace(scheme, user=user) if scheme and user else scheme


def _user_flow(raw: JsonObject) -> UserFlow | None:
    """Return how a user logs in, or None if no OAuth flow of the scheme involves a person.

    In Swagger 2.0 the scheme itself is the flow, and its issuer may be in `x-google-issuer` (Cloud Endpoints).
    """
    kind = as_text(raw.get("type"))
    if kind == "openIdConnect" and (url := as_text(raw.get("openIdConnectUrl")).strip()):
        return UserFlow(metadata_url=url)
    if kind != "oauth2":
        return None
    named = as_object(raw.get("flows"))
    flows = [as_object(named.get(each)) for each in ("authorizationCode", "deviceAuthorization", "implicit")]
    if raw.get("flow") in ("accessCode", "implicit"):
        flows = [raw]
    code, device = flows[0], flows[1] if len(flows) > 1 else {}
    scopes = {scope for flow in flows for scope in as_object(flow.get("scopes")) if SCOPE.fullmatch(scope)}

    def first(key: str, *places: JsonObject) -> str:
        return next(filter(None, (as_text(flow.get(key)).strip() for flow in places)), "")

    issuer = as_text(raw.get("x-google-issuer")).strip()
    found = UserFlow(
        first("authorizationUrl", *flows),
        first("tokenUrl", code, device),
        first("deviceAuthorizationUrl", device),
        first("refreshUrl", *flows),
        f"{issuer.rstrip('/')}{_WELL_KNOWN}" if "://" in issuer else first("oauth2MetadataUrl", raw),
        tuple(sorted(scopes)),
    )
    usable = found.authorization_url or found.device_url or (any(flows) and found.metadata_url)
    return found if usable else None


def _filled_scheme(name: str, raw: JsonObject) -> SecurityScheme | None:
    """Return the Security Scheme Object `raw` as a `SecurityScheme`, or None if `raw` is of no known kind."""
    description = as_text(raw.get("description"))
    kind, http_scheme = as_text(raw.get("type")), as_text(raw.get("scheme")).lower()
    location = _KEY_PLACES.get(as_text(raw.get("in")))
    if as_text(raw.get(_GATEWAY)).lower() == "awssigv4":
        return SecurityScheme(name, AWS_SIGNATURE, description=description)
    if kind == "apiKey" and location and as_text(raw.get("name")):
        return SecurityScheme(name, API_KEY, location, as_text(raw["name"]), description)
    if kind == "oauth2" and (flow := _client_credentials(raw)):
        scopes = tuple(sorted(filter(SCOPE.fullmatch, as_object(flow.get("scopes")))))
        token_url = as_text(flow["tokenUrl"]).strip()
        return SecurityScheme(name, BEARER, description=description, token_url=token_url, scopes=scopes)
    if kind == "oauth2" and (flow := _password(raw)):
        url = as_text(flow["tokenUrl"]).strip()
        scopes = tuple(sorted(filter(SCOPE.fullmatch, as_object(flow.get("scopes")))))
        return SecurityScheme(name, BEARER, description=description, token_url=url, login=_PASSWORD, scopes=scopes)
    if kind == "openIdConnect" and (url := as_text(raw.get("openIdConnectUrl")).strip()):
        return SecurityScheme(name, BEARER, description=description, discovery_url=url)
    if kind in _WITH_SCOPES:
        return SecurityScheme(name, BEARER, description=description)
    if kind == "mutualTLS":
        return SecurityScheme(name, description=description, unsent="certificate")
    text = HTTP_SCHEMES.get({"http": http_scheme, "basic": "basic"}.get(kind, ""))  # `type: basic` is Swagger 2.0
    return SecurityScheme(name, text, description=description) if text else None


def _client_credentials(raw: JsonObject) -> JsonObject:
    """Return the client credentials flow of a scheme, which works without a person, or {} if the scheme has none.

    In Swagger 2.0, a scheme is itself one flow.
    """
    flow = raw if raw.get("flow") == "application" else as_object(as_object(raw.get("flows")).get("clientCredentials"))
    return flow if as_text(flow.get("tokenUrl")).strip() else {}


def _password(raw: JsonObject) -> JsonObject:
    """Return the password flow of a scheme, or {} if it has none. In Swagger 2.0, a scheme is itself one flow."""
    flow = raw if raw.get("flow") == "password" else as_object(as_object(raw.get("flows")).get("password"))
    return flow if as_text(flow.get("tokenUrl")).strip() else {}


def _refusal(token_url: str) -> str:
    """Return why a token URL must not be used, or "" if it is allowed. The rules are those for server URLs, except that
    a query is allowed.
    """
    return servers.refusal(token_url.partition("?")[0]) or ("it has a fragment" if "#" in token_url else "")


def read_security(
    value: JsonValue, schemes: tuple[SecurityScheme, ...], known: Container[str], where: Where, diagnostics: Diagnostics
) -> Security:
    """Return a `security` list, or UNDECLARED if `value` is no list. `known`: names of schemes that the list may use.

    A name that is not known is reported and kept, because the operation must not be called with other credentials.
    """
    if not isinstance(value, list):
        return UNDECLARED
    alternatives = _requirements(value, known, where, diagnostics)
    return Security(alternatives, _scopes(value, where, diagnostics), _read_caller_scopes(value, schemes))


def _scopes(value: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Scopes:
    """Return scheme → the OAuth scopes that a `security` list requires.

    If alternatives require different scopes of one scheme, the first alternative counts. Invalid scopes are reported
    and omitted.
    """
    found: dict[str, tuple[str, ...]] = {}
    for index, entry in enumerate(value):
        for name, asked in as_object(entry).items():
            scopes = [scope for scope in as_list(asked) if isinstance(scope, str) and SCOPE.fullmatch(scope)]
            if len(scopes) < len(as_list(asked)):
                diagnostics.add(
                    "invalid-security",
                    f"The security requirement for {clipped(name)} contains an invalid scope.",
                    where.inside(index, name),
                    "A scope is a text without blanks, quotes and backslashes.",
                )
            if scopes:
                found.setdefault(name.rpartition("/")[2] if name.startswith("#/") else name, tuple(sorted(set(scopes))))
    return dict(sorted(found.items()))


def _requirements(
    value: list[JsonValue], known: Container[str], where: Where, diagnostics: Diagnostics
) -> tuple[SecurityRequirement, ...]:
    found: dict[SecurityRequirement, None] = {}
    for index, entry in enumerate(value):
        if not isinstance(entry, dict):
            diagnostics.add(
                "invalid-security",
                "A security requirement is not a mapping; it was left out.",
                where.inside(index),
                "Write `- name_of_the_scheme: []`.",
            )
            continue
        names = tuple(sorted(name.rpartition("/")[2] if name.startswith("#/") else name for name in entry))
        unknown = [name for name in names if name not in known]
        if unknown:
            diagnostics.add(
                "invalid-security",
                f"The security requirement names {', '.join(map(clipped, unknown))}, which is not defined.",
                where.inside(index),
                "Define the security scheme.",
            )
        found[names] = None
    return tuple(found)


# An API key does not say who calls. If keys counted, `[{key: []}, {oauth: [write]}]` would let every caller write.
def _read_caller_scopes(value: JsonValue, schemes: Iterable[SecurityScheme]) -> CallerScopes:
    """Return the alternative sets of scopes in a `security` list. Each set is sorted, and none contains another set.

    An alternative is ignored if it has neither an OAuth 2.0 or OpenID Connect scheme nor a bearer token with listed
    scopes. Other schemes say only how the server calls the API. Return (), which allows every caller, if an alternative
    has no schemes, or if one that is not ignored lists no scopes.
    """
    known = {scheme.name: scheme.has_scopes for scheme in schemes if scheme.has_scopes or not scheme.is_token}
    entries = [each for each in as_list(value) if isinstance(each, dict)]
    if any(not each for each in entries):
        return ()
    return smallest(scopes for each in entries for scopes in _alternative(each, known))


def smallest(found: Iterable[frozenset[str]]) -> CallerScopes:
    """Return the sets that do not contain another set of `found`, the smallest first. Return () if one of the sets is
    empty.
    """
    ordered = sorted({tuple(sorted(each)) for each in found}, key=lambda each: (len(each), each))
    kept: list[frozenset[str]] = []
    for each in ordered[:_MOST_ALTERNATIVES]:
        if not any(other <= frozenset(each) for other in kept):
            kept.append(frozenset(each))
    return tuple(tuple(sorted(each)) for each in kept if each)


def _alternative(entry: JsonObject, known: Mapping[str, bool]) -> Iterator[frozenset[str]]:
    """Yield the scopes of one alternative, unless it has no OAuth scheme or names an invalid scope.

    `known`: name of a scheme → whether it has scopes. An undefined scheme, or a bearer token, is treated as OAuth if
    scopes are listed for it.
    """
    found = []
    for key, value in entry.items():
        asked: list[JsonValue] = (
            [value] if isinstance(value, str) else as_list(value)
        )  # a text in place of a list is a common mistake, which must not let more callers in
        if known.get(key.rpartition("/")[2] if key.startswith("#/") else key, bool(asked)):
            found.append(scopes := _scopes_of_caller(asked))
            if asked and not scopes:
                return
    if found:
        yield frozenset[str]().union(*found)


def _scopes_of_caller(asked: list[JsonValue]) -> frozenset[str]:
    """Return the valid scopes of a list. A text with spaces counts as several scopes."""
    texts = (each for each in asked if isinstance(each, str))
    return frozenset(scope for text in texts for scope in text.split() if SCOPE.fullmatch(scope))
