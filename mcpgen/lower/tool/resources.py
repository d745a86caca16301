"""Give resources their final URIs. Resources that the server fetches from the API also get an HTTP request
(`HttpBinding`), as tools do.
"""

import re
from collections.abc import Callable

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, short_hash
from mcpgen.lower.inputs.arguments import Arguments
from mcpgen.lower.inputs.slots import Slot
from mcpgen.lower.request import bindings, security
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.tool import scopes
from mcpgen.model import Api, HttpBinding, Identity, Operation, Resource, ResourceSpec, SecurityRequirement

_VARIABLE = re.compile(r"\{[^{}]*\}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._~]+")


def bind(
    api: Api, identity: Identity, server: Callable[[Operation], int], diagnostics: Diagnostics
) -> tuple[ResourceSpec, ...]:
    """Return the resources of `api`, in the order of `api.resources`.

    A resource is reported and left out if its URI is reserved, or if a resource before it has the same URI or name.
    `server`: function from an operation to the index of its server.
    """
    composer, accepted = Composer(api.definitions), security.undeclared(api)
    found: dict[str, ResourceSpec] = {}
    names: set[str] = set()
    for resource in api.resources:
        uri = resource.uri or f"{identity.name}://{_safe(resource.name)}"
        kept = f"{identity.name}://result"
        if uri.lower() == kept or uri.lower().startswith((f"{kept}/", f"{kept}?", f"{kept}#")):
            message = f"The URI {clipped(uri)} is reserved: the server uses such URIs for large results."
            _report("invalid-value", message, "Give the resource another 'uri'.", resource, diagnostics)
        elif (blanked := _VARIABLE.sub("{}", uri)) in found:
            first = clipped(found[blanked].resource.name)
            message = f"The resources '{first}' and '{clipped(resource.name)}' have the same URI, {clipped(uri)}."
            _report("duplicate-name", message, "Give one of the two resources another URI.", resource, diagnostics)
        elif resource.name in names:
            message = f"Two resources are called '{clipped(resource.name)}'."
            _report("duplicate-name", message, "Rename one of them.", resource, diagnostics, "name")
        else:
            names.add(resource.name)
            found[blanked] = ResourceSpec(
                resource, uri, _binding(resource.operation, api, accepted, composer, server, diagnostics)
            )
    return tuple(found.values())


def _report(
    code: str, message: str, hint: str, resource: Resource, diagnostics: Diagnostics, key: str | None = None
) -> None:
    diagnostics.add(code, message, resource.where.inside(key or ("uri" if resource.uri else "name")), hint)


def _safe(name: str) -> str:
    return _UNSAFE.sub("-", name).strip("-") or short_hash(name)


def _binding(
    operation: Operation | None,
    api: Api,
    accepted: tuple[SecurityRequirement, ...],
    composer: Composer,
    server: Callable[[Operation], int],
    diagnostics: Diagnostics,
) -> HttpBinding | None:
    if operation is None:
        return None
    names: dict[Slot, str] = {(each.location, each.name): each.argument or each.name for each in operation.parameters}
    arguments = Arguments({}, "portable", names, {}, ())
    needed, asked = security.requirement(operation, api, accepted), security.scopes(operation, api)
    of_callers = scopes.derive(operation, diagnostics)
    return bindings.bind(operation, None, arguments, composer, server(operation), needed, asked, of_callers)
