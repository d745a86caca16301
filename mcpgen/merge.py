"""An `Api` and what its owner adds: the user's tools file applied to the API of the source."""

from dataclasses import replace

from mcpgen.model import Api


def merge(api: Api, settings: Api) -> Api:
    """`api` with the tools of `settings` added, and its identity, base URL and schemes winning where they are given.

    Both were read from one library, so that their schemas are the same.
    """
    known = {scheme.name for scheme in settings.schemes}
    own = tuple(
        operation
        if operation.security is not None
        else replace(operation, security=settings.security, scopes=settings.scopes)
        for operation in settings.operations
    )
    return replace(
        api,
        title=settings.title or api.title,
        version=settings.version or api.version,
        name=settings.name or api.name,
        instructions=settings.instructions or api.instructions,
        operations=api.operations + own,
        servers=settings.servers or api.servers,
        schemes=settings.schemes + tuple(scheme for scheme in api.schemes if scheme.name not in known),
        skipped=api.skipped + settings.skipped,
        output=settings.output or api.output,
        fields=api.fields if settings.fields is None else settings.fields,
        confirm={**api.confirm, **settings.confirm},
        roles={**api.roles, **settings.roles},
    )
