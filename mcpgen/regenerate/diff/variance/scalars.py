"""Decide whether numbers and texts of one schema satisfy another schema, keyword by keyword."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.lower.schema.patterns import is_linear, matches

#: Schemas that all apply to the same value.
Atoms = Iterable[JsonObject]
_NAMED = ("pattern", "format", "contentEncoding")
"""Keywords of strings, such as `pattern`, whose values are only compared for equality."""


def kind_of(value: JsonValue) -> str:
    """Return the JSON Schema type of a value; `number` also for integers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return {str: "string", list: "array"}.get(type(value), "object")


def number(value: JsonValue) -> Fraction | None:
    """Return a JSON number as an exact fraction of its decimal notation, or None for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return Fraction(str(value))


def count(atoms: Atoms, keyword: str) -> int:
    """Return the greatest value of `keyword`, a lower limit such as `minItems`, in the schemas `atoms`, or 0."""
    return max((int(limit) for limit in _numbers(atoms, keyword)), default=0)


def limit(atoms: Atoms, keyword: str) -> int | None:
    """Return the least value of `keyword`, an upper limit such as `maxItems`, in the schemas `atoms`, or None."""
    return min((int(limit) for limit in _numbers(atoms, keyword)), default=None)


def _numbers(atoms: Atoms, keyword: str) -> Iterator[Fraction]:
    return (found for atom in atoms if (found := number(atom.get(keyword))) is not None)


# -- Numbers -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Range:
    """A range of numbers.

    `low` and `high`: (bound, True if the bound is excluded), or None without a bound. The bounds of integers are
    integers and are included.
    """

    low: tuple[Fraction, bool] | None
    high: tuple[Fraction, bool] | None
    integral: bool

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low[0] > self.high[0] or (self.low[0] == self.high[0] and (self.low[1] or self.high[1]))

    def holds(self, other: "Range") -> bool:
        """Return True if every number of `other` is in this range. Whether numbers must be integers is not compared."""
        if other.is_empty:
            return True
        low = self.low is None or (other.low is not None and other.low >= self.low)
        if self.high is None:
            return low
        if other.high is None or other.high[0] > self.high[0]:
            return False
        return low and (other.high[0] < self.high[0] or not self.high[1] or other.high[1])


def range_of(atoms: Atoms, *, integral: bool) -> Range:
    """Return the range of the numbers that satisfy all schemas in `atoms`."""
    atoms = list(atoms)
    lows = [(bound, False) for bound in _numbers(atoms, "minimum")]
    lows += [(bound, True) for bound in _numbers(atoms, "exclusiveMinimum")]
    highs = [(bound, False) for bound in _numbers(atoms, "maximum")]
    highs += [(bound, True) for bound in _numbers(atoms, "exclusiveMaximum")]
    low = max(lows, default=None)
    high = min(highs, key=lambda bound: (bound[0], not bound[1]), default=None)
    if integral and low is not None:
        low = (Fraction(math.floor(low[0]) + 1 if low[1] else math.ceil(low[0])), False)
    if integral and high is not None:
        high = (Fraction(math.ceil(high[0]) - 1 if high[1] else math.floor(high[0])), False)
    return Range(low, high, integral)


def point(value: Fraction) -> Range:
    """Return the range that contains only the number `value`."""
    return Range((value, False), (value, False), value.denominator == 1)


def steps(atoms: Atoms) -> list[Fraction]:
    """Return the values of `multipleOf` in the schemas `atoms`. Values that are not positive are ignored."""
    return [step for step in _numbers(atoms, "multipleOf") if step > 0]


def numbers_cover(values: tuple[JsonValue, ...], atoms: Atoms, outer: Atoms, whole: tuple[bool, bool]) -> bool:
    """Return True if every number that satisfies the schemas `atoms` also satisfies the schemas `outer`.

    `values`: the only number to examine (from `const` or `enum`), or (). `whole`: True for each of the two sides that
    allows only integers.
    """
    known = [found for value in values if (found := number(value)) is not None]
    inner = point(known[0]) if known else range_of(atoms, integral=whole[0])
    multiples = [*known, *([Fraction(1)] if inner.integral else []), *steps(atoms)]
    if inner.is_empty:
        return True
    if whole[1] and not any(multiple.denominator == 1 for multiple in multiples):
        return False
    if not all(any((multiple / step).denominator == 1 for multiple in multiples) for step in steps(outer)):
        return False
    return range_of(outer, integral=False).holds(inner)


# -- Texts -------------------------------------------------------------------------------------------------------------


def texts_cover(values: tuple[JsonValue, ...], atoms: Atoms, outer: Atoms) -> bool:
    """Return True if it is proven that every string that satisfies the schemas `atoms` also satisfies `outer`.

    `values`: a tuple of the only string to examine (from `const` or `enum`), or () to examine all strings.
    """
    atoms, outer = list(atoms), list(outer)
    shortest, longest = count(atoms, "minLength"), limit(atoms, "maxLength")
    for value in values:
        shortest = longest = len(str(value))
    if shortest < count(outer, "minLength"):
        return False
    most = limit(outer, "maxLength")
    if most is not None and (longest is None or longest > most):
        return False
    same = {(keyword, atom[keyword]) for atom in atoms for keyword in _NAMED if isinstance(atom.get(keyword), str)}
    for keyword, wanted in _named(outer):
        if (keyword, wanted) not in same and not (
            keyword == "pattern" and values and all(matches(wanted, str(value)) for value in values)
        ):
            return False
    return True


def _named(atoms: Atoms) -> Iterator[tuple[str, str]]:
    for atom in atoms:
        for keyword in _NAMED:
            if isinstance(wanted := atom.get(keyword), str):
                yield keyword, wanted


# -- Single values -----------------------------------------------------------------------------------------------------


def fits(value: JsonValue, atoms: Atoms, *, integral: bool) -> bool | None:
    """Return True if a value satisfies all keywords of the schemas in `atoms` that concern its type, False if not, None
    if that cannot be decided.
    """
    atoms = list(atoms)
    if isinstance(value, str):
        if texts_cover((value,), (), atoms):
            return True
        unsure = [(keyword, name) for keyword, name in _named(atoms) if keyword != "pattern" or not is_linear(name)]
        plain = [{key: atom[key] for key in atom if (key, atom[key]) not in unsure} for atom in atoms] if unsure else []
        return None if unsure and texts_cover((value,), (), plain) else False
    if (found := number(value)) is not None:
        return numbers_cover((value,), (), atoms, (found.denominator == 1, integral))
    return True if value is None or isinstance(value, bool) else None
