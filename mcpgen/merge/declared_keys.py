"""Let the API keys that a tools file declares replace parameters that carry the same keys.

A document may describe an API key only as a header, query or cookie parameter. As soon as a tools file declares the key
as a security scheme, the server sends the key from that scheme's environment variable.
"""

from collections.abc import Iterable
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.merge.unique_prefixes import place_of
from mcpgen.model import Api, Operation, SecurityScheme
from mcpgen.read.openapi import parameters


# If the parameter stayed an argument, the model would have to give the key. If its scheme stayed, the key would be sent
# twice.
def with_declared_keys(api: Api, schemes: Iterable[SecurityScheme], diagnostics: Diagnostics) -> Api:
    """Return `api` without parameters that an API key in `schemes` fills, and report each removed parameter.

    `schemes`: the security schemes of all tools files. Operations on another server than that of `api` keep their
    parameters, because they do not get these keys.
    """
    keys = parameters.api_keys(schemes)
    if not keys:
        return api
    home = place_of(api.servers)
    return replace(
        api,
        operations=tuple(
            _filled(each, keys, diagnostics) if place_of(each.servers) == home else each for each in api.operations
        ),
    )


def _filled(operation: Operation, keys: parameters.Credentials, diagnostics: Diagnostics) -> Operation:
    """Return `operation` with each parameter and credential that a declared API key fills replaced by this key's
    security scheme. `keys`: location and name in the request → security scheme.
    """
    kept, found = parameters.without_credentials(operation.parameters, keys, diagnostics, by_name=False)
    known = [keys.get(parameters.place_of(each.location, each.wire_name), each) for each in operation.credentials]
    return replace(
        operation,
        parameters=kept,
        credentials=tuple({each.name: each for each in (*known, *found)}.values()),
        withheld=(*operation.withheld, *(each for each in operation.parameters if each not in kept)),
    )
