"""The APIs of several documents → one, in which nothing of one is mistaken for something of another.

Each operation keeps the server, the credentials and the scopes that its own document gives it. A prefix stands before
the names, the keys and the security schemes of its document. Without one, whatever would meet something of an earlier
document is told apart by the document's name; what meets nothing stays as it is, so that one document comes out as if
it were SOURCE itself.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import urljoin

from mcpgen.curation import apply, chosen
from mcpgen.diagnostics import Diagnostics
from mcpgen.model import Api, Operation, Scopes, SecurityRequirement, SecurityScheme, Server
from mcpgen.names import TOOL_NAME, clipped, words
from mcpgen.openapi import servers
from mcpgen.sources import Described
from mcpgen.toolsfile import Required

TOKEN = "token"  # noqa: S105 (a name)
"""What the credential of a document that says nothing of credentials is called, behind its prefix."""

NOTHING: tuple[SecurityRequirement, ...] = ((),)
"""No credentials at all."""

_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def joined(
    described: Sequence[Described], base: tuple[Server, ...], required: Required, empty: Api, diagnostics: Diagnostics
) -> tuple[Api, tuple[Operation, ...]]:
    """One API of all, `empty` where there is none, and the operations that the selections of their entries left out.
    `base` replaces the servers of those that have no base URL of their own. What is `required` by the files that name
    the documents holds for operations of the API's own server whose documents require nothing.
    """
    each = [_prefixed(one) for one in described]
    if len(each) > 1 or any(base and one.entry and one.entry.servers for one in each):
        each = _apart([one for one in each if _has_server(one, base, diagnostics)], base, required, diagnostics)
    else:
        each = [replace(one, api=_requiring(one.api, required)) for one in each]
    apis: list[Api] = []
    omitted: list[Operation] = []
    for one in each:
        api, left_out = one.api, tuple[Operation, ...]()
        if one.entry is not None:
            api, left_out = chosen(api, one.entry.include, one.entry.exclude, diagnostics)
            api = apply(api, one.entry.changes, left_out, diagnostics)
        apis.append(api)
        omitted += left_out
    if len(apis) == 1:
        return apis[0], tuple(omitted)
    if not apis:
        return replace(empty, skipped=tuple(s for one in described for s in one.api.skipped)), ()
    first = apis[0]
    together = replace(
        first,
        title=" and ".join(dict.fromkeys(api.title for api in apis)),
        operations=_with_names_apart(tuple(o for api in apis for o in api.operations), diagnostics),
        servers=base or first.servers,
        security=next((api.security for api in apis if api.security != NOTHING), NOTHING),
        scopes=next((api.scopes for api in apis if api.security != NOTHING), {}),
        schemes=tuple({scheme.name: scheme for api in apis for scheme in api.schemes}.values()),
        skipped=tuple(skipped for api in apis for skipped in api.skipped),
    )
    return together, tuple(omitted)


def settled(api: Api) -> Api:
    """`api` with the server of its operations as its own, where all have one of their own and it would be nobody's."""
    own = next((operation.servers for operation in api.operations), None)
    if own is None or not all(each.servers is not None and each.document for each in api.operations):
        return api
    kept = (replace(each, servers=None) if each.servers == own else each for each in api.operations)
    return replace(api, servers=own, operations=tuple(kept))


# -- prefixes ---------------------------------------------------------------------------------------------------------


def _prefixed(one: Described) -> Described:
    """A document with its base URL, and its prefix before keys, names and schemes."""
    api, entry = one.api, one.entry
    operations = tuple(replace(operation, api_title=api.title) for operation in api.operations)
    api = replace(api, operations=operations)
    if entry is None:
        return one if not operations else replace(one, api=api)
    api = replace(api, servers=entry.servers or api.servers)
    if entry.prefix:
        known = {scheme.name: f"{entry.prefix}_{scheme.name}" for scheme in _schemes(api)}
        api = _renamed(api, known)
        operations = tuple(_with_prefix(operation, entry.prefix) for operation in api.operations)
        api = replace(api, operations=operations)
    return replace(one, api=api)


