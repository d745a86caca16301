"""Check every catalog before it is emitted, independently of the code that made it.

A client that meets one bad schema may drop every tool of a server. Therefore a tool with a fault is removed and
reported, and the other tools stay. Derived schemas must be in the portable profile: the keywords of JSON Schema that
every client and model provider accepts. In handwritten schemas, only faults that make clients reject the tool list
count. No text may hold a hidden character (HARD-09); `lower/text/sanitize.py` has removed such characters before.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostic, Diagnostics, Where
from mcpgen.base.invisible import has_hidden
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import ARGUMENT_NAME, TOOL_NAME, WRITTEN_ARGUMENT_NAME, WRITTEN_TOOL_NAME, clipped
from mcpgen.base.once import ValueCache
from mcpgen.check.names import unique_aliases
from mcpgen.lower.schema import handwritten
from mcpgen.lower.schema.constraints import FORMATS
from mcpgen.model import (
    LONGEST_DESCRIPTION,
    Catalog,
    Identity,
    PromptSpec,
    ResourceSpec,
    Skipped,
    ToolSpec,
    Values,
    arguments_of,
)

DEEPEST = 12
"""Limit on the nesting of an emitted schema, counting alternatives such as `anyOf`. `lower` already cuts schemas at
half of it.
"""

_KEYWORDS: dict[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "string": frozenset({"enum", "format", "pattern", "contentEncoding"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum", "maximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
_TEXT: JsonObject = {"type": "string"}
_EVERYWHERE = frozenset({"type", "description", "default"})
_OF_INPUT = "The inputSchema"
_RENAME = "Give the argument another name: `arguments: {NAME: {name: …}}` under `overrides`."
_RENAME_BY_HAND = (
    "Rename the argument, or write `portable: false` at the tool to keep the name although some clients fail on it."
)
_OF_OUTPUTS = frozenset({"type", "properties", "items", "additionalProperties"})


def check(catalog: Catalog, diagnostics: Diagnostics) -> Catalog:
    """Return `catalog` without tools that must not be emitted.

    The removed tools are reported and added to the catalog's skipped operations.
    """
    kept: list[ToolSpec] = []
    once = ValueCache()
    skipped = list(catalog.skipped)
    names: set[str] = set()
    for tool in catalog.tools:
        reasons = list(_reasons(tool, names, once, catalog.longest_description))
        if not reasons:
            names.add(tool.name.casefold())
            kept.append(tool)
            _note_profile(tool, diagnostics)
            _note_arguments(tool, diagnostics)
            continue
        diagnostics.extend(reasons)
        by_hand = tool.operation.key == f"tool {tool.name}"
        label = tool.name if by_hand else f"{tool.operation.method} {tool.operation.path}"
        skipped.append(Skipped(label, reasons[0]))
    tools = unique_aliases(kept, diagnostics)
    return replace(
        catalog,
        tools=tuple(tool for tool in tools if tool.operation.decided.listed is not False),
        inner=tuple(tool for tool in tools if tool.operation.decided.listed is False),
        skipped=tuple(sorted(skipped, key=lambda entry: entry.operation)),
        identity=_visible_identity(catalog.identity, diagnostics),
        resources=tuple(each for each in catalog.resources if _is_visible_resource(each, diagnostics)),
        prompts=tuple(each for each in catalog.prompts if _is_visible_prompt(each, diagnostics)),
    )


def _reasons(tool: ToolSpec, names: set[str], once: ValueCache, longest: int) -> Iterator[Diagnostic]:
    """Yield the reasons why `tool` must not be emitted: its first problem, else every invalid `x-mcp-header`
    annotation.

    `names`: names of the tools accepted so far, none of which `tool` may repeat. `longest`: limit for descriptions.
    """
    problem = next(problems(tool, once, longest), None)
    if problem is not None:
        yield _reason(tool, *problem)
    elif tool.name.casefold() in names:
        yield _reason(tool, "unportable-name", f"The name {tool.name} is taken by another tool.")
    elif tool.profile == "written":
        yield from handwritten.invalid_header_annotations(tool.input_schema, tool.operation.where.inside("inputSchema"))


def _visible_identity(identity: Identity, diagnostics: Diagnostics) -> Identity:
    """Return `identity`. If its title or instructions hold hidden characters, both are left out."""
    if not has_hidden([identity.title, identity.instructions]):
        return identity
    diagnostics.add(
        "hidden-characters",
        "There are hidden characters in the server's title or instructions, so both texts are left out.",
    )
    return replace(identity, title=identity.name, instructions="")


def _is_visible_resource(spec: ResourceSpec, diagnostics: Diagnostics) -> bool:
    """Return True if no text of a resource holds hidden characters. Otherwise report the resource."""
    resource = spec.resource
    said = [spec.uri, resource.name, resource.title, resource.description, resource.media_type]
    said += [resource.content] if isinstance(resource.content, str) else []
    parameters = resource.operation.parameters if resource.operation else ()
    said += [part for each in parameters for part in (each.name, each.description)]
    what = f"The resource '{clipped(resource.name)}'"
    return _is_visible(what, [*said, *_values(resource.values)], resource.where, diagnostics)


def _is_visible_prompt(spec: PromptSpec, diagnostics: Diagnostics) -> bool:
    """Return True if no text of a prompt holds hidden characters. Otherwise report the prompt."""
    prompt = spec.prompt
    said = [prompt.name, prompt.title, prompt.description]
    said += [part for each in prompt.arguments for part in (each.name, each.title, each.description)]
    said += [part for message in prompt.messages for part in message.literals]
    said += [part for each in spec.questions for part in each.message if isinstance(part, str)]
    said += [json.dumps(dict(each.form), ensure_ascii=False) for each in spec.questions]
    what = f"The prompt {clipped(prompt.name)}"
    return _is_visible(what, [*said, *_values(prompt.values)], prompt.where, diagnostics)


def _values(values: Values) -> list[str]:
    return [each for listed in values.values() for each in listed]


def _is_visible(what: str, said: list[str], where: Where, diagnostics: Diagnostics) -> bool:
    if not has_hidden(said):
        return True
    diagnostics.add("hidden-characters", f"{what} contains hidden characters and is left out.", where, "Remove them.")
    return False


def _note_profile(tool: ToolSpec, diagnostics: Diagnostics) -> None:
    """Report a handwritten input schema that some clients may reject, unless its tool has `portable: false`."""
    if tool.profile != "written" or tool.operation.decided.portable is False:
        return
    if reason := next(inputs_outside_profile(as_object(_unclosed(tool.input_schema)), ValueCache()), ""):
        message = f"The inputSchema of {tool.name} {reason}: not every client and model provider accepts that."
        hint = "To keep the schema anyway, write `portable: false` at the tool."
        diagnostics.add("written-schema", message, tool.operation.where.inside("inputSchema"), hint)


def _note_arguments(tool: ToolSpec, diagnostics: Diagnostics) -> None:
    """Report argument names on which some agent frameworks fail.

    Only names that a person wrote, or that the lock file keeps, can be of this kind: derived names never are.
    """
    if tool.operation.decided.portable is False:
        return
    for name in as_object(tool.input_schema.get("properties")):
        if WRITTEN_ARGUMENT_NAME.fullmatch(name) and not ARGUMENT_NAME.fullmatch(name):
            message = f"The argument {name} of {tool.name} has a name on which LangChain, LlamaIndex or AutoGen fail."
            hint = _RENAME if tool.operation.decided.name is None else _RENAME_BY_HAND
            diagnostics.add("risky-argument", message, tool.operation.where, hint)


def _unclosed(node: JsonValue) -> JsonValue:
    """Return a handwritten schema without `additionalProperties: false`, before a check against the portable profile.

    The check would report the value false, which no schema that mcpgen derives has. But every client accepts it.
    """
    if isinstance(node, dict):
        return {key: _unclosed(each) for key, each in node.items() if (key, each) != ("additionalProperties", False)}
    return [_unclosed(each) for each in node] if isinstance(node, list) else node


def _reason(tool: ToolSpec, code: str, message: str) -> Diagnostic:
    where = tool.operation.where
    if code == "broken-schema":
        key = "inputSchema" if message.startswith(_OF_INPUT) else "outputSchema"
        return Diagnostic(
            code,
            message,
            "Correct the schema, because clients would otherwise reject all tools of the server.",
            where.inside(key),
        )
    if code == "hidden-characters":
        return Diagnostic(code, message, "Remove the hidden characters from the document.", where)
    return Diagnostic(
        code, message, "Leave the operation out with --exclude, and report this as a bug of mcpgen.", where
    )


def problems(tool: ToolSpec, once: ValueCache, longest: int = LONGEST_DESCRIPTION) -> Iterator[tuple[str, str]]:
    """Yield every reason (code, sentence) why `tool` must not be emitted. `longest`: limit for its description."""
    by_hand = tool.operation.decided.name is not None
    rule = WRITTEN_TOOL_NAME if by_hand else TOOL_NAME
    if not rule.fullmatch(tool.name) or (not by_hand and "__" in tool.name):
        yield "unportable-name", f"{tool.name!r} is not a name that every client accepts."
    if not tool.description.strip() or len(tool.description) > longest:
        yield "unportable-schema", f"{tool.name} has no description, or one that is too long."
    said = [text for _, text in tool.binding.result.texts()] if tool.binding.result else []
    hiding = once.of_parts(has_hidden, tool.input_schema)
    asked = [(each.message, each.form, each.arguments) for each in tool.questions]
    if any(hiding) or has_hidden([tool.title, tool.description, tool.output_schema, said, asked]):
        yield "hidden-characters", f"{tool.name} has texts, names or values with invisible characters."
    schema = tool.input_schema
    if tool.profile == "written":
        for reason in handwritten.broken(schema):
            yield "broken-schema", f"{_OF_INPUT} of {tool.name} {reason}."
    elif schema.get("type") != "object":
        yield "unportable-schema", f"The input schema of {tool.name} is not an object at its root."
        return
    else:
        schema = tool.whole_schema
        broken = inputs_outside_profile(schema, once) if tool.profile == "portable" else handwritten.broken(schema)
        for reason in broken:
            yield "unportable-schema", f"The input schema of {tool.name} {reason}."
    yield from _unbound(tool)
    if tool.output_form == "written":
        for reason in handwritten.broken(tool.output_schema or {}):
            yield "broken-schema", f"The outputSchema of {tool.name} {reason}."
    elif tool.output_schema is not None:
        for reason in _outside_outputs(tool.output_schema):
            yield "unportable-schema", f"The output schema of {tool.name} {reason}."


def _unbound(tool: ToolSpec) -> Iterator[tuple[str, str]]:
    """Yield a problem for each argument of the tool that its request does not use.

    Also yield a problem for each argument that the request uses but the tool does not have.
    """
    if tool.binding.workflow is not None:
        return  # its steps are checked where they are lowered
    bound: set[str | None] = set()
    for parameter in tool.binding.parameters():
        bound |= {parameter.argument, *arguments_of(parameter.template or {})}
    body = tool.binding.body
    if body is not None:
        bound |= set(arguments_of(body.template or {}))
        bound |= {body.argument, body.rest, *(f.argument for f in body.fields), *(f.filename for f in body.fields)}
        bound |= {header.argument for field in body.fields for header in field.headers}
    bound |= {tool.binding.fields, *(each.argument for each in tool.binding.lookups), *tool.binding.variables.values()}
    bound |= {tool.binding.account}
    bound.discard(None)
    declared = {*as_object(tool.whole_schema.get("properties")), *tool.binding.also}
    for name in sorted(declared - bound):
        yield "unbound-argument", f"The argument {name} of {tool.name} is not used in the request."
    for name in sorted(str(name) for name in bound - declared):
        yield "unbound-argument", f"The request of {tool.name} uses an argument {name} that the tool does not have."


def inputs_outside_profile(schema: JsonObject, once: ValueCache) -> Iterator[str]:
    """Yield each violation of the portable profile (keywords that every client accepts) in an input schema, as the end
    of a sentence about the schema, such as `nests too deep`.
    """
    properties = as_object(schema.get("properties"))
    if "anyOf" in schema:
        yield "has alternatives (`anyOf`) in a place where they are not allowed"
    yield from outside_profile({**schema, "properties": dict.fromkeys(properties, _TEXT)} if properties else schema)
    for name, argument in properties.items():
        if not WRITTEN_ARGUMENT_NAME.fullmatch(name):
            yield f"has an argument {name!r} that providers refuse"
        yield from once.ask(_argument_outside_profile, argument)


def _argument_outside_profile(schema: JsonValue) -> list[str]:
    return list(outside_profile(schema, depth=1))


def outside_profile(node: JsonValue, *, depth: int = 0) -> Iterator[str]:
    """Yield each violation of the portable profile (keywords that every client accepts) in a schema, as the end of a
    sentence about the schema, such as `nests too deep`.
    """
    if depth > DEEPEST:
        yield "nests too deep"
    elif not isinstance(node, dict):
        yield "has a subschema that is not an object"
    elif "anyOf" in node:
        yield from _alternatives_outside_profile(node, depth)
    else:
        kind = node.get("type")
        if not isinstance(kind, str) or kind not in _KEYWORDS:
            yield "has a subschema without a type"
            return
        if stray := sorted(set(node) - _EVERYWHERE - _KEYWORDS[kind]):
            yield f"has the keyword {stray[0]} in a subschema of type {kind}"
        if kind == "object":
            yield from _object_outside_profile(node, depth)
        elif kind == "array":
            yield from outside_profile(node.get("items"), depth=depth + 1)
        elif kind == "string":
            yield from _text_outside_profile(node)


def _alternatives_outside_profile(node: JsonObject, depth: int) -> Iterator[str]:
    branches = as_list(node["anyOf"])
    if len(branches) < 2 or set(node) - {"anyOf", "description", "default"}:
        yield "has alternatives (`anyOf`) in a place where they are not allowed"
    for branch in branches:
        yield from outside_profile(branch, depth=depth + 1)


def _object_outside_profile(node: JsonObject, depth: int) -> Iterator[str]:
    properties = as_object(node.get("properties"))
    if not all(key in properties for key in as_list(node.get("required"))):
        yield "requires a property that it does not have"
    for member in properties.values():
        yield from outside_profile(member, depth=depth + 1)
    if "additionalProperties" in node:
        yield from outside_profile(node["additionalProperties"], depth=depth + 1)


def _text_outside_profile(node: JsonObject) -> Iterator[str]:
    values = as_list(node.get("enum"))
    if "enum" in node and (not values or not all(isinstance(value, str) and value for value in values)):
        yield "has an enum that is empty or holds something other than texts"
    if "format" in node and node["format"] not in FORMATS:
        yield "has a format that not every model provider knows"


def _outside_outputs(schema: JsonObject) -> Iterator[str]:
    """Yield a sentence for each way in which clients could refuse a derived output schema, or responses could violate
    it.
    """
    if schema.get("type") != "object":
        yield "is not an object at its root"
    waiting: list[tuple[JsonValue, int]] = [(schema, 0)]
    while waiting:
        node, depth = waiting.pop()
        if not isinstance(node, dict) or depth > DEEPEST:
            yield "has a subschema that is not an object, or nests too deep"
            continue
        kinds = node.get("type", [])
        if stray := sorted(set(node) - _OF_OUTPUTS):
            yield f"has the keyword {stray[0]}"
        if not all(kind in _KEYWORDS for kind in (kinds if isinstance(kinds, list) else [kinds])):
            yield "has a type that does not exist"
        inner = [*as_object(node.get("properties")).values()]
        inner += [node[keyword] for keyword in ("items", "additionalProperties") if keyword in node]
        waiting.extend((member, depth + 1) for member in inner)
