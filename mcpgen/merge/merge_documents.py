"""Merge the APIs of several documents into one, keeping their servers, credentials and scopes apart.

Each operation keeps the server and security of its own document. Tool names, operation keys and security schemes of a
document get its `prefix`. Without a prefix, the document's name is put before operation keys, and before names of
schemes that mean different schemes in different documents (`unique_prefixes`). A single document is merged without
these changes, as if it were the command's argument SOURCE.

Each name of a security scheme stands for one scheme on one server.

A base URL replaces the server of a document. The rules are those for the environment variable `NAME_BASE_URL` of a
generated server called NAME (`runtime/settings/origins.py`). URLs on the origin of the replaced server move to the base
URL. Other origins get no calls until the project's owner accepts them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import TOOL_NAME, clipped
from mcpgen.merge.overrides import apply, chosen, is_written, without_security
from mcpgen.merge.unique_prefixes import ServerPlace, ServerScheme, fronts, names_of, place_of
from mcpgen.model import (
    BEARER,
    NO_CREDENTIALS,
    UNDECLARED,
    Api,
    Operation,
    PreviousNames,
    Security,
    SecurityScheme,
    Server,
)
from mcpgen.read.inputs import DescribedApi
from mcpgen.read.openapi import servers

_FRONT = re.compile(r"[^/?#]*//[^/?#]*")
"""Scheme and host of a URL; both may contain variables."""

TOKEN, HEADER = "token", "header"
"""Names of the two optional schemes of an API whose document declares none. If there are several documents, only the
token is added.
"""

_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


@dataclass(frozen=True, slots=True)
class OwnerDecisions:
    """Settings from the command line and the tools files that apply to all documents of a compile.

    `servers`: at most one base URL, which replaces the servers of documents without a base URL of their own. `schemes`:
    names of the security schemes that the tools files declare. Each replaces the scheme of the same name in documents
    on this base URL. If no base URL is given, it does so only if there is a single document. `required`: security of
    operations for which their document declares none. It applies to documents on this base URL. If no base URL is
    given, it applies to documents on the first document's server.
    """

    servers: tuple[Server, ...] = ()
    schemes: frozenset[str] = frozenset()
    required: Security = UNDECLARED


# Data and credentials of one API must not go to another API (docs/decisions/compiling.md).
def joined(
    described: Sequence[DescribedApi],
    owner: OwnerDecisions,
    former: PreviousNames,
    empty: Api,
    diagnostics: Diagnostics,
) -> tuple[Api, tuple[Operation, ...]]:
    """Return one API of all documents (`empty` if there are no documents), and the operations that the documents'
    selectors excluded.
    """
    base = owner.servers
    shared = _shared_schemes(described, base)
    each = [_prefixed(one, base, shared, diagnostics) for one in described]
    if len(each) > 1 or any(base and one.entry and one.entry.servers for one in each):
        each = _apart([one for one in each if _has_server(one, base, diagnostics)], owner, diagnostics)
    else:
        each = [replace(one, api=_requiring(one.api, owner.required)) for one in each]
    apis: list[Api] = []
    omitted: list[Operation] = []
    for one in each:
        api, left_out = one.api, tuple[Operation, ...]()
        if one.entry is not None:
            api, left_out = chosen(api, one.entry.include, one.entry.exclude, diagnostics)
            api = apply(api, one.entry.changes, left_out, former, diagnostics)
        apis.append(api)
        omitted += left_out
    if len(apis) == 1:
        return replace(apis[0], servers=base or apis[0].servers), tuple(omitted)
    if not apis:
        return replace(empty, skipped=tuple(s for one in described for s in one.api.skipped)), ()
    first = apis[0]
    together = replace(
        first,
        title=" and ".join(dict.fromkeys(api.title for api in apis)),
        operations=_with_names_apart(tuple(o for api in apis for o in api.operations), diagnostics),
        servers=base or first.servers,
        security=next((api.security for api in apis if api.security != NO_CREDENTIALS), NO_CREDENTIALS),
        schemes=_each_once(scheme for api in apis for scheme in api.schemes),
        skipped=tuple(skipped for api in apis for skipped in api.skipped),
        webhooks=tuple(each for api in apis for each in api.webhooks),
        unconfirmed=_unconfirmed(apis),
    )
    return together, tuple(omitted)


def settled(api: Api, base: tuple[Server, ...]) -> Api:
    """If no operation uses the API's server, replace it by a server that operations use.

    With several documents, use the server of the first operation. With a single document, use the first server whose
    URL starts with `base` (the base URL that the user gave) and a slash; if there is none, return `api` unchanged.
    """
    if any(each.servers[0] == api.servers[0] for each in api.all_operations) or any(map(is_written, api.operations)):
        return api
    used = [operation.servers for operation in api.operations]
    if not all(operation.document for operation in api.operations):
        used = [each for each in used if base and each[0].url.startswith(f"{base[0].url}/")]
    return replace(api, servers=used[0]) if used else api


# -- shared security schemes, prefixes of documents, equal tool names --------------------------------------------------


# A credential is valid for an origin, not for a document.
def _shared_schemes(described: Sequence[DescribedApi], base: tuple[Server, ...]) -> Collection[ServerScheme]:
    """Return the schemes that several documents declare identically for one server, so that they share a credential."""
    counts: Counter[ServerScheme] = Counter()
    for one in described if len(described) > 1 else ():
        place, schemes = _origin_of(one, base), _all_schemes(one.api)
        counts.update({_scheme_at(scheme, place) for scheme in schemes if scheme.unsent != "unknown"})
    return {kept for kept, count in counts.items() if count > 1 and kept.place.url}


def _origin_of(one: DescribedApi, base: tuple[Server, ...]) -> ServerPlace:
    """Return the origin of the server to which a document's operations send their requests."""
    at = (one.entry.servers if one.entry else ()) or base or _hoist_server(one.api).servers
    return _whole_server(place_of(at))


