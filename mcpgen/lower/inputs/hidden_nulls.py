"""Find the members of a JSON body that may be null by the document, although the input schema does not show it.

To save tokens, the input schema shows null at an optional member only if null may mean something else than no value
(`Portable.schema`). Some clients send null for each optional member. The server sends such a null where the document
allows it, and leaves it out elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, pointer
from mcpgen.lower.inputs.slots import WHOLE, Input, Slot
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.schema.discriminators import Discriminator
from mcpgen.lower.schema.nodes import items_of

_MOST_ALTERNATIVES = 40
_BRANCHES = frozenset(["anyOf", "oneOf", "discriminator"])
_NESTS = frozenset(["properties", "items", "anyOf", "oneOf", "allOf", "$ref", "enum", "const", "discriminator"])
"""Keywords without which a schema of one type allows no null, and has no parts."""


def pointers(
    inputs: Iterable[Input], names: Mapping[Slot, str], schema: JsonObject, composer: Composer
) -> tuple[str, ...]:
    """Return pointers to the members, such as `/labels/*/color`; `*` stands for each item.

    `inputs`: the arguments that are parts of a JSON body. `schema`: the input schema that is shown.
    """
    shown = as_object(schema.get("properties"))
    finder = _Finder(composer)
    arguments = {names[entry.slot]: entry for entry in inputs if names[entry.slot] in shown}
    return tuple(
        found
        for name, entry in arguments.items()
        for found in finder.below(pointer("", name), [as_object(shown[name])], [entry.schema])
        if entry.slot != WHOLE or found != pointer("", name)  # null is never sent as the whole body
    )


class _Finder:
    """Compares shown schemas with those of the document, as deep as the shown schemas go."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer

    def below(self, place: str, shown: list[JsonObject], sources: list[JsonObject]) -> Iterator[str]:
        """Yield pointers to the nullable members at `place` and below it. `shown`, `sources`: alternative schemas."""
        if len(shown) == len(sources) == 1:
            one, other = shown[0], sources[0]
            type_ = other.get("type", "null")
            if isinstance(type_, str) and type_ != "null" and _NESTS.isdisjoint(one) and _NESTS.isdisjoint(other):
                return iter(())  # one type and no further part, as most members have
            # compared once for all tools that share both
            found = self._composer.once.ask_both("nulls", one, other, lambda: (*self._inside([one], [other]),))
        else:
            found = (*self._inside(shown, sources),)
        return (place + each for each in found)

    def _inside(self, shown: list[JsonObject], sources: list[JsonObject]) -> Iterator[str]:
        shown = [leaf for each in shown for leaf in (_shown_leaves(each) if "anyOf" in each else (each,))]
        leaves = [leaf for each in sources for leaf in self._leaves(each)]
        if not any(map(_allows_null, shown)) and any(map(_allows_null, leaves)):
            yield ""
        described: dict[str, list[JsonObject]] = {}
        for leaf in shown:
            for name, schema in as_object(leaf.get("properties")).items():
                described.setdefault(name, []).append(as_object(schema))
        named: dict[str, list[JsonObject]] = {}
        for leaf in leaves if described else ():
            for name, schema in members(leaf):
                named.setdefault(name, []).append(schema)
        for name, inner in described.items():
            below = self.below(f"/{name.replace('~', '~0').replace('/', '~1')}", inner, named.get(name, []))
            yield from below
        if items := [as_object(leaf["items"]) for leaf in shown if "items" in leaf]:
            yield from self.below("/*", items, [items_of(leaf) for leaf in leaves])

    def _leaves(self, source: JsonObject) -> list[JsonObject]:
        """Return the composed schema, and its alternatives with the nested ones, up to a limit."""
        found, waiting = list[JsonObject](), [self._composer.node(source)[0]]
        while waiting and len(found) < _MOST_ALTERNATIVES:
            node = waiting.pop()
            found.append(node)
            if _BRANCHES.isdisjoint(node):
                continue
            discriminator = Discriminator(node, self._composer)
            waiting += (
                discriminator.children()
                if discriminator.is_inherited
                else [self._composer.node(each)[0] for each in alternatives(node)]
            )
        return found


def _shown_leaves(schema: JsonObject) -> Iterator[JsonObject]:
    yield schema
    for each in as_list(schema.get("anyOf")):
        yield from _shown_leaves(as_object(each))


def _allows_null(node: JsonObject) -> bool:
    return "null" in types(node) or None in as_list(node.get("enum")) or node.get("const", 0) is None
