"""Map security schemes to environment variables, and operations to the schemes that they need."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain, combinations, count

from mcpgen.base.names import environment_suffix, short_hash
from mcpgen.base.runtime import credential_env, settings_table
from mcpgen.model import (
    ANY_HEADER,
    API_KEY,
    BEARER,
    Api,
    BoundScheme,
    CredentialWay,
    Operation,
    Scopes,
    SecurityRequirement,
    SecurityScheme,
)

_CLIENT = {
    "client_id": "the id of the OAuth client with which users log in through `login`",
    "client_secret": "the secret of that OAuth client, if it has one",
}
"""Role → what the variable holds, for the OAuth client with which a user logs in."""

_FETCHES = {
    "value": "an access token, used instead of one that the server fetches",
    "client_id": "the client id with which the server fetches access tokens (OAuth 2 client credentials)",
    "client_secret": "the client's secret",
    "token_url": "URL from which the server fetches access tokens, instead of {}",
}
"""Role → what the variable holds, for a scheme whose tokens the server fetches."""

_OPEN = frozenset(
    (
        *("username", "user", "login", "email", "identifier", "client_id", "token_url"),
        *("access_key_id", "service", "region"),
    )
)
"""Roles whose values are no secrets: they name the user, the client or the API."""

MOST_COMBINED = 3
TOKEN, HEADER = "token", "header"
OTHER = "any header"
"""Name of the scheme for an arbitrary header. It replaces schemes of an unknown kind.

