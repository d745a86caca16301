"""Write `resources.json` and `prompts.json`, one entry a line, if there are any entries.

The member `listed` of an entry is the object that MCP's list of resources or prompts contains. The types of
the entries are those of the runtime (`tables/table.py`).
"""

from base64 import b64encode
from collections.abc import Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact, without_empty
from mcpgen.emit import table
from mcpgen.model import Catalog, HttpBinding, Message, Operation, PromptSpec, Resource, ResourceSpec, Values


# Tables of their own: a server without resources and prompts reads nothing more at start.
def tables(catalog: Catalog) -> dict[str, bytes]:
    """Return name (`resources` or `prompts`) → contents of the JSON file with this name. A file without entries is left
    out.
    """
    sources = {each.resource.completes: each for each in catalog.resources if each.resource.completes}
    found = {
        "resources": [{**_resource(each), **_sources(sources, "resource", each)} for each in catalog.offered],
        "prompts": [{**_prompt(each), **_sources(sources, "prompt", each)} for each in catalog.prompts],
    }
    return {name: _array(entries) for name, entries in found.items() if entries}


def listed_resource(spec: ResourceSpec) -> JsonObject:
    """Return a resource as an MCP `ResourceTemplate` if its URI has variables, else as an MCP `Resource`."""
    resource = spec.resource
    return {
        "uriTemplate" if resource.variables else "uri": spec.uri,
        "name": resource.name,
        **without_empty(title=resource.title, description=_described(resource), mimeType=resource.media_type),
    }


def _described(resource: Resource) -> str:
    """Return the description of a resource. A line for each variable of its URI template follows, because MCP has no
    field for descriptions of variables.
    """
    parameters = resource.operation.parameters if resource.operation else ()
    said = [f"- {each.name}: {each.description}" for each in parameters if each.description]
    return "\n".join(filter(None, [resource.description, *said]))


def listed_prompt(spec: PromptSpec) -> JsonObject:
    """Return the MCP `Prompt`."""
    prompt = spec.prompt
    arguments: list[JsonValue] = [
        {"name": each.name, **without_empty(title=each.title, description=each.description), "required": each.required}
        for each in prompt.arguments
    ]
    described = without_empty(title=prompt.title, description=prompt.description, arguments=arguments)
    return {"name": prompt.name, **described}


def _array(entries: list[JsonObject]) -> bytes:
    lines = ",\n".join(map(compact, entries))
    return f"[\n{lines}\n]\n".encode("ascii")


def _resource(spec: ResourceSpec) -> JsonObject:
    resource, operation = spec.resource, spec.resource.operation
    result: JsonObject = {"listed": listed_resource(spec), **_values(resource.values)}
    if isinstance(resource.content, str):
        result["text"] = resource.content
    elif resource.content is not None:
        result["blob"] = b64encode(resource.content).decode("ascii")
    if spec.binding is not None and operation is not None:
        result["binding"] = _binding(operation, spec.binding)
    return {**result, **without_empty(**resource.extra)}


def _binding(operation: Operation, binding: HttpBinding) -> JsonObject:
    timeout = without_empty(timeout=operation.decided.timeout)
    return {"operation": table.operation(operation), **table.request(binding), **timeout}


def _sources(
    sources: Mapping[tuple[str, str, str], ResourceSpec], kind: str, spec: ResourceSpec | PromptSpec
) -> JsonObject:
    """Return `completes` → (argument → the request that fetches values for its completion); {} if there is none."""
    name = spec.resource.name if isinstance(spec, ResourceSpec) else spec.prompt.name
    found: JsonObject = {}
    for (of, owner, argument), source in sources.items():
        operation = source.resource.operation
        if (of, owner) == (kind, name) and operation is not None and source.binding is not None:
            at: JsonObject = {"values": source.resource.pointer} if source.resource.pointer else {}
            found[argument] = {"binding": _binding(operation, source.binding), **at}
    return {"completes": found} if found else {}


def _prompt(spec: PromptSpec) -> JsonObject:
    messages: list[JsonValue] = [_message(each, spec) for each in spec.prompt.messages]
    asked: JsonObject = {"ask": [table.question(each) for each in spec.questions]} if spec.questions else {}
    return {"listed": listed_prompt(spec), **_values(spec.prompt.values), **asked, "messages": messages}


def _message(message: Message, spec: PromptSpec) -> JsonObject:
    if message.resource:
        return {"role": message.role, "resource": spec.uris[message.resource]}
    first, *rest = message.literals
    text: list[JsonValue] = [first]
    for argument, literal in zip(message.arguments, rest, strict=True):
        text += [{"argument": argument}, literal]
    return {"role": message.role, "chosen" if message.chosen else "text": [part for part in text if part != ""]}


def _values(values: Values) -> JsonObject:
    return {"values": {name: list[JsonValue](each) for name, each in values.items()}} if values else {}