def _with_prefix(operation: Operation, prefix: str) -> Operation:
    name = f"{prefix}_{operation.name}" if operation.name else None
    return replace(
        operation,
        key=f"{prefix} {operation.key}",
        prefix=prefix,
        name=name if name and TOOL_NAME.fullmatch(name) else None,
    )


def _with_names_apart(operations: tuple[Operation, ...], diagnostics: Diagnostics) -> tuple[Operation, ...]:
    """`operations`, those whose document demands a name that an earlier one has with a derived one."""
    taken: set[str] = set()
    found = []
    for operation in operations:
        if operation.name is not None and operation.name in taken and operation.extension.get("name"):
            message = f"The name {operation.name} is taken by another document; another one is derived."
            place = operation.where.inside("x-mcp", "name")
            diagnostics.add("invalid-extension", message, place, "Give one of the documents a prefix.")
            operation = replace(operation, name=None)
        taken.add(operation.name or "")
        found.append(operation)
    return tuple(found)


# -- what must not be mixed up ----------------------------------------------------------------------------------------


def _has_server(one: Described, base: tuple[Server, ...], diagnostics: Diagnostics) -> bool:
    """Whether it is known where a document's API is; reported where it is not, since another's is none of its own."""
    if base or any("://" in server.url for server in one.api.servers[:1]):
        return True
    message = f"{one.document} names no absolute server URL, and among several documents none stands for it."
    where = one.entry.document.where if one.entry else None
    diagnostics.add("invalid-value", message, where, "Give its entry a `base_url`.")
    return False


def _requiring(api: Api, required: Required) -> Api:
    """`api` with what is `required` at each operation of which the document says nothing."""
    if api.security is not None or required.security is None:
        return api
    return replace(
        api,
        operations=tuple(
            replace(operation, security=required.security, scopes=required.scopes)
            if operation.security is None
            else operation
            for operation in api.operations
        ),
    )


def _apart(
    each: list[Described], base: tuple[Server, ...], required: Required, diagnostics: Diagnostics
) -> list[Described]:
    """The documents with servers, credentials and keys that no other can have."""
    found: list[Described] = []
    schemes: dict[str, tuple[SecurityScheme, tuple[Server, ...]]] = {}
    keys: set[str] = set()
    first = base or (each[0].api.servers if each else ())
    for one in each:
        own = one.entry is not None and bool(one.entry.servers)
        at = base if base and not own else one.api.servers[:1]
        api = _with_credentials(one, at, required if at[:1] == first[:1] else Required(), diagnostics)
        if at[:1] != first[:1]:
            api = replace(api, security=NOTHING, scopes={})
        label = "_".join(words(one.document.rpartition("/")[2].partition(".")[0])) or "api"
        renamed = {
            scheme.name: f"{label}_{scheme.name}"
            for scheme in _schemes(api)
            if schemes.get(scheme.name, (scheme, at)) != (scheme, at)
        }
        api = _renamed(api, renamed)
        schemes |= {scheme.name: (scheme, at) for scheme in _schemes(api)}
        operations = []
        for operation in api.operations:
            named = one.entry.document.text if one.entry else label  # the same wherever the run stands
            key = operation.key if operation.key not in keys else f"{named} {operation.key}"
            keys.add(key)
            own_servers = _absolute(operation.servers, at) or (None if at[:1] == first[:1] else at)
            operations.append(replace(operation, key=key, document=one.document, servers=own_servers))
        found.append(replace(one, api=replace(api, operations=tuple(operations))))
    return found


def _absolute(own: tuple[Server, ...] | None, at: tuple[Server, ...]) -> tuple[Server, ...]:
    """The servers of an operation, those that are relative led to its own document's."""
    return tuple(replace(server, url=_joined(at, server.url)) for server in own or ())


