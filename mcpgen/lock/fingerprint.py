"""Compute the fingerprints of operations that a lock file keeps.

With these fingerprints, `match_operations` recognises an operation whose method or path has changed.
"""

from collections.abc import Iterable
from dataclasses import replace
from io import BytesIO
from itertools import dropwhile, islice

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, compact, digest
from mcpgen.base.tree import FileTree
from mcpgen.lock.match_operations import request
from mcpgen.model import Catalog, ToolSpec
from mcpgen.model.pins import UNKNOWN, Pin, Pins, Retired
from mcpgen.naming.verbs import PREFIX_SEGMENT

DIGITS = 32
"""Length of a fingerprint in hexadecimal digits, also in the lock file."""


def promised(catalog: Catalog, tree: FileTree, before: Pins) -> Pins:
    """Return the names that the lock file stores (pins): those of the tools of `catalog`, and reserved names.

    `tree`: the emitted files of `catalog`, with `tools.json` and `bindings.json`. `before`: the pins after the last
    run. Names that are no longer used stay reserved. Aliases (further names of a tool) are reserved too. So a name
    never comes to call a different operation than before.
    """
    tools = {
        tool.operation.key: _promise(tool, surface, before.tools.get(tool.operation.key, UNKNOWN))
        for tool, surface in _surfaces(catalog, tree)
    }
    users = {known.name: key for key, known in tools.items()}
    former = {known.name: Retired(key, known.id, known.by_hand) for key, known in before.tools.items()}
    derived = {name: known for name, known in before.retired.items() if not known.by_hand}
    aliases = {
        alias: Retired(tool.operation.key, tool.operation.id or "", by_hand=True)
        for tool in catalog.tools
        for alias in tool.aliases
    }
    retired = {**before.retired, **former, **derived}
    retired |= aliases
    return Pins(tools, {name: known for name, known in retired.items() if users.get(name) != known.operation})


def _surfaces(catalog: Catalog, tree: FileTree) -> Iterable[tuple[ToolSpec, str]]:
    """Yield each tool with a digest of its lines in `tools.json` and `bindings.json`.

    These lines contain everything that clients see and that requests send.
    """
    package = catalog.identity.package
    shown, sent = (islice(BytesIO(tree[f"{package}/{name}"]), 1, None) for name in ("tools.json", "bindings.json"))
    for tool, one, other in zip(catalog.tools, shown, sent, strict=False):
        yield tool, digest(one.rstrip(b",\n") + b"\n" + other.rstrip(b",\n"))[:DIGITS]


def _promise(tool: ToolSpec, surface: str, before: Pin) -> Pin:
    by_person = {slot: name for slot, name in tool.arguments.items() if slot in tool.renamed}
    asked = {wire for place, wire in tool.arguments if place == "path"}
    promise = Pin(
        tool.name,
        {slot: name for slot, name in tool.arguments.items() if slot not in by_person},
        by_person,
        tool.operation.id or "",
        shape(f"{tool.operation.method} {tool.operation.path}", tool.input_schema),
        words(tool),
        surface,
        tool.operation.decided.name == tool.name,
        constants=tuple(sorted(set(tool.operation.template.variables) - asked)),
    )
    given = {("given", name): name for name in tool.operation.decided.arguments}
    former = {**before.former, **before.arguments, **before.renamed, **given}
    return replace(promise, former={slot: name for slot, name in former.items() if slot not in tool.arguments})


def shape(operation: str, schema: JsonObject) -> str:
    """Return a digest of an operation's request: method, path without a prefix such as `/api/v1`, and arguments.

    `operation`: METHOD and path. `schema`: the input schema of its tool. Return "" if the path is only a prefix.
    """
    method, path = request(operation)
    segments = [segment for segment in path.split("/") if segment]
    own = [*dropwhile(PREFIX_SEGMENT.fullmatch, segments)]
    return _digest(method, [*own], _arguments(schema)) if own else ""


def words(tool: ToolSpec) -> str:
    """Return a digest of summary, description, method and arguments of a tool's operation.

    Return "" if the operation has neither summary nor description.
    """
    said = [tool.operation.summary, tool.operation.description]
    return _digest(tool.operation.method, [*said], _arguments(tool.input_schema)) if any(said) else ""


def _arguments(schema: JsonObject) -> JsonObject:
    """Return argument name → [its type, whether it is required], sorted by name."""
    required = set(map(str, as_list(schema.get("required"))))
    properties = as_object(schema.get("properties"))
    return {name: [as_object(each).get("type"), name in required] for name, each in sorted(properties.items())}


def _digest(*values: JsonValue) -> str:
    return digest(compact(list(values)).encode())[:DIGITS]
