"""Convert the request templates of a tools file (`send`) to HTTP requests, and lay out the arguments of tools with a
handwritten input schema.

The arguments of such a tool are the names in its templates, and its schema is not changed.
"""

import json
from dataclasses import replace

from mcpgen.base.jsonvalue import JsonValue, as_list, as_object
from mcpgen.base.once import ValueCache
from mcpgen.lower.inputs.arguments import Arguments
from mcpgen.lower.inputs.slots import Slot
from mcpgen.lower.schema import budget
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.model import BodyBinding, BodyEncoding, Location, Operation, ParameterBinding, Template, arguments_of

OTHERS = "others"
"""Name of the query parameter for arguments that a schema allows without naming them."""


def lay_out(operation: Operation, most_tokens: int, once: ValueCache) -> Arguments:
    """Return the arguments of a tool with a handwritten input schema."""
    schema = operation.decided.input_schema
    assert schema is not None
    names: dict[Slot, str] = {("path", each.name): each.argument for each in operation.parameters}
    names |= {("send", name): name for name in named(operation)}
    fits = budget.fits(schema, most_tokens, once)
    sent = operation.decided.sends.arguments if operation.decided.sends else ()
    defaults = {each.name: each.default[0] for each in sent if each.default is not None}
    return Arguments(schema, "written", names, {}, (), fits=fits, defaults=defaults)


def named(operation: Operation) -> list[str]:
    """Return the names of the arguments in the tools file's templates (`send`) for the query, headers, cookies and
    body of an operation, in the order of their first use.
    """
    sends = operation.decided.sends
    if sends is None:
        return []
    every = [*sends.query.values(), *sends.headers.values(), *sends.cookies.values(), sends.body or {}]
    return list(dict.fromkeys(name for node in every for name in arguments_of(node)))


def bound(operation: Operation, location: Location, arguments: Arguments) -> tuple[ParameterBinding, ...]:
    """Return the query, header or cookie parameters (`location`) that the tools file sets (`send`), except `Accept`."""
    sends = operation.decided.sends
    if sends is None:
        return ()
    by_place = {"query": sends.query, "header": sends.headers, "cookie": sends.cookies}
    found = [_parameter(name, location, node, arguments) for name, node in by_place.get(location, {}).items()]
    if location == "query" and sends.open == "query":
        others: Template = {"members": {}, "others": True}
        found.append(ParameterBinding(None, OTHERS, "query", "form", explode=True, template=others))
    return tuple(each for each in found if not (location == "header" and each.name.lower() == "accept"))


def accept(operation: Operation) -> str | None:
    """Return the `Accept` header that the tools file sets for this operation, or None."""
    headers = operation.decided.sends.headers if operation.decided.sends else {}
    return next((str(node["value"]) for name, node in headers.items() if name.lower() == "accept"), None)


def _parameter(name: str, location: Location, template: Template, arguments: Arguments) -> ParameterBinding:
    node, in_header = _settled(template, arguments), location == "header"
    binding = ParameterBinding(None, name, location, "simple" if in_header else "form", explode=not in_header)
    if "value" in node:
        return replace(binding, value=node["value"])
    if "argument" in node:
        return replace(binding, argument=str(node["argument"]))
    return replace(binding, template=node)


def body(operation: Operation, arguments: Arguments) -> BodyBinding | None:
    """Return how the body is made from its template under `send` in the tools file, or None if there is none."""
    sends = operation.decided.sends
    if sends is None or sends.body is None:
        return None
    template = _settled(sends.body, arguments)
    if sends.open == "body":
        template = {**template, "others": True}
    return BodyBinding(sends.content_type, _encoding(sends.content_type), required=True, template=template)


def _encoding(media_type: str) -> BodyEncoding:
    """Return the encoding of a body that a template describes: JSON, a form, XML (in which values are escaped), else
    text.
    """
    found = encoding_of(media_type)
    return found if found in ("json", "form", "xml") else "text"


def _settled(node: Template, arguments: Arguments) -> Template:
    """Return a part of a request template (`send` in the tools file), with the names that its arguments have in the
    tool. Replace arguments with a constant value by the constant.
    """
    if "argument" in node:
        return _argument(str(node["argument"]), arguments)
    if "text" in node:
        parts = [_settled(part, arguments) if isinstance(part, dict) else part for part in as_list(node["text"])]
        written = [_spoken(part["value"]) if isinstance(part, dict) and "value" in part else part for part in parts]
        is_fixed = all(isinstance(part, str) for part in written)
        return {"value": "".join(map(str, written))} if is_fixed else {"text": written}
    if "items" in node:
        return {"items": [_settled(as_object(item), arguments) for item in as_list(node["items"])]}
    if "members" in node:
        members = as_object(node["members"]).items()
        return {"members": {name: _settled(as_object(member), arguments) for name, member in members}}
    return node


def _argument(name: str, arguments: Arguments) -> Template:
    for place in ("send", "path"):
        slot: Slot = ("send", name) if place == "send" else ("path", name)
        if slot in arguments.constants:
            return {"value": arguments.constants[slot]}
        if slot in arguments.names:
            return {"argument": arguments.names[slot]}
    return {"argument": name}


def _spoken(value: JsonValue) -> str:
    """Return a constant as text, for insertion into a template."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