def _joined(at: tuple[Server, ...], url: str) -> str:
    base = at[0].url if at else ""
    origin = _ORIGIN.match(base)
    if "://" in url or origin is None:
        return url
    return origin[0] + url if url.startswith("/") else f"{base.rstrip('/')}/{url}"


def _with_credentials(one: Described, at: tuple[Server, ...], required: Required, diagnostics: Diagnostics) -> Api:
    """The API with what each operation needs written at the operation itself. A scheme of an unknown kind is left out:
    the one header that is there for those would go to more than one API.
    """
    api, entry = one.api, one.entry
    usable = tuple(_with_absolute_urls(scheme, at) for scheme in api.schemes if scheme.type != "other")
    default, scopes = api.security, api.scopes
    known = {name for names in required.security or () for name in names}
    if default is None and required.security is not None:
        default, scopes = required.security, required.scopes
    elif default is None and usable:
        default = (*((scheme.name,) for scheme in usable), ())
    elif default is None:
        name = f"{entry.prefix}_{TOKEN}" if entry and entry.prefix else TOKEN
        title = clipped(api.title)
        usable = (SecurityScheme(name, "bearer", description=f"A bearer token, if {title} wants one."),)
        default = ((name,), ())
    known |= {scheme.name for scheme in usable}
    operations = []
    lost = False
    for operation in api.operations:
        wanted = operation.security if operation.security is not None else default
        kept = tuple(names for names in wanted if known.issuperset(names))
        lost = lost or (bool(wanted) and not kept)
        asked = operation.scopes if operation.security is not None else scopes
        operations.append(replace(operation, security=kept or NOTHING, scopes=asked))
    if lost:
        message = f"{one.document} needs credentials of a kind that is not supported; its calls carry none."
        diagnostics.add("invalid-security", message, entry.document.where if entry else None, "Write a hook for them.")
    return replace(api, schemes=usable, security=default, operations=tuple(operations))


def _with_absolute_urls(scheme: SecurityScheme, at: tuple[Server, ...]) -> SecurityScheme:
    """A scheme whose URLs count from its own document's server: relative ones would count from the first."""
    base = servers.with_defaults(at[0]) if at else ""
    if "://" not in base:
        return scheme
    base = base.rstrip("/") + "/"
    return replace(
        scheme,
        token_url=scheme.token_url and urljoin(base, scheme.token_url),
        discovery_url=scheme.discovery_url and urljoin(base, scheme.discovery_url),
    )


# -- schemes ----------------------------------------------------------------------------------------------------------


def _schemes(api: Api) -> list[SecurityScheme]:
    """Those that are declared, and those that parameters are."""
    implied = (scheme for operation in api.operations for scheme in operation.credentials)
    return [*{scheme.name: scheme for scheme in (*implied, *api.schemes)}.values()]


def _renamed(api: Api, names: Mapping[str, str]) -> Api:
    """`api` with its schemes called as `names` (old → new) says, wherever they are named."""
    if not names:
        return api

    def schemes(found: tuple[SecurityScheme, ...]) -> tuple[SecurityScheme, ...]:
        return tuple(replace(scheme, name=names.get(scheme.name, scheme.name)) for scheme in found)

    def wanted(found: tuple[SecurityRequirement, ...] | None) -> tuple[SecurityRequirement, ...] | None:
        return None if found is None else tuple(tuple(names.get(name, name) for name in each) for each in found)

    def scopes(found: Scopes) -> Scopes:
        return {names.get(name, name): asked for name, asked in found.items()}

    operations = tuple(
        replace(
            operation,
            security=wanted(operation.security),
            scopes=scopes(operation.scopes),
            credentials=schemes(operation.credentials),
        )
        for operation in api.operations
    )
    security = wanted(api.security)
    return replace(
        api, schemes=schemes(api.schemes), security=security, scopes=scopes(api.scopes), operations=operations
    )
