"""Replace the names of resources in the messages of prompts by the URIs of these resources."""

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest
from mcpgen.model import Message, Prompt, PromptSpec, ResourceSpec


def resolve(
    prompts: tuple[Prompt, ...], resources: tuple[ResourceSpec, ...], diagnostics: Diagnostics
) -> tuple[PromptSpec, ...]:
    """Return the prompts with the URIs of their resources, in order.

    Report and drop a prompt whose name is taken, or that names a resource that is unknown or a template.
    """
    known = {each.resource.name: each for each in resources}
    found: dict[str, PromptSpec] = {}
    for prompt in prompts:
        if prompt.name in found:
            message = f"Two prompts are called {prompt.name}."
            diagnostics.add("duplicate-name", message, prompt.where.inside("name"), "Rename one of them.")
            continue
        uris = {each.resource: _uri(each, known, diagnostics) for each in prompt.messages if each.resource}
        if all(uris.values()):
            found[prompt.name] = PromptSpec(prompt, uris)
    return tuple(found.values())


def _uri(message: Message, known: dict[str, ResourceSpec], diagnostics: Diagnostics) -> str:
    """Return the URI of a message's resource, or "" if it cannot be used, which is reported."""
    name, place = message.resource, message.where.inside("resource")
    if name not in known:
        hint = nearest(name, list(known)) or "Write one under 'resources'."
        diagnostics.add("unknown-name", f"There is no resource '{clipped(name)}'.", place, hint)
    elif known[name].resource.variables:
        told = f"The resource '{clipped(name)}' is a template; a message holds a resource of one URI."
        diagnostics.add("invalid-value", told, place, "Let a tool or the client read it.")
    else:
        return known[name].uri
    return ""
