"""An `Api` and what its owner adds: the user's tools file applied to the API of the source."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mcpgen.jsonvalue import JsonObject
from mcpgen.model import Api


class _Both(Mapping[str, JsonObject]):
    """The schemas of two documents. Each knows which names are its own, so nothing is looked at before it is needed."""

    def __init__(self, first: Mapping[str, JsonObject], second: Mapping[str, JsonObject]) -> None:
        self._parts = (first, second)

    def __getitem__(self, name: str) -> JsonObject:
        for part in self._parts:
            if name in part:
                return part[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for part in self._parts:
            yield from part

    def __len__(self) -> int:
        return sum(map(len, self._parts))


def merge(api: Api, settings: Api) -> Api:
    """`api` with the tools of `settings` added, and its identity, base URL and schemes winning where they are given."""
    known = {scheme.name for scheme in settings.schemes}
    own = tuple(
        replace(operation, security=operation.security if operation.security is not None else settings.security)
        for operation in settings.operations
    )
    return replace(
        api,
        title=settings.title or api.title,
        version=settings.version or api.version,
        name=settings.name or api.name,
        instructions=settings.instructions or api.instructions,
        operations=api.operations + own,
        definitions=_Both(api.definitions, settings.definitions),
        servers=settings.servers or api.servers,
        schemes=settings.schemes + tuple(scheme for scheme in api.schemes if scheme.name not in known),
        skipped=api.skipped + settings.skipped,
    )
