"""Rename security schemes of several documents, so that each name stands for one scheme on one server."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from mcpgen.merge.unique_prefixes import ServerPlace, ServerScheme, names_of
from mcpgen.model import Api, Security, SecurityScheme
from mcpgen.read.inputs import DescribedApi

_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def rename_schemes(
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
        return [scheme_at(scheme, whole_server(place)) for scheme in all_schemes(one.api) if scheme.name not in mine]

    names = names_of([(kept, one) for one, place in placed for kept in apart(one, place)], {*owned, *alone})
    return [
        (replace(one, api=with_names(one.api, {kept.scheme.name: names[kept] for kept in apart(one, place)})), place)
        for one, place in placed
    ]


def each_once(schemes: Iterable[SecurityScheme]) -> tuple[SecurityScheme, ...]:
    """Return one security scheme per name, sorted by name.

    Schemes of one name are equal, or a scheme of the tools file replaces them later.
    """
    return tuple(sorted({scheme.name: scheme for scheme in schemes}.values(), key=lambda scheme: scheme.name))


def all_schemes(api: Api) -> list[SecurityScheme]:
    """Return the declared schemes and the schemes of credential parameters, one per name."""
    implied = (scheme for operation in api.operations for scheme in operation.credentials)
    return [*{scheme.name: scheme for scheme in (*implied, *api.schemes)}.values()]


def with_names(api: Api, names: Mapping[str, str]) -> Api:
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


def scheme_at(scheme: SecurityScheme, place: ServerPlace) -> ServerScheme:
    """Return a scheme paired with its server, without description and scopes, since different descriptions and scopes
    do not mean different credentials.
    """
    user = scheme.user and replace(scheme.user, scopes=())
    return ServerScheme(replace(scheme, description="", scopes=(), has_scopes=False, user=user), place)


def whole_server(place: ServerPlace) -> ServerPlace:
    """Return the server `place` with its URL cut to the origin, since a credential is valid for a whole origin."""
    return replace(place, url=(found[0] if (found := _ORIGIN.match(place.url)) else ""))
