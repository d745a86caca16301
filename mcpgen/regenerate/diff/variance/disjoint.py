"""Prove that two schemas have no value in common. Comparing `not` and `oneOf` requires such proofs."""

from typing import Protocol

from mcpgen.base.jsonvalue import plain_text
from mcpgen.regenerate.diff.variance import scalars
from mcpgen.regenerate.diff.variance.cases import Case
from mcpgen.regenerate.diff.variance.objects import Members
from mcpgen.regenerate.diff.variance.scope import Terms

_DEEPEST = 4
"""Limit on the levels of members that are examined."""


class Judge(Protocol):
    """Interface to `Inclusion`. `cases` returns the alternatives of schemas (see `cases.py`), or None if there are too
    many. `is_empty` returns True if it is proven that no value satisfies the schemas.
    """

    def cases(self, terms: Terms) -> list[Case] | None: ...

    def is_empty(self, terms: Terms) -> bool: ...


class Disjointness:
    """Prover that two schemas have no value in common."""

    def __init__(self, judge: Judge) -> None:
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
        if one.kind == "object" and depth < _DEEPEST:
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
