"""Prove that every value of one JSON Schema is a value of another (JSON Schema 2020-12). Without a proof, assume that
it is not.

Each case (combination of alternatives) of the inner schema must be contained in one case of the outer schema. Or each
of its values, examined one by one, must be contained in some outer case.

Recursive schemas are handled by a greatest fixed point: for members and items, inclusion is first assumed. If the
assumption turns out false, the results that relied on it are examined again, until nothing changes.

`not` and `oneOf` require proofs that two schemas have no value in common (`_Disjointness`).
"""

from dataclasses import replace
from functools import cached_property
from typing import Protocol

from mcpgen.base.jsonvalue import JsonObject, JsonValue, plain_text
from mcpgen.regenerate.diff.variance import objects, scalars
from mcpgen.regenerate.diff.variance.cases import Case, TooManyCases, cases
from mcpgen.regenerate.diff.variance.objects import Items, Members, covers_items
from mcpgen.regenerate.diff.variance.scope import Scope, Terms

__all__ = ["Inclusion", "Scope", "Terms"]


_DEEPEST_APART = 4
"""Limit on the levels of members that are examined."""
_MOST_VALUES = 64
"""Longest range of integers that is examined value by value."""
_MOST_LEVELS = 3
"""Limit on the nesting of `not` and `oneOf` for which schemas are proven disjoint."""
_DEEPEST = 20
"""Limit on the nesting of members that are examined for having no value."""
_MOST_SPLITS = 2
"""Limit on the number of members by whose values one object is split, one member after the other."""
_Pair = tuple[frozenset[int], frozenset[int]]
_NO_UPPER: JsonObject = {"maximum": None, "exclusiveMaximum": None}


class _Judge(Protocol):
    """Interface to `Inclusion`. `cases` returns the alternatives of schemas (see `cases.py`), or None if there are too
    many. `is_empty` returns True if it is proven that no value satisfies the schemas.
    """

    def cases(self, terms: Terms) -> list[Case] | None: ...

    def is_empty(self, terms: Terms) -> bool: ...


class _Disjointness:
    """Prover that two schemas have no value in common."""

    def __init__(self, judge: _Judge) -> None:
        self._judge = judge

    def between(self, one: Terms, other: Terms, depth: int = 0) -> bool:
        """Return True if it is proven that no value satisfies both schemas."""
        if self._judge.is_empty(one) or self._judge.is_empty(other):
            return True
        found = self._judge.cases(one)
        return found is not None and all(self.of(case, other, depth) for case in found)

    def of(self, case: Case, other: Terms, depth: int = 0) -> bool:
        """Return True if it is proven that no value of `case` satisfies `other`."""
        found = self._judge.cases(other)
        return found is not None and all(self._apart(case, each, depth) for each in found)

    def _apart(self, one: Case, other: Case, depth: int) -> bool:
        one.scope.budget.spend(1)
        if one.kind != other.kind:
            return True
        if one.values and other.values:
            return plain_text(one.values[0]) != plain_text(other.values[0])
        for alone, wide in ((one, other), (other, one)):
            if alone.values and scalars.fits(alone.values[0], wide.atoms, integral=wide.integral) is False:
                return True
        if one.kind == "number":
            return _ranges_apart(one, other)
        if one.kind == "object" and depth < _DEEPEST_APART:
            return self._members_apart(Members(one), Members(other), depth)
        return False

    def _members_apart(self, one: Members, other: Members, depth: int) -> bool:
        """Return True if both objects have a required member whose schemas have no value in common."""
        for name in one.required | other.required:
            if name in one.required & other.required:
                if self.between(one.of(name), other.of(name), depth + 1):
                    return True
            elif self._judge.is_empty((other if name in one.required else one).of(name)):
                return True
        return False


def _ranges_apart(one: Case, other: Case) -> bool:
    atoms = (*one.atoms, *other.atoms)
    return scalars.range_of(atoms, integral=one.integral or other.integral).is_empty


