"""Replace the names of resources in the messages of prompts by the URIs of these resources."""

import re

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped, nearest
from mcpgen.lower.tool import questions
from mcpgen.model import Message, Prompt, PromptSpec, ResourceSpec

_VARIABLE = re.compile(r"\{[^{}]*\}")


def resolve(
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