def _prefixed(
    one: DescribedApi, base: tuple[Server, ...], shared: Collection[ServerScheme], diagnostics: Diagnostics
) -> DescribedApi:
    """Apply a document's base URL, prefix and `security: none` from the tools file, and return the changed document.

    The base URL, else `base`, replaces the document's server; without either, the server stays. The prefix is put
    before tool names, operation keys and security schemes, but not before the schemes in `shared`.
    """
    place = _origin_of(one, base)
    api, entry = one.api, one.entry
    operations = tuple(replace(operation, api_title=api.title) for operation in api.operations)
    api = _hoist_server(replace(api, operations=operations))
    if entry is not None and entry.unsecured:
        api = without_security(api)
    if at := (entry.servers if entry else ()) or base:
        api = _replace_server(api, at[0], diagnostics)
    if entry is not None and entry.prefix:
        own = [scheme for scheme in _all_schemes(api) if _scheme_at(scheme, place) not in shared]
        known = {scheme.name: f"{entry.prefix}_{scheme.name}" for scheme in own}
        api = _with_names(api, known)
        operations = tuple(_with_prefix(operation, entry.prefix) for operation in api.operations)
        api = replace(api, operations=operations)
    return replace(one, api=api)


def _with_prefix(operation: Operation, prefix: str) -> Operation:
    name = f"{prefix}_{operation.decided.name}" if operation.decided.name else None
    name = name if name and TOOL_NAME.fullmatch(name) else None
    decided = replace(operation.decided, prefix=prefix, name=name)
    return replace(operation, key=f"{prefix} {operation.key}", decided=decided)


def _with_names_apart(operations: tuple[Operation, ...], diagnostics: Diagnostics) -> tuple[Operation, ...]:
    """If several documents demand the same tool name by `x-mcp`, remove the name from all their operations, and report
    this.
    """
    wanted = Counter(operation.decided.name for operation in operations)
    found = []
    for operation in operations:
        if operation.decided.name is not None and wanted[operation.decided.name] > 1 and _is_demanded(operation):
            message = (
                f"The name {operation.decided.name} is also used by another document; this tool gets another name."
            )
            place = operation.where.inside("x-mcp", "name")
            diagnostics.add("invalid-extension", message, place, "Give one of the documents a `prefix`.")
            operation = replace(operation, decided=replace(operation.decided, name=None))
        found.append(operation)
    return tuple(found)


def _is_demanded(operation: Operation) -> bool:
    """Return True if the tool name of an operation comes from its document's `x-mcp`, not from an override."""
    name = operation.extension.get("name")
    return bool(name) and operation.decided.name in (name, f"{operation.decided.prefix}_{name}")


# -- servers, credentials and operation keys that documents must not share ---------------------------------------------