# Inclusion cannot be decided for all schemas, and a break that is called harmless would hit callers
# (docs/decisions/differences.md).
class Inclusion:
    """Prover that every value of one schema is a value of another, with cached answers.

    `listed`: assume that callers send only the members that a schema lists. `level`: how many `not` and `oneOf` enclose
    the schemas of this prover.

    A wider subschema of `not` or `oneOf` makes the whole schema narrower. So a second prover, `_apart`, examines these
    subschemas: without `listed`, and without answers that this prover assumes but has not proven yet.
    """

    def __init__(self, *, listed: bool = False, level: int = 0) -> None:
        self.listed = listed
        self._level = level
        self._known: dict[_Pair, bool] = {}
        self._terms: dict[_Pair, tuple[Terms, Terms]] = {}
        self._waiting: list[_Pair] = []
        self._relying: dict[_Pair, set[_Pair]] = {}
        self._looked_at: _Pair | None = None
        self._cases: dict[frozenset[int], list[Case] | None] = {}
        self._empty: dict[frozenset[int], bool] = {}
        self._inside = 0

    @cached_property
    def _apart(self) -> "Inclusion | None":
        return Inclusion(level=self._level + 1) if self._level < _MOST_LEVELS else None

    def holds(self, inner: Terms, outer: Terms) -> bool:
        """Return True if every value of `inner` is proven to be a value of `outer`.

        The proof itself also calls this method, for members and items. Such a call returns True as an assumption,
        unless the pair is already refuted. `_settle` examines the assumption later.
        """
        if not outer.nodes or inner.is_plainly(outer):
            return True
        pair = inner.key, outer.key
        if pair not in self._known:
            self._known[pair] = True
            self._terms[pair] = inner, outer
            self._waiting.append(pair)
        if self._looked_at is not None:
            self._relying.setdefault(pair, set()).add(self._looked_at)
        else:
            self._settle()
        return self._known[pair]

    def _settle(self) -> None:
        """Examine the pairs of schemas in the queue until it is empty.

        If a pair is refuted, the pairs that relied on it are put into the queue again.
        """
        while self._waiting:
            pair = self._waiting.pop()
            if not self._known[pair]:
                continue
            self._looked_at = pair
            held = self._is_proven(*self._terms[pair])
            self._looked_at = None
            if not held:
                self._known[pair] = False
                self._waiting += self._relying.pop(pair, ())

    def is_empty(self, terms: Terms) -> bool:
        """Return True if it is proven that no value satisfies all schemas in `terms` at once. Members of objects are
        examined to a limited depth.
        """
        if terms.key not in self._empty and self._inside < _DEEPEST:
            self._empty[terms.key] = False
            self._inside += 1
            found = self.cases(terms)
            self._empty[terms.key] = found is not None and all(map(self._has_none, found))
            self._inside -= 1
        return self._empty.get(terms.key, False)

    def cases(self, terms: Terms) -> list[Case] | None:
        """Return the cases of `terms`, a conjunction of schemas, or None if there are too many.

        A case is one choice among the alternatives of each `anyOf` and `oneOf`.
        """
        if terms.key not in self._cases:
            try:
                self._cases[terms.key] = cases(terms)
            except TooManyCases:
                self._cases[terms.key] = None
        return self._cases[terms.key]

    def _is_proven(self, inner: Terms, outer: Terms) -> bool:
        had, has = self.cases(inner), self.cases(outer)
        if had is None or has is None:
            return inner.text == outer.text
        values = {plain_text(case.values[0]): case for case in has if case.values}
        return all(self._is_among(case, has, values, 0) for case in had)

    # -- Inclusion of a case (a combination of alternatives) in several cases ------------------------------------------

    def _is_among(self, case: Case, several: list[Case], values: dict[str, Case], split: int) -> bool:
        case.scope.budget.spend(len(several))
        if case.values and self.covers(case, values.get(plain_text(case.values[0]))):
            return True
        same_kind = [each for each in several if each.kind == case.kind]
        if any(self.covers(case, each) for each in same_kind) or self._has_none(case):
            return True
        if case.kind == "number" and not case.values:
            return self._is_among_ranges(case, same_kind, values)
        if case.kind == "object" and len(same_kind) > 1 and split < _MOST_SPLITS:
            return any(
                all(self._is_among(part, same_kind, {}, split + 1) for part in parts) for parts in self._parts(case)
            )
        return False

    def _parts(self, case: Case) -> list[list[Case]]:
        """Return the ways to split `case`, an alternative of an object's schema, into several: one way for each
        required member with an enum, by the member's values.
        """
        members, found = objects.Members(case), []
        for name in sorted(members.required):
            listed = self.cases(members.of(name)) or []
            if len(listed) > 1 and all(each.values for each in listed):
                nodes = [case.scope.made({"const": each.values[0]}) for each in listed]
                found.append([case.narrowed({"properties": {name: node}}) for node in nodes])
        return found

    def _is_among_ranges(self, case: Case, several: list[Case], values: dict[str, Case]) -> bool:
        """Return True if all numbers of `case`, an alternative of one schema, are in the ranges of `several`,
        alternatives of another.

        If `case` is a short range of integers, each integer is examined. Otherwise, a gap between the ranges of
        `several` inside the range of `case` gives False.
        """
        whole = scalars.range_of(case.atoms, integral=case.integral)
        if whole.integral and whole.low is not None and whole.high is not None:
            first, last = int(whole.low[0]), int(whole.high[0])
            if last - first < _MOST_VALUES:
                alone = [replace(case, values=(number,)) for number in range(first, last + 1)]
                return all(self._is_among(each, several, values, 0) for each in alone)
        open_ended: JsonObject = {"minimum": None, "exclusiveMinimum": None}
        reached = case
        for each in sorted((one for one in several if not one.values), key=_lowest):
            bound = scalars.range_of(each.atoms, integral=case.integral and each.integral)
            upper = replace(each, atoms=tuple({**atom, **open_ended} for atom in each.atoms))
            lower = replace(each, atoms=tuple({**atom, **_NO_UPPER} for atom in each.atoms))
            if not self.covers(reached, lower):
                continue
            if bound.high is None or self.covers(reached, upper):
                return self.covers(reached, upper)
            end, outside = bound.high
            exact = int(end) if end.denominator == 1 else float(end)
            reached = reached.narrowed({"minimum" if outside else "exclusiveMinimum": exact})
        return False

    # -- Inclusion of a case (a combination of alternatives) in another ------------------------------------------------

    def covers(self, inner: Case, outer: Case | None) -> bool:
        """Return True if every value that satisfies `inner` is proven to satisfy `outer`.

        `inner` and `outer` are cases of schemas. A case is one choice among the alternatives of each `anyOf` and
        `oneOf`.
        """
        if outer is None or inner.kind != outer.kind:
            return False
        inner.scope.budget.spend(len(inner.atoms) + len(outer.atoms))
        if not self._has_keywords(inner, outer):
            return False
        if not outer.conditions <= inner.conditions:
            return False
        return all(self._is_never(inner, node, outer) for node in outer.nots) and all(
            self._is_one_of(inner, branches, outer) for branches in outer.exclusive
        )

    def _has_keywords(self, inner: Case, outer: Case) -> bool:
        if outer.values:
            return bool(inner.values) and _fits(inner, outer)
        if inner.kind == "number":
            whole = inner.integral, outer.integral
            return scalars.numbers_cover(inner.values, inner.atoms, outer.atoms, whole)
        if inner.kind == "string":
            return scalars.texts_cover(inner.values, inner.atoms, outer.atoms)
        if inner.kind == "array":
            return covers_items(inner, outer, self)
        return inner.kind != "object" or objects.covers(inner, outer, self)

    def _is_never(self, case: Case, node: JsonValue, outer: Case) -> bool:
        """Return True if it is proven that no value which satisfies `case`, an alternative of one schema, satisfies
        `node`: a schema under `not` in `outer`, an alternative of another schema.
        """
        refused, apart = outer.scope.terms(node), self._apart
        if apart is None:
            return False
        if any(apart.holds(refused, case.scope.terms(known)) for known in case.nots):
            return True
        return _Disjointness(apart).of(case, refused)

    def _is_one_of(self, case: Case, branches: tuple[JsonValue, ...], outer: Case) -> bool:
        """Return True if it is proven that each value that satisfies `case`, an alternative of one schema, satisfies
        exactly one of `branches`: a `oneOf` of `outer`, an alternative of another schema.

        The caller has proven that each such value satisfies at least one of `branches`.
        """
        apart = self._apart
        if apart is None:
            return False
        others = [not _Disjointness(apart).of(case, outer.scope.terms(branch)) for branch in branches]
        return sum(others) <= 1 or any(
            _are_wider(
                [case.scope.terms(node) for node in known], [outer.scope.terms(node) for node in branches], apart
            )
            for known in case.exclusive
        )

    def _has_none(self, case: Case) -> bool:
        """Return True if it is proven that no value satisfies `case`, an alternative of a schema."""
        if any(self._is_in(case, case.scope.terms(node)) for node in case.nots):
            return True
        if case.values:
            return False
        if case.kind == "number":
            return scalars.range_of(case.atoms, integral=case.integral).is_empty
        if case.kind == "string":
            most = scalars.limit(case.atoms, "maxLength")
            return most is not None and most < scalars.count(case.atoms, "minLength")
        if case.kind == "array":
            items = Items(case)
            longest = items.most(self)
            return longest is not None and longest < items.fewest
        if case.kind == "object":
            members = objects.Members(case)
            return any(self.is_empty(members.of(name)) for name in members.required)
        return False

    def _is_in(self, case: Case, terms: Terms) -> bool:
        """Return True if it is proven that no value satisfies `case`, an alternative of a schema: `terms`, a schema
        under `not` in `case`, excludes all values that the rest of `case` allows.
        """
        apart = self._apart
        return apart is not None and any(apart.covers(case, each) for each in apart.cases(terms) or ())


