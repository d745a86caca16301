"""Read what a document says about an input: types, values, members.

Documents are read as raw JSON or YAML, and schemas are interpreted as the OpenAPI standard says.

A schema is a list of alternatives for a value. `allOf` is merged, and each branch of a union is merged with the schema
around it. For an input in several branches, the statements of all branches are collected. The input is required if all
branches require it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.requests.raw import Node

Trail = frozenset[str]
Group = tuple[tuple[Node, ...], Trail]
"""Schemas that must all hold, and the names of the schemas that contain them."""

_KINDS = {"object", "array", "string", "integer", "number", "boolean", "null"}
_MOST_LEAVES = 200


@dataclass(frozen=True, slots=True)
class Leaf:
    """One alternative for a value, such as a branch of a union. For a recursive occurrence of a schema within itself,
    `members`, `items` and `rest` are empty.

    `rest`: schemas of properties without a declared name (`additionalProperties`).
    """

    types: frozenset[str]
    values: tuple[str, ...] | None
    members: dict[str, tuple[Node, ...]]
    required: frozenset[str]
    items: tuple[Node, ...]
    rest: tuple[Node, ...]
    trail: Trail
    is_read_only: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """Statements about an input, collected from all branches of its unions except those that allow only null.

    `types`: allowed types other than null, empty if any type is allowed. `values`: all values that a branch lists.
    """

    types: frozenset[str]
    values: tuple[str, ...]
    leaves: tuple[Leaf, ...]

    @property
    def is_read_only(self) -> bool:
        return bool(self.leaves) and all(leaf.is_read_only for leaf in self.leaves)

    def members(self) -> dict[str, tuple[list[Group], bool]]:
        """Return, by property name, a pair: the schemas of the property, and True if the property is required."""
        found: dict[str, tuple[list[Group], bool]] = {}
        for leaf in self.leaves:
            for name, nodes in leaf.members.items():
                groups, required = found.get(name, ([], True))
                found[name] = ([*groups, (nodes, leaf.trail)], required and name in leaf.required)
        return found

    def items(self) -> list[Group]:
        """Return the schemas of the items of a list, one group for each alternative."""
        return [((node,), leaf.trail) for leaf in self.leaves for node in leaf.items]

    def rest(self) -> list[Group]:
        """Return the schemas of properties without a declared name (`additionalProperties`)."""
        return [(leaf.rest, leaf.trail) for leaf in self.leaves if leaf.rest]


def shape(groups: Sequence[Group]) -> Shape:
    """Return the alternatives for an input that must satisfy all schemas of at least one group in `groups`."""
    leaves = [leaf for nodes, trail in groups for leaf in _leaves(nodes, trail)][:_MOST_LEAVES]
    leaves = [leaf for leaf in leaves if leaf.types != {"null"}]
    is_open = not leaves or any(not leaf.types for leaf in leaves)
    types = frozenset[str]() if is_open else frozenset[str]().union(*(leaf.types for leaf in leaves))
    values = dict.fromkeys(value for leaf in leaves for value in leaf.values or ())
    return Shape(types - {"null"}, tuple(values), tuple(leaves))


def _leaves(nodes: Sequence[Node], trail: Trail) -> Iterator[Leaf]:
    """Yield the alternatives: each branch of a union, merged with the schema around it.

    If a schema has several unions, branches of different unions are not combined.
    """
    named = {identity for node in nodes if (identity := _identity(node))}
    parts: list[Node] = []
    unions: list[list[Node]] = []
    for node in nodes:
        _gather(node, parts, unions, 0)
    again = bool(named & trail)
    inside = trail | named
    if not unions or again:
        yield _leaf(parts, inside, again)
    for union in unions:
        for member in union:
            yield from _leaves((*(_without_unions(part) for part in parts), member), inside)


def _gather(node: Node, parts: list[Node], unions: list[list[Node]], depth: int) -> None:
    """Add the schema `node` and, recursively, the schemas of its `allOf` to `parts`. Follow references.

    Add the branches of each `oneOf` and `anyOf` of these schemas to `unions`.
    """
    whole = node.followed()
    if not isinstance(whole.value, dict) or depth > 20:
        return
    parts.append(whole)
    for keyword in ("oneOf", "anyOf"):
        members = whole.at(keyword)
        if isinstance(members.value, list) and members.value:
            unions.append([members.at(index) for index in range(len(members.value))])
    joined = whole.at("allOf")
    for index in range(len(joined.value) if isinstance(joined.value, list) else 0):
        _gather(joined.at(index), parts, unions, depth + 1)


def _without_unions(node: Node) -> Node:
    dropped = ("oneOf", "anyOf", "allOf")
    return Node(node.files, node.file, {key: value for key, value in node.value.items() if key not in dropped})


def _identity(node: Node) -> str:
    """Return the name of the referenced schema if `node` is only a reference, else ""."""
    reference = node.reference()
    if reference is not None:
        return f"{node.file}#{reference}" if reference.startswith("#") else f"{node.file.parent / reference}"
    joined = node.at("allOf")
    if isinstance(joined.value, list) and len(joined.value) == 1 and "properties" not in node:
        return _identity(joined.at(0))
    return ""


def _leaf(parts: list[Node], trail: Trail, again: bool) -> Leaf:
    types: frozenset[str] = frozenset()
    values: tuple[str, ...] | None = None
    members: dict[str, tuple[Node, ...]] = {}
    required: set[str] = set()
    items: list[Node] = []
    rest: list[Node] = []
    for part in parts:
        own = _types(part.value)
        types = (types & own or own) if types and own else types or own
        said = _values(part.value)
        values = said if values is None or said is None else tuple(value for value in values if value in said)
        values = values if values is not None else said
        own_members = part["properties"]
        for name in own_members.keys():  # noqa: SIM118 (a Node yields its items)
            members[name] = (*members.get(name, ()), own_members.at(name))
        listed = part.value.get("required")
        required |= {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
        items += _items(part)
        if isinstance(part.at("additionalProperties").value, dict) and part.at("additionalProperties").value:
            rest.append(part.at("additionalProperties"))
    if again or (types and "object" not in types):  # keywords for another type have no effect
        members, rest = {}, []
    if again or (types and "array" not in types):
        items = []
    types = types or _implied(bool(members or rest), bool(items), values, parts)
    read_only = any(part.value.get("readOnly") is True for part in parts)
    return Leaf(types, values, members, frozenset(required), tuple(items), tuple(rest), trail, read_only)


def _items(part: Node) -> list[Node]:
    found = [part.at("prefixItems").at(i) for i in range(len(part.at("prefixItems").value or []))]
    return found + ([part.at("items")] if isinstance(part.at("items").value, dict) and part.at("items").value else [])


def _types(schema: dict[str, Any]) -> frozenset[str]:
    said = schema.get("type")
    named = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    return frozenset("string" if name == "file" else name for name in named if name in {*_KINDS, "file"})


def _implied(members: bool, items: bool, values: tuple[str, ...] | None, parts: list[Node]) -> frozenset[str]:
    """Return the type that keywords imply if the schema gives none."""
    listed: list[Any] = next((part.value["enum"] for part in parts if isinstance(part.value.get("enum"), list)), [])
    texts = bool(values) and all(isinstance(value, str) for value in listed if value is not None)
    return frozenset({"object"} if members else {"array"} if items else {"string"} if texts else ())


def _values(schema: dict[str, Any]) -> tuple[str, ...] | None:
    """Return the values that an input can have, as texts, or None if any value is allowed.

    An enum of both booleans counts as any value.
    """
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(listed, list):
        return None
    plain = [value for value in listed if isinstance(value, (str, int, float))]
    if len(plain) < len([value for value in listed if value is not None]) or {True, False} <= {
        value for value in plain if isinstance(value, bool)
    }:
        return None
    return tuple(said(value) for value in plain)


def said(value: str | float | bool) -> str:
    """Return a value as JSON text."""
    return str(value).lower() if isinstance(value, bool) else str(value)
