"""Add the tools and settings of the user's tools file to the API of the source document."""

from dataclasses import replace
from typing import TypeVar

from mcpgen.merge.unique_prefixes import label_of, place_of
from mcpgen.model import NO_CREDENTIALS, Api, Operation, Prompt, Resource, Server

Named = TypeVar("Named", Prompt, Resource)


# A tools file decides which credentials go to its own server, and not what a document requires for another server.
def merge(api: Api, settings: Api, base: tuple[Server, ...]) -> Api:
    """Return `api` with the tools of the tools file `settings` added.

    Where `settings` gives a title, version, schemes or other values, they replace those of `api`. `base` replaces the
    servers of `api`. `api` and `settings` must be read with the same `Library`, so that they share their schemas.
    """
    home = base or api.servers
    known = {scheme.name for scheme in settings.schemes}
    own = settings.changed(lambda operation: _completed(operation, settings, api, home))
    return replace(
        api,
        title=settings.title or api.title,
        named_at=settings.named_at if settings.title or settings.instructions else api.named_at,
        version=settings.version or api.version,
        name=settings.name or api.name,
        instructions=settings.instructions or api.instructions,
        logging=api.logging if settings.logging is None else settings.logging,
        operations=api.operations + own.operations,
        servers=home,
        schemes=settings.schemes + tuple(scheme for scheme in api.schemes if scheme.name not in known),
        skipped=api.skipped + settings.skipped,
        output=settings.output or api.output,
        fields=api.fields if settings.fields is None else settings.fields,
        redirects=settings.redirects or api.redirects,
        headers={**api.headers, **settings.headers},
        lookups=api.lookups if settings.lookups is None else settings.lookups,
        pages=settings.pages or api.pages,
        confirm={**api.confirm, **settings.confirm},
        roles={**api.roles, **settings.roles},
        resources=_with_own(api.resources, own.resources),
        prompts=_with_own(api.prompts, settings.prompts),
    )


def _completed(operation: Operation, settings: Api, api: Api, home: tuple[Server, ...]) -> Operation:
    """Return an operation of the tools file with a server and security, also if the file writes none at the tool.

    Credentials of `api` are only for `home`, its server: an operation on another server gets none of them.
    """
    operation = replace(operation, servers=operation.servers or home[:1])
    place = place_of(operation.servers)
    elsewhere = place != place_of(home) and bool(api.operations or api.schemes)
    if elsewhere:
        operation = _without_credentials(operation, settings, api, label_of(place))
    default = settings.security.otherwise(NO_CREDENTIALS if elsewhere else api.security)
    return replace(operation, security=operation.security.otherwise(default))


def _without_credentials(operation: Operation, settings: Api, api: Api, label: str) -> Operation:
    """Rename credential parameters of an operation that have the name of a scheme of `api`: put `label` before the
    name.

    Otherwise the credential for that scheme would be sent to the operation's own server.
    """
    theirs = {scheme.name for each in api.operations for scheme in each.credentials}
    theirs |= {scheme.name for scheme in api.schemes}
    theirs -= {scheme.name for scheme in settings.schemes}
    found = (
        replace(scheme, name=f"{label}_{scheme.name}") if scheme.name in theirs else scheme
        for scheme in operation.credentials
    )
    return replace(operation, credentials=tuple(found))


def _with_own(found: tuple[Named, ...], own: tuple[Named, ...]) -> tuple[Named, ...]:
    """Return the items of `found` and `own`. An item of `own` replaces the item of the same name in `found`."""
    names = {each.name for each in own}
    return tuple(each for each in found if each.name not in names) + own