def _are_wider(had: list[Terms], has: list[Terms], apart: Inclusion) -> bool:
    """Return True if it is proven that `oneOf` with the schemas `has` allows every value that `oneOf` with the schemas
    `had` allows.

    The proof: each old branch is contained in a distinct new branch, and overlaps no other new branch. A new branch
    that equals its old branch may overlap other old branches, since a value satisfies only one old branch.
    """
    own: dict[int, int] = {}
    for place, terms in enumerate(had):
        fitting = (each for each in range(len(has)) if each not in own and apart.holds(terms, has[each]))
        if (found := next(fitting, None)) is None:
            return False
        own[found] = place
    for each, terms in enumerate(has):
        if each in own and apart.holds(terms, had[own[each]]):
            continue
        for place, other in enumerate(had):
            if own.get(each) != place and not _Disjointness(apart).between(other, terms):
                return False
    return True


def _lowest(case: Case) -> tuple[bool, object]:
    low = scalars.range_of(case.atoms, integral=False).low
    return (low is not None, low or ())


def _fits(inner: Case, outer: Case) -> bool:
    """Return True if the single value of `inner` equals that of `outer` and, if it is a scalar, satisfies the other
    keywords of `outer`. Each case is one choice among the alternatives of a schema.
    """
    if plain_text(inner.values[0]) != plain_text(outer.values[0]):
        return False
    if inner.kind in ("array", "object"):
        return True
    fits = scalars.fits(outer.values[0], outer.atoms, integral=outer.integral)
    return fits is True or (inner.kind == "string" and scalars.texts_cover(inner.values, inner.atoms, outer.atoms))
