"""Decide whether arrays of one schema satisfy another schema, by their items and lengths."""

from functools import cached_property

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list
from mcpgen.regenerate.diff.variance.cases import Case
from mcpgen.regenerate.diff.variance.objects import Judge
from mcpgen.regenerate.diff.variance.scalars import count, limit
from mcpgen.regenerate.diff.variance.scope import Terms


class Items:
    """Schemas of the items of an array, if the array satisfies one case of its schema.

    A case is one choice among the alternatives of each `anyOf` and `oneOf`.
    """

    def __init__(self, case: Case) -> None:
        self.scope = case.scope
        self.atoms = case.atoms
        self.fewest = count(case.atoms, "minItems")

    @cached_property
    def first(self) -> int:
        """Return the length of the longest `prefixItems` in the schemas that the array must satisfy.

        Items before this index have schemas of their own.
        """
        return max((len(_places(atom)) for atom in self.atoms), default=0)

    def at(self, place: int) -> Terms:
        """Return the schemas that the item at index `place` must satisfy."""
        found = [places[place] if place < len(places := _places(atom)) else _rest(atom) for atom in self.atoms]
        return self.scope.terms(*found)

    @property
    def rest(self) -> Terms:
        """Return the schemas that items after the `prefixItems` must satisfy."""
        return self.scope.terms(*map(_rest, self.atoms))

    def most(self, judge: Judge) -> int | None:
        """Return the maximum length of the array, or None if there is none.

        If no value satisfies the schema at an index (such as `false`), the array must end before this index.
        """
        longest = limit(self.atoms, "maxItems")
        for place in range(self.first + 1):
            if (longest is None or place < longest) and judge.is_empty(self.at(place)):
                return place
        return longest

    @cached_property
    def is_unique(self) -> bool:
        return any(atom.get("uniqueItems") is True for atom in self.atoms)


def _places(atom: JsonObject) -> list[JsonValue]:
    """Return the schemas of the first items by index: `prefixItems`, or the list in `items` of draft 7 and 2019-09."""
    return as_list(atom.get("prefixItems")) or as_list(atom.get("items"))


def _rest(atom: JsonObject) -> JsonValue:
    items = atom.get("items", True)
    return atom.get("additionalItems", True) if isinstance(items, list) else items


def covers(inner: Case, outer: Case, judge: Judge) -> bool:
    """Return True if every array that satisfies `inner` satisfies the keywords of `outer` about items and length.

    `inner` and `outer` are cases of two schemas. A case is one choice among the alternatives of each `anyOf` and
    `oneOf` of its schema.
    """
    had, has = Items(inner), Items(outer)
    longest, allowed = had.most(judge), limit(outer.atoms, "maxItems")
    if had.fewest < has.fewest or (allowed is not None and (longest is None or longest > allowed)):
        return False
    if has.is_unique and not had.is_unique and (longest is None or longest > 1):
        return False
    places = max(had.first, has.first)
    own = range(places if longest is None else min(places, longest))
    if not all(judge.holds(had.at(place), has.at(place)) for place in own):
        return False
    return (longest is not None and longest <= places) or judge.holds(had.rest, has.rest)
