"""Decide whether objects and arrays of one schema satisfy another schema, by their possible members, items and
lengths.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.lower.schema.patterns import matches
from mcpgen.regenerate.diff.variance.cases import Case
from mcpgen.regenerate.diff.variance.scalars import count, limit
from mcpgen.regenerate.diff.variance.scope import Terms

_OF_A_PATTERN = 20
"""Steps charged to the budget for matching a name with a pattern, which includes compiling the pattern."""


class Judge(Protocol):
    """Interface to `Inclusion`, which compares the schemas of members.

    `listed`: assume that callers send only the members that a schema lists, if it says nothing about other members.
    """

    listed: bool

    def holds(self, inner: Terms, outer: Terms) -> bool: ...

    def is_empty(self, terms: Terms) -> bool: ...


class Members:
    """Members of objects that satisfy one case of a schema: one choice among the alternatives of each `anyOf` and
    `oneOf` (see `cases.py`).
    """

    def __init__(self, case: Case) -> None:
        self.scope = case.scope
        self.atoms = case.atoms
        self.scope.budget.spend(len(self.atoms))

    @cached_property
    def required(self) -> frozenset[str]:
        """Return the names that an object must have."""
        return frozenset(str(name) for atom in self.atoms for name in as_list(atom.get("required")))

    @cached_property
    def listed(self) -> frozenset[str]:
        """Return the names that are in `properties`, in `required`, or in both."""
        self.scope.budget.spend(sum(len(as_object(atom.get("properties"))) for atom in self.atoms))
        return self.required.union(*(as_object(atom.get("properties")) for atom in self.atoms))

    @cached_property
    def says_nothing_of_others(self) -> bool:
        """Return True if no `additionalProperties` and no `patternProperties` restricts members that are not listed."""
        return all(_others(atom) in (True, {}) and not atom.get("patternProperties") for atom in self.atoms)

    @property
    def is_list(self) -> bool:
        """Return True if the schema lists members and restricts no others.

        In JSON Schema such an object may have other members, but callers take the list as complete.
        """
        return bool(self.listed) and self.says_nothing_of_others

    def of(self, name: str) -> Terms:
        """Return the schemas that the value of the member `name` must satisfy."""
        self.scope.budget.spend(sum(1 + _OF_A_PATTERN * len(as_object(a.get("patternProperties"))) for a in self.atoms))
        return self.scope.terms(*(node for atom in self.atoms for node in _of(atom, name)))

    def others(self, patterns: frozenset[str] = frozenset()) -> list[Terms]:
        """Return the schemas for members that are not listed in `properties` or `required`.

        The first entry is for members whose names match no pattern of `patternProperties`. Each pattern of
        `patternProperties` adds an entry for members whose names match it, except the patterns in `patterns`.
        """
        found = [self.scope.terms(*map(_others, self.atoms))]
        found += [self.matching(pattern) for pattern in sorted(self.patterns - patterns)]
        return found

    def matching(self, pattern: str) -> Terms:
        """Return the schemas that a member certainly must satisfy if its name matches `pattern` and is not in
        `properties`.
        """
        nodes: list[JsonValue] = []
        for atom in self.atoms:
            known = as_object(atom.get("patternProperties"))
            nodes += [known[pattern]] if pattern in known else [] if known else [_others(atom)]
        return self.scope.terms(*nodes)

    @cached_property
    def patterns(self) -> frozenset[str]:
        return frozenset(pattern for atom in self.atoms for pattern in as_object(atom.get("patternProperties")))

    @cached_property
    def names(self) -> Terms:
        """Return the schemas that the names of members must satisfy (`propertyNames`)."""
        return self.scope.terms(*(atom["propertyNames"] for atom in self.atoms if "propertyNames" in atom))

    def together(self, name: str) -> frozenset[str]:
        """Return the names that must be present if the member `name` is present (`dependentRequired`)."""
        lists = [as_object(atom.get("dependentRequired")).get(name) for atom in self.atoms]
        return frozenset(str(each) for names in lists for each in as_list(names))


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
        found = [places[place] if place < len(places := _places(atom)) else _rest_of_items(atom) for atom in self.atoms]
        return self.scope.terms(*found)

    @property
    def rest(self) -> Terms:
        """Return the schemas that items after the `prefixItems` must satisfy."""
        return self.scope.terms(*map(_rest_of_items, self.atoms))

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


def _others(atom: JsonObject) -> JsonValue:
    return atom.get("additionalProperties", True)


def _of(atom: JsonObject, name: str) -> Iterator[JsonValue]:
    own, patterns = as_object(atom.get("properties")), as_object(atom.get("patternProperties"))
    found = [node for pattern, node in patterns.items() if matches(pattern, name)]
    if name in own:
        found.append(own[name])
    yield from found or [_others(atom)]


# Callers send only members that a schema shows, although JSON Schema also allows others
# (docs/decisions/differences.md).
def covers(inner: Case, outer: Case, judge: Judge) -> bool:
    """Return True if every object that satisfies `inner` is proven to satisfy the keywords of `outer` about members.

    `inner` and `outer` are cases of schemas. A case is one choice among the alternatives of each `anyOf` and `oneOf`.
    """
    had, has = Members(inner), Members(outer)
    if not has.required <= had.required:
        return False
    if not all(_member_holds(name, had, has, judge) for name in sorted(had.listed | has.listed)):
        return False
    return (
        all(_others_hold(had, outer, atom, judge) for atom in outer.atoms)
        and _names_hold(had, has, judge)
        and _counts_hold(had, inner, outer, judge)
        and all(_together_holds(name, had, has, judge) for name in _dependent(outer))
    )


def _member_holds(name: str, had: Members, has: Members, judge: Judge) -> bool:
    if judge.listed and name not in had.listed and had.is_list:
        return True
    member = had.of(name)
    if judge.listed and name not in has.listed and has.is_list:
        return judge.is_empty(member)
    return judge.holds(member, has.of(name))


def _others_hold(had: Members, outer: Case, atom: JsonObject, judge: Judge) -> bool:
    patterns = as_object(atom.get("patternProperties"))
    pairs = [(found, patterns[pattern]) for pattern in patterns for found in _matching(had, pattern)]
    pairs += [(found, _others(atom)) for found in had.others(frozenset(patterns))]
    return all(judge.holds(found, outer.scope.terms(wanted)) for found, wanted in pairs)


def _matching(had: Members, pattern: str) -> list[Terms]:
    return [had.matching(pattern)] if pattern in had.patterns else had.others()


def _is_closed(had: Members, judge: Judge) -> bool:
    """Return True if the object can have no members except the listed ones."""
    return all(map(judge.is_empty, had.others()))


def _names_hold(had: Members, has: Members, judge: Judge) -> bool:
    if not has.names.nodes or judge.holds(had.names, has.names):
        return True
    own = [had.scope.terms(had.scope.made({"const": name})) for name in had.listed if not judge.is_empty(had.of(name))]
    return _is_closed(had, judge) and all(judge.holds(name, has.names) for name in own)


def _counts_hold(had: Members, inner: Case, outer: Case, judge: Judge) -> bool:
    fewest = max(count(inner.atoms, "minProperties"), len(had.required))
    most, allowed = limit(inner.atoms, "maxProperties"), limit(outer.atoms, "maxProperties")
    if fewest < count(outer.atoms, "minProperties"):
        return False
    if allowed is None or (most is not None and most <= allowed):
        return True
    return len(had.listed) <= allowed and _is_closed(had, judge)


def _dependent(case: Case) -> list[str]:
    return [name for atom in case.atoms for name in as_object(atom.get("dependentRequired"))]


def _together_holds(name: str, had: Members, has: Members, judge: Judge) -> bool:
    missing = has.together(name) - had.required - had.together(name)
    return not missing or judge.is_empty(had.of(name))


# -- arrays ------------------------------------------------------------------------------------------------------------


def _places(atom: JsonObject) -> list[JsonValue]:
    """Return the schemas of the first items by index: `prefixItems`, or the list in `items` of draft 7 and 2019-09."""
    return as_list(atom.get("prefixItems")) or as_list(atom.get("items"))


def _rest_of_items(atom: JsonObject) -> JsonValue:
    items = atom.get("items", True)
    return atom.get("additionalItems", True) if isinstance(items, list) else items


def covers_items(inner: Case, outer: Case, judge: Judge) -> bool:
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