def _has_server(one: DescribedApi, base: tuple[Server, ...], diagnostics: Diagnostics) -> bool:
    """Return True if a document has a server. Report a document without one: its calls must not go to another
    document's server.
    """
    if base or "://" in one.api.servers[0].url:
        return True
    message = f"{one.document} has no absolute server URL, and with several documents --base-url does not apply to it."
    where = one.entry.document.where if one.entry else None
    diagnostics.add("invalid-value", message, where, "Give the document a `base_url`, in its entry under `openapi`.")
    return False


def _requiring(api: Api, required: Security) -> Api:
    """Return `api` with the `required` security at each operation for which its document declares none."""
    return api.changed(lambda each: replace(each, security=each.security.otherwise(required)))


def _unconfirmed(apis: Sequence[Api]) -> frozenset[str]:
    """Return the origins that the project's owner must accept.

    These are origins that occur only in documents whose server was replaced by a base URL.
    """
    believed = {origin for api in apis if not api.unconfirmed for origin in _named_origins(api)}
    return frozenset(origin for api in apis for origin in api.unconfirmed) - believed


def _apart(each: Sequence[DescribedApi], owner: OwnerDecisions, diagnostics: Diagnostics) -> list[DescribedApi]:
    """Return the documents, changed so that calls of one document never go to the server of another or use its
    credentials, and so that all operation keys differ.
    """
    base = owner.servers
    first = base or (each[0].api.servers if each else ())
    servers_of = [base if base and not (one.entry and one.entry.servers) else one.api.servers[:1] for one in each]
    placed = []
    for one, at in zip(each, servers_of, strict=True):
        required = owner.required if at[:1] == first[:1] else UNDECLARED
        placed.append((replace(one, api=_with_credentials(one, at, required, diagnostics)), place_of(at)))
    silent = any(one.entry and one.entry.prefix and _says_nothing(one.api) for one in each)
    placed = _rename_schemes(
        placed, owner.schemes, place_of(base) if base else None, {HEADER, *([TOKEN] if silent else [])}
    )
    before = fronts(placed) if len(each) > 1 else [""] * len(each)
    found: list[DescribedApi] = []
    for (one, _), at, front in zip(placed, servers_of, before, strict=True):
        api = one.api
        if at[:1] != first[:1]:
            api = replace(api, security=NO_CREDENTIALS)
        operations = (
            replace(
                operation,
                key=_behind(front, operation),
                document=one.document,
                servers=tuple(_absolute(each, one.api.servers[0].url) for each in operation.servers),
            )
            for operation in api.operations
        )
        found.append(replace(one, api=replace(api, operations=tuple(operations))))
    keys = [operation.key for one in found for operation in one.api.operations]
    assert len(set(keys)) == len(keys), "one key, one operation"
    return found


def _behind(front: str, operation: Operation) -> str:
    """Return the key of an operation with `front`, the unique prefix of its document, before it.

    If the key begins with the `prefix` that the tools file sets for the document, `front` replaces this prefix. If
    `front` is "", the key stays unchanged.
    """
    key = (
        operation.key.removeprefix(f"{operation.decided.prefix} ")
        if operation.decided.prefix and front
        else operation.key
    )
    return f"{front} {key}" if front else key


def _absolute(server: Server, base: str) -> Server:
    """Return a server with a relative URL resolved against `base`, the URL of the document's server."""
    origin = _ORIGIN.match(base)
    if "://" in server.url or origin is None:
        return server
    url = origin[0] + server.url if server.url.startswith("/") else f"{base.rstrip('/')}/{server.url}"
    return replace(server, url=url)


def _with_credentials(one: DescribedApi, at: tuple[Server, ...], required: Security, diagnostics: Diagnostics) -> Api:
    """Return the API with security also for operations for which its document declares none: `required`, else each
    scheme alone or none. A document without schemes gets an optional token.

    Schemes of an unknown kind are left out: they all take their value from one environment variable, and with several
    documents the value would be sent to several APIs.
    """
    api, entry = one.api, one.entry
    usable = tuple(_with_absolute_urls(scheme, at) for scheme in api.schemes if scheme.unsent != "unknown")
    default = api.security.otherwise(required)
    if not default.is_declared:
        if not usable:
            name = f"{entry.prefix}_{TOKEN}" if entry and entry.prefix else TOKEN
            title = clipped(api.title)
            usable = (SecurityScheme(name, BEARER, description=f"A bearer token, if {title} requires one."),)
        default = Security((*((scheme.name,) for scheme in usable), ()))
    known = {*(name for names in required.alternatives for name in names), *(scheme.name for scheme in usable)}
    operations = []
    lost = False
    for operation in _requiring(api, default).operations:
        wanted = operation.security.alternatives
        kept = tuple(names for names in wanted if known.issuperset(names))
        lost = lost or (bool(wanted) and not kept)
        security = replace(operation.security, alternatives=kept or NO_CREDENTIALS.alternatives)
        operations.append(replace(operation, security=security))
    if lost:
        message = (
            f"{one.document} needs credentials of a kind that is not supported; its calls are sent without credentials."
        )
        diagnostics.add(
            "invalid-security",
            message,
            entry.document.where if entry else None,
            "Write a hook that adds the credentials.",
        )
    return replace(api, schemes=usable, security=default, operations=tuple(operations))


