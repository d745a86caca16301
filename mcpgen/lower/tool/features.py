"""Derive what a server offers beside tools: resources and prompts.

Resources get their final URIs. Resources that the server fetches from the API also get an HTTP request (`HttpBinding`),
as tools do. Messages of prompts name resources; these names are replaced by URIs.
"""

import re
from collections.abc import Callable

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest, short_hash
from mcpgen.lower.inputs.arguments import Arguments
from mcpgen.lower.inputs.slots import Slot
from mcpgen.lower.request import bindings, security
from mcpgen.lower.schema.compose import Composer
from mcpgen.lower.tool import guards, questions
from mcpgen.model import (
    Api,
    HttpBinding,
    Identity,
    Message,
    Operation,
    Prompt,
    PromptSpec,
    Resource,
    ResourceSpec,
    SecurityRequirement,
)

_VARIABLE = re.compile(r"\{[^{}]*\}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._~]+")


def bind_resources(
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
    of_callers = guards.scopes_of(operation, diagnostics)
    return bindings.bind(operation, None, arguments, composer, server(operation), needed, asked, of_callers)


def resolve_prompts(
    prompts: tuple[Prompt, ...], resources: tuple[ResourceSpec, ...], diagnostics: Diagnostics
) -> tuple[PromptSpec, ...]:
    """Return the prompts with the URIs of their resources, in order.

    Report and drop a prompt if another prompt has its name, or if it names a resource that is unknown or a template.
    """
    offered = tuple(each for each in resources if each.resource.completes is None)
    known = {each.resource.name: each for each in offered}
    found: dict[str, PromptSpec] = {}
    for prompt in prompts:
        if prompt.name in found:
            message = f"Two prompts are called {prompt.name}."
            diagnostics.add("duplicate-name", message, prompt.where.inside("name"), "Rename one of them.")
            continue
        uris = {each.resource: _uri(each, known, diagnostics) for each in prompt.messages if each.resource}
        chosen = [_is_found(each, offered, diagnostics) for each in prompt.messages if each.chosen]
        if all(uris.values()) and all(chosen):
            found[prompt.name] = PromptSpec(prompt, uris, questions.of_prompt(prompt, diagnostics))
    return tuple(found.values())


def _uri(message: Message, known: dict[str, ResourceSpec], diagnostics: Diagnostics) -> str:
    """Return the URI of a message's resource. If the resource cannot be used, report it and return ""."""
    name, place = message.resource, message.where.inside("resource")
    if name not in known:
        hint = nearest(name, list(known)) or "Describe the resource under 'resources'."
        diagnostics.add("unknown-name", f"There is no resource '{clipped(name)}'.", place, hint)
    elif known[name].resource.variables:
        told = f"The resource '{clipped(name)}' is a template, but a message needs a resource with a fixed URI."
        hint = f"Write the URI {clipped(known[name].uri)}, with arguments of the prompt in place of its variables."
        diagnostics.add("invalid-value", told, place, hint)
    else:
        return known[name].uri
    return ""


def _is_found(message: Message, resources: tuple[ResourceSpec, ...], diagnostics: Diagnostics) -> bool:
    """Return True if the message's URI, with some values for its arguments, can be the URI of one of `resources`.
    Otherwise report the URI.
    """
    literals = message.literals
    if any(_may_be(literals, _VARIABLE.split(each.uri)) for each in resources):
        return True
    uri = "{…}".join(literals)
    told, uris = f"No resource of the server has a URI of the form '{clipped(uri)}'.", [each.uri for each in resources]
    hint = nearest(uri, uris) or (
        "Write the URI of a resource that is listed under 'resources'. The URI may contain arguments of the prompt, "
        "as in db://users/{user}."
    )
    diagnostics.add("unknown-name", told, message.where.inside("resource"), hint)
    return False


def _may_be(literals: tuple[str, ...], known: list[str]) -> bool:
    """Return True if two URIs with gaps can become the same URI when texts fill the gaps.

    `literals`: the texts around the gaps (arguments) of the first. `known`: those around the variables of the second.
    """
    return any(
        re.fullmatch("[^/?#&]+".join(map(re.escape, pattern)), "x".join(example)) is not None
        for pattern, example in ((literals, known), (known, literals))
    )
