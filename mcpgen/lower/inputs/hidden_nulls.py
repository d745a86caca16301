"""Find the members of a JSON body that may be null by the document, although the input schema does not show it.

To save tokens, the input schema shows null at an optional member only if null may mean something else than no value
(`Portable.schema`). Some clients send null for each optional member. The server sends such a null where the document
allows it, and leaves it out elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, pointer
from mcpgen.lower.inputs.slots import WHOLE, Input, Slot
from mcpgen.lower.schema.compose import Composer, alternatives, types
from mcpgen.lower.schema.discriminators import Discriminator
from mcpgen.lower.schema.nodes import items_of

_MOST_ALTERNATIVES = 40
_BRANCHES = frozenset(["anyOf", "oneOf", "discriminator"])


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
        for found in map(pointer("", name).__add__, finder.inside([as_object(shown[name])], [entry.schema]))
        if entry.slot != WHOLE or found != pointer("", name)  # null is never sent as the whole body
    )


class _Finder:
    """Compares shown schemas with those of the document, as deep as the shown schemas go.

    What most tools share is compared once, so a pair of schemas that is known costs no call.
    """

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._known = composer.once.of_pairs("nulls")

    def inside(self, shown: list[JsonObject], sources: list[JsonObject]) -> list[str]:
        """Return pointers from a value to itself and its members that may be null. Both lists: alternative schemas."""
        shown = [leaf for each in shown for leaf in (_shown_leaves(each) if "anyOf" in each else (each,))]
        leaves = [leaf for each in sources for leaf in self._leaves(each)]
        found = [""] if not any(map(_allows_null, shown)) and any(map(_allows_null, leaves)) else []
        described: dict[str, list[JsonObject]] = {}
        for leaf in shown:
            for name, schema in as_object(leaf.get("properties")).items():
                described.setdefault(pointer("", name), []).append(as_object(schema))
            if "items" in leaf:
                described.setdefault("/*", []).append(as_object(leaf["items"]))
        meant: dict[str, list[JsonObject]] = {}
        for leaf in leaves if described else ():
            for member in self._composer.members(leaf):
                meant.setdefault(pointer("", member.key), []).append(member.schema)
            if "/*" in described:
                meant.setdefault("/*", []).append(items_of(leaf))
        for place, inner in described.items():
            others = meant.get(place, [])
            if not len(inner) == len(others) == 1:
                below = self.inside(inner, others)
            elif known := self._known.get((id(inner[0]), id(others[0]))):
                below = known[2]
            else:
                below = self.inside(inner, others)
                self._known[id(inner[0]), id(others[0])] = inner[0], others[0], below
            found += [place + each for each in below]
        return found

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