# A document that mentions no security must not use the others' credentials, so it gets an optional token of its own.
def _says_nothing(api: Api) -> bool:
    return not api.security.is_declared and all(scheme.unsent for scheme in api.schemes)


def _with_absolute_urls(scheme: SecurityScheme, at: tuple[Server, ...]) -> SecurityScheme:
    """Return a security scheme with its relative URLs resolved against `at`, the server of the scheme's document."""
    base = servers.with_defaults(at[0])
    if "://" not in base:
        return scheme
    base = base.rstrip("/") + "/"
    return replace(
        scheme,
        token_url=scheme.token_url and urljoin(base, scheme.token_url),
        discovery_url=scheme.discovery_url and urljoin(base, scheme.discovery_url),
        user=scheme.user and scheme.user.moved(lambda url: urljoin(base, url)),
    )


def _rename_schemes(
    placed: Sequence[tuple[DescribedApi, ServerPlace]],
    owned: Collection[str],
    home: ServerPlace | None,
    alone: Collection[str],
) -> list[tuple[DescribedApi, ServerPlace]]:
    """Rename security schemes so that each name stands for one scheme on one server.

    `owned`: names of schemes that the tools file defines. If a document's server is `home`, its schemes of these names
    are not renamed, because the schemes of the tools file replace them later. Any other scheme of a document gets a
    name that is neither in `owned` nor in `alone`, which lists further names that no scheme may get.
    """

    def apart(one: DescribedApi, place: ServerPlace) -> list[ServerScheme]:
        mine = owned if place == home else ()
        return [_scheme_at(scheme, _whole_server(place)) for scheme in _all_schemes(one.api) if scheme.name not in mine]

    names = names_of([(kept, one) for one, place in placed for kept in apart(one, place)], {*owned, *alone})
    return [
        (replace(one, api=_with_names(one.api, {kept.scheme.name: names[kept] for kept in apart(one, place)})), place)
        for one, place in placed
    ]


def _each_once(schemes: Iterable[SecurityScheme]) -> tuple[SecurityScheme, ...]:
    """Return one security scheme per name, sorted by name.

    Schemes of one name are equal, or a scheme of the tools file replaces them later.
    """
    return tuple(sorted({scheme.name: scheme for scheme in schemes}.values(), key=lambda scheme: scheme.name))


def _all_schemes(api: Api) -> list[SecurityScheme]:
    """Return the declared schemes and the schemes of credential parameters, one per name."""
    implied = (scheme for operation in api.operations for scheme in operation.credentials)
    return [*{scheme.name: scheme for scheme in (*implied, *api.schemes)}.values()]


def _with_names(api: Api, names: Mapping[str, str]) -> Api:
    """Return `api` with its security schemes renamed by `names` (old → new), in every place that mentions them."""
    if not names:
        return api

    def schemes(found: tuple[SecurityScheme, ...]) -> tuple[SecurityScheme, ...]:
        return tuple(replace(scheme, name=names.get(scheme.name, scheme.name)) for scheme in found)

    def security(found: Security) -> Security:
        return replace(
            found,
            alternatives=tuple(tuple(names.get(name, name) for name in each) for each in found.alternatives),
            scopes={names.get(name, name): asked for name, asked in found.scopes.items()},
        )

    operations = tuple(
        replace(each, security=security(each.security), credentials=schemes(each.credentials))
        for each in api.operations
    )
    return replace(api, schemes=schemes(api.schemes), security=security(api.security), operations=operations)


def _scheme_at(scheme: SecurityScheme, place: ServerPlace) -> ServerScheme:
    """Return a scheme paired with its server, without description and scopes, since different descriptions and scopes
    do not mean different credentials.
    """
    user = scheme.user and replace(scheme.user, scopes=())
    return ServerScheme(replace(scheme, description="", scopes=(), has_scopes=False, user=user), place)