The name contains a space, so that no scheme of a document has the same name.
"""

_UNDECLARED: tuple[SecurityRequirement, ...] = ((TOKEN, HEADER), (TOKEN,), (HEADER,), ())


def bound_schemes(api: Api, prefix: str) -> tuple[BoundScheme, ...]:
    """Return every security scheme of `api` with its environment variables.

    An API without schemes gets an optional bearer token, and an optional header whose name and value the operator
    chooses. An API that needs a scheme of an unknown kind gets such a header.
    """
    bound: list[BoundScheme] = []
    accepted = undeclared(api)
    needed = {name for one in api.all_operations for names in requirement(one, api, accepted) for name in names}
    if not _has_schemes(api) and TOKEN in needed:
        bound.append(bind(SecurityScheme(TOKEN, BEARER), {"value": f"{prefix}_TOKEN"}))
    if not _has_schemes(api) and HEADER in needed:
        bound.append(_header(HEADER, prefix))
    if OTHER in needed:
        bound.append(_header(OTHER, prefix))
    # No credential may use a variable of the server's own settings. `VAR_…` is reserved too.
    taken = {variable for row in settings_table.SETTINGS for variable in row.variables(prefix)}
    taken.update(_with_files(row.variable(prefix) for row in settings_table.SETTINGS if row.secret))
    taken.update(_with_files(variable for scheme in bound for variable in scheme.variables.values()))
    given: dict[tuple[str, str], dict[str, str]] = {}
    for scheme in _fillable(api):
        plain = scheme.name.removesuffix(f" ({scheme.location})")
        same = plain, scheme.wire_name
        is_key = scheme.text == API_KEY and not scheme.is_fetched
        variables = given.get(same) if is_key else None
        named = scheme if plain == scheme.name else replace(scheme, name=plain)
        variables = variables or _variables(named, prefix, taken)
        if is_key:  # an API key that is sent in two places is one credential, with one variable
            given[same] = variables
        taken.update(_with_files(variables.values()))
        bound.append(bind(scheme, variables))
    return tuple(bound)


def bind(scheme: SecurityScheme, variables: Mapping[str, str]) -> BoundScheme:
    """Return a scheme with its environment variables, as `bindings.json` describes it."""
    text = scheme.text
    return BoundScheme(
        scheme.name,
        variables,
        {role: _purpose(scheme, role) for role in variables},
        tuple(role for role in variables if text.secret and role not in _OPEN),
        _ways(scheme),
        scheme.location,
        scheme.wire_name,
        text.word,
        text.base64,
        text.signing,
        tokens=text.tokens and scheme.login is None,
        token_url=scheme.token_url,
        discovery_url=scheme.discovery_url,
        login=scheme.login,
        user=scheme.user,
    )


def _ways(scheme: SecurityScheme) -> dict[CredentialWay, tuple[str, ...]]:
    """Return how the server can get the credential of a scheme → the roles that it needs for this.

    A user can log in without any variable.
    """
    found: dict[CredentialWay, tuple[str, ...]] = {"given": scheme.text.parts}
    if scheme.login is not None:
        found["fetched"] = tuple(dict.fromkeys(role for _, role, _ in scheme.login.fields if role))
    elif scheme.token_url or scheme.discovery_url:
        found["fetched"] = (*_CLIENT,)
    if scheme.user is not None:
        found["user"] = ()
    return found


def _purpose(scheme: SecurityScheme, role: str) -> str:
    """Return what the variable of a role holds, for README, bundles and `--doctor`."""
    name, has_grant = scheme.name, scheme.is_fetched and scheme.login is None
    if role in _CLIENT and scheme.user is not None and not has_grant:
        return f"{_CLIENT[role]} ({name})"
    if not scheme.is_fetched:
        part = f"optional: {role}" if role in scheme.text.further else role
        return scheme.text.purpose.format(
            name=name, location=scheme.location, wire_name=scheme.wire_name, role=part.replace("_", " ")
        )
    if scheme.login is not None and role not in ("value", "token_url"):
        return f"the {role} with which this server logs in and fetches tokens ({name})"
    instead = scheme.token_url or f"the one in {scheme.discovery_url}"
    return f"{_FETCHES[role].format(instead)} ({name})"


def _header(name: str, prefix: str) -> BoundScheme:
    return bind(SecurityScheme(name, ANY_HEADER, wire_name=""), {"value": f"{prefix}_HEADER"})


def _has_schemes(api: Api) -> bool:
    return any(scheme.unsent is None for scheme in api.schemes)


def _fillable(api: Api) -> list[SecurityScheme]:
    """Return all schemes of a known type, each name once: the declared schemes, then those made for credential
    parameters.
    """
    implied = {scheme.name: scheme for operation in api.operations for scheme in operation.credentials}
    declared = {scheme.name: scheme for scheme in api.schemes}
    return [scheme for scheme in {**declared, **implied, **declared}.values() if scheme.unsent is None]


def _variables(scheme: SecurityScheme, prefix: str, taken: Collection[str]) -> dict[str, str]:
    """Return role (`value`, `client_id`, …) → environment variable for `scheme`.

    The names are made of the scheme's name. If such a name is in `taken`, `AUTH_` is put before the scheme's name; if
    that is taken too, a hash is added.
    """
    suffix = environment_suffix(scheme.name)
    hashed = (f"AUTH_{suffix}_{short_hash(f'{scheme.name} {turn}', 8).upper()}" for turn in count())
    given, *others = _ways(scheme).values()
    roles = [role for way in others for role in way] + ["token_url"] * scheme.is_fetched
    roles += [*scheme.text.further, *(_CLIENT if scheme.user is not None else ())]
    endings = {role: "" if role == "value" else f"_{environment_suffix(role)}" for role in given}
    endings |= {role: f"_{environment_suffix(role)}" for role in roles}
    for candidate in chain((suffix, f"AUTH_{suffix}"), hashed):
        variables = {role: f"{prefix}_{candidate}{ending}" for role, ending in endings.items()}
        if not candidate.startswith("VAR_") and not any(name in taken for name in _with_files(variables.values())):
            return variables
    raise AssertionError("hashes do not end")


# No scheme gets a variable with such an ending, because this name would have two meanings.
def _with_files(variables: Iterable[str]) -> list[str]:
    return [variable + ending for variable in variables for ending in ("", *credential_env.SOURCES)]


# A missing scope is a frequent reason for 401 and 403, so their messages list these scopes.
def scopes(operation: Operation, api: Api) -> Scopes:
    """Return the scopes that access tokens need for one operation, whether the server fetches the tokens or the
    operator gives them.
    """
    tokens = {scheme.name for scheme in api.schemes if scheme.is_token}
    return {name: wanted for name, wanted in operation.security.scopes.items() if name in tokens}


def undeclared(api: Api) -> tuple[SecurityRequirement, ...]:
    """Return the security alternatives of operations for which the document has no `security`: each scheme of the API
    alone, then no credential.

    For an API without schemes, the alternatives combine the two schemes that `bound_schemes` adds: a bearer token, and
    a header that the operator writes. The server uses the first alternative whose environment variables are set.
    """
    if not _has_schemes(api):
        return _UNDECLARED
    return (*((scheme.name,) for scheme in _fillable(api) if scheme.text.secret), ())


# A credential for one scheme must not be sent for another, so an unknown kind of scheme gets only `NAME_HEADER`.
def requirement(
    operation: Operation, api: Api, accepted: tuple[SecurityRequirement, ...]
) -> tuple[SecurityRequirement, ...]:
    """Return the security alternatives of one operation: those of its `security`, else `accepted`.

    `accepted`: the alternatives that `undeclared` returns, for an operation without any `security` in the document.
    Each alternative includes the credentials that are parameters of the operation. The alternative without credentials
    comes last, since the server uses the first alternative whose variables are set.
    """
    found = _usable(operation.security.alternatives, api) if operation.security.is_declared else accepted
    credentials = [scheme for scheme in operation.credentials if scheme.text.secret]
    if credentials:
        if found is _UNDECLARED:
            # The document declares no security, so the operator may add a header (variable `NAME_HEADER`). A bearer
            # token is not offered as well, since parameters of the operation carry the credential.
            found = ((HEADER,), ())
        other = any(operation.security.alternatives)
        needed = () if other else tuple(each.name for each in credentials if _is_required(each, operation))
        keys = [scheme.name for scheme in credentials if scheme.name not in needed]
        sizes = range(len(keys), 0, -1) if len(keys) <= MOST_COMBINED else (len(keys), 1)
        chosen = [*(each for size in sizes for each in combinations(keys, size)), ()]
        wanted = (tuple(dict.fromkeys((*names, *needed, *more))) for more in chosen for names in found or ((),))
        # An API that asks for tokens may also accept only an API key, as Google's APIs do for public data. So the
        # server may send only a key, and the API decides.
        implied = [name for name in keys if name not in {scheme.name for scheme in api.schemes}]
        alone = ((name,) for name in implied) if other and _asks_for_tokens(found, api) else ()
        found = tuple(dict.fromkeys((*wanted, *alone)))
    return found


def _is_required(scheme: SecurityScheme, operation: Operation) -> bool:
    """Return True if the document requires the parameter that this scheme fills."""
    slot = scheme.location, scheme.wire_name
    return any(each.required and (each.location, each.name) == slot for each in operation.withheld)


def _asks_for_tokens(alternatives: Iterable[SecurityRequirement], api: Api) -> bool:
    tokens = {scheme.name for scheme in api.schemes if scheme.is_token}
    return all(tokens.issuperset(names) for names in alternatives)


def _usable(declared: tuple[SecurityRequirement, ...], api: Api) -> tuple[SecurityRequirement, ...]:
    """Return the alternatives in `declared` that requests can meet, the one without credentials last."""
    certificates = {scheme.name for scheme in api.schemes if scheme.unsent == "certificate"}
    declared = tuple(tuple(name for name in names if name not in certificates) for names in declared)
    known = {scheme.name for scheme in api.schemes if scheme.unsent is None}
    usable = [names for names in declared if known.issuperset(names)]
    if declared and not usable:
        without = [tuple(name for name in names if name in known) for names in declared]
        usable = [found for names in without for found in ((*names, OTHER), names)]
    return tuple(sorted(dict.fromkeys(usable), key=lambda names: not names))
