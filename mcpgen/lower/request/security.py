"""Map security schemes to environment variables, and operations to the schemes that they need."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain, combinations, count

from mcpgen.base.names import environment_suffix, short_hash
from mcpgen.base.runtime import settings_table
from mcpgen.model import UNSENT, Api, BoundScheme, Operation, Scopes, SecurityRequirement, SecurityScheme

FILE = "_FILE"
"""Suffix of an environment variable that names a file with the credential."""

_ROLES = {
    "basic": {"username": "_USERNAME", "password": "_PASSWORD"},
    "oauth2": {"value": "", "client_id": "_CLIENT_ID", "client_secret": "_CLIENT_SECRET", "token_url": "_TOKEN_URL"},
}

_CLIENT = {"client_id": "_CLIENT_ID", "client_secret": "_CLIENT_SECRET"}
"""Role → suffix of the environment variable, for the OAuth client of a scheme with which users log in."""

_PLACED = ("apiKey", "setting")
"""Types of security schemes that say where in a request the credential goes."""

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
        words = "A bearer token, if the API requires one."
        bound.append(BoundScheme(TOKEN, "bearer", {"value": f"{prefix}_TOKEN"}, description=words))
    if not _has_schemes(api) and HEADER in needed:
        bound.append(_header(HEADER, prefix))
    if OTHER in needed:
        bound.append(_header(OTHER, prefix))
    # No credential may use a variable of the server's own settings. `VAR_…` is reserved too.
    taken = {variable for row in settings_table.SETTINGS for variable in row.variables(prefix)}
    taken.update(_with_files(variable for scheme in bound for variable in scheme.variables.values()))
    given: dict[tuple[str, str, str], dict[str, str]] = {}
    for scheme in _fillable(api):
        plain = scheme.name.removesuffix(f" ({scheme.location})")
        same = plain, scheme.type, scheme.wire_name
        # An API key that is sent in two places is one credential, with one variable.
        shared = given.get(same) if scheme.type == "apiKey" else None
        variables = given[same] = shared or _variables(replace(scheme, name=plain), prefix, taken)
        taken.update(_with_files(variables.values()))
        assert scheme.type != "other"
        assert scheme.type != "mutualTLS"
        location, wire_name = (
            (scheme.location, scheme.wire_name) if scheme.type in _PLACED or _is_placed(scheme) else (None, None)
        )
        words = scheme.description
        urls = scheme.token_url, scheme.discovery_url
        flows = scheme.login, scheme.user
        bound.append(BoundScheme(scheme.name, scheme.type, variables, location, wire_name, words, *urls, *flows))
    return tuple(bound)


def _is_placed(scheme: SecurityScheme) -> bool:
    """Return True for a login whose token is not sent as a bearer token."""
    return scheme.type == "login" and scheme.wire_name != "Authorization"


def _header(name: str, prefix: str) -> BoundScheme:
    words = "A header to send to the API, as `Name: value`."
    return BoundScheme(name, "header", {"value": f"{prefix}_HEADER"}, description=words)


def _has_schemes(api: Api) -> bool:
    return any(scheme.type not in UNSENT for scheme in api.schemes)


def _fillable(api: Api) -> list[SecurityScheme]:
    """Return all schemes of a known type, each name once: the declared schemes, then those made for credential
    parameters.
    """
    implied = {scheme.name: scheme for operation in api.operations for scheme in operation.credentials}
    declared = {scheme.name: scheme for scheme in api.schemes}
    return [scheme for scheme in {**declared, **implied, **declared}.values() if scheme.type not in UNSENT]


def _variables(scheme: SecurityScheme, prefix: str, taken: Collection[str]) -> dict[str, str]:
    """Return role (`value`, `client_id`, …) → environment variable for `scheme`.

    The names are made of the scheme's name. If such a name is in `taken`, `AUTH_` is put before the scheme's name; if
    that is taken too, a hash is added.
    """
    suffix = environment_suffix(scheme.name)
    hashed = (f"AUTH_{suffix}_{short_hash(f'{scheme.name} {turn}', 8).upper()}" for turn in count())
    roles = _ROLES.get(scheme.type, {"value": ""})
    if scheme.login is not None:
        named = (role for _, role, _ in scheme.login.fields if role)
        roles = {"value": "", **{role: f"_{environment_suffix(role)}" for role in named}, "token_url": "_TOKEN_URL"}
    if scheme.user is not None:
        roles = {**roles, **_CLIENT}
    for candidate in chain((suffix, f"AUTH_{suffix}"), hashed):
        variables = {role: f"{prefix}_{candidate}{ending}" for role, ending in roles.items()}
        if not candidate.startswith("VAR_") and not any(name in taken for name in _with_files(variables.values())):
            return variables
    raise AssertionError("hashes do not end")


# No scheme gets a variable that ends in `_FILE`, because this name would have two meanings.
def _with_files(variables: Iterable[str]) -> list[str]:
    return [name for variable in variables for name in (variable, variable + FILE)]


# A missing scope is a frequent reason for 401 and 403, so their messages list these scopes.
def scopes(operation: Operation, api: Api) -> Scopes:
    """Return the scopes that access tokens need for one operation, whether the server fetches the tokens or the
    operator gives them.
    """
    tokens = {scheme.name for scheme in api.schemes if scheme.type in ("oauth2", "bearer", "login")}
    return {name: wanted for name, wanted in operation.security.scopes.items() if name in tokens}


def undeclared(api: Api) -> tuple[SecurityRequirement, ...]:
    """Return the security alternatives of operations for which the document has no `security`: each scheme of the API
    alone, then no credential.

    For an API without schemes, the alternatives combine the two schemes that `bound_schemes` adds: a bearer token, and
    a header that the operator writes. The server uses the first alternative whose environment variables are set.
    """
    if not _has_schemes(api):
        return _UNDECLARED
    return (*((scheme.name,) for scheme in _fillable(api) if scheme.type != "setting"), ())


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
    credentials = [scheme for scheme in operation.credentials if scheme.type != "setting"]
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
    tokens = {scheme.name for scheme in api.schemes if scheme.type in ("oauth2", "bearer", "login")}
    return all(tokens.issuperset(names) for names in alternatives)


def _usable(declared: tuple[SecurityRequirement, ...], api: Api) -> tuple[SecurityRequirement, ...]:
    """Return the alternatives in `declared` that requests can meet, the one without credentials last."""
    certificates = {scheme.name for scheme in api.schemes if scheme.type == "mutualTLS"}
    declared = tuple(tuple(name for name in names if name not in certificates) for names in declared)
    known = {scheme.name for scheme in api.schemes if scheme.type not in UNSENT}
    usable = [names for names in declared if known.issuperset(names)]
    if declared and not usable:
        without = [tuple(name for name in names if name in known) for names in declared]
        usable = [found for names in without for found in ((*names, OTHER), names)]
    return tuple(sorted(dict.fromkeys(usable), key=lambda names: not names))