def _whole_server(place: ServerPlace) -> ServerPlace:
    """Return the server `place` with its URL cut to the origin, since a credential is valid for a whole origin."""
    return replace(place, url=(found[0] if (found := _ORIGIN.match(place.url)) else ""))


# -- base URL ----------------------------------------------------------------------------------------------------------


def _hoist_server(api: Api) -> Api:
    """Make the servers of the operations those of the API, if all operations have the same servers and the first URL
    is absolute. Otherwise return `api` unchanged.

    Some documents (Twilio) name a server at each path and none at the top level. Without this step, a base URL would
    not replace the server of such a document, since `_replace_server` compares URLs with the top-level server.
    """
    own = next((operation.servers for operation in api.operations), api.servers)
    if own[0] == api.servers[0] or "://" not in own[0].url or any(each.servers != own for each in api.operations):
        return api
    return replace(api, servers=own)


# The owner accepted origins for the API whose server is replaced, so all others must be accepted again
# (docs/decisions/origins.md).
def _replace_server(api: Api, base: Server, diagnostics: Diagnostics) -> Api:
    """Return `api` with its first server replaced by `base`, also in the operations that use this server.

    Other servers and token URLs on the origin of the first server are moved to the origin of `base`. If `base` has no
    path, it gets the path of the first server, and this is reported. The result's `unconfirmed` lists all other
    origins: the owner must accept them, since a document whose server was replaced is not trusted about hosts.
    """
    described = api.servers[0]
    kept = _with_path(base, described)
    if kept != base:
        diagnostics.add(
            "base-url-path",
            f"The base URL {clipped(base.url)} has no path, so the path of the document's server URL is kept: "
            f"calls go to {clipped(kept.url)}.",
            hint=f"If the API's base URL has no path, write {clipped(base.url)}/.",
        )
    operations = (replace(each, servers=(kept,)) if each.servers[0] == described else each for each in api.operations)
    api = replace(api, servers=(kept,), operations=tuple(operations))
    before, after = _origin(described), _origin(base)
    if not before or before == after:
        return api

    def moved(url: str, filled: str) -> str:
        return after + _FRONT.sub("", filled, count=1) if origins.of_url(filled) == before else url

    def moved_server(server: Server) -> Server:
        url = moved(server.url, servers.with_defaults(server))
        return server if url == server.url else Server(url, description=server.description)

    def moved_scheme(scheme: SecurityScheme) -> SecurityScheme:
        token_url, discovery_url = (moved(url, url) for url in (scheme.token_url, scheme.discovery_url))
        user = scheme.user and scheme.user.moved(lambda url: moved(url, url))
        return replace(scheme, token_url=token_url, discovery_url=discovery_url, user=user)

    def moved_operation(operation: Operation) -> Operation:
        return replace(operation, servers=tuple(map(moved_server, operation.servers)))

    found = replace(
        api,
        operations=tuple(map(moved_operation, api.operations)),
        schemes=tuple(map(moved_scheme, api.schemes)),
    )
    return replace(found, unconfirmed=frozenset(_named_origins(found)) - {after})


def _named_origins(api: Api) -> Iterator[str]:
    """Yield every origin in the server URLs and security schemes of `api`."""
    for server in dict.fromkeys((*api.servers, *(each for one in api.operations for each in one.servers))):
        yield from origins.of_server(server.url, {each.name: each.default for each in server.variables})
    for scheme in api.schemes:
        urls = scheme.token_url, scheme.discovery_url, *(scheme.user.urls if scheme.user else ())
        yield from filter(origins.is_origin, map(origins.of_url, urls))


# Some operators want the path of the document's server, others none: a slash at the end of the base URL means none.
def _with_path(base: Server, described: Server) -> Server:
    """Return `base`. If it has no path, append the path of the server `described`, including its variables."""
    if _FRONT.sub("", base.url, count=1):
        return base
    url = described.url if "://" in described.url or described.url[:1] == "/" else servers.with_defaults(described)
    path = _FRONT.sub("", url, count=1).rstrip("/")
    if not path:
        return base
    used = tuple(each for each in described.variables if f"{{{each.name}}}" in path)
    return Server(f"{base.url}/{path.lstrip('/')}", (*base.variables, *used), base.description)


def _origin(server: Server) -> str:
    return origins.of_url(servers.with_defaults(server))
