"""Compare the limits of a type, keyword by keyword: which keywords changed, and whether the change excludes values or
admits new ones.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

from mcpgen.base.jsonvalue import JsonValue
from mcpgen.regenerate.diff.variance import scalars
from mcpgen.regenerate.diff.variance.cases import Case
from mcpgen.regenerate.diff.variance.scalars import Atoms, count, limit

Compared = tuple[str, JsonValue, JsonValue, bool, bool]
"""A changed keyword: its name, its value before, its value after, True if the change excludes values, True if it admits
new values.
"""

_Bound = tuple[Fraction, bool] | None
_NAMED = {"string": ("pattern", "format", "contentEncoding")}
_COUNTED = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def is_told_anyway(kind: str, listed: bool) -> bool:
    """Return True if a change of `kind` is reported even if the schema accepts exactly the same values as before.

    That is so for a member that was added to or removed from the schema of a result, since a result may contain other
    members than those listed. `listed`: True for a schema of arguments, False for one of results.
    """
    return not listed and kind in ("member-gone", "member-added")


def compared(old: Case, new: Case) -> Iterator[Compared]:
    """Yield the keywords that differ between two alternatives of one type, except keywords for members and items."""
    one, other = old.atoms, new.atoms
    if old.kind == "number":
        yield from _numbers(old, new)
    elif old.kind in _COUNTED:
        low, high = _COUNTED[old.kind]
        yield from _changed(low, count(one, low), count(other, low), lambda after, before: after > before)
        yield from _changed(high, limit(one, high), limit(other, high), _is_less)
    for keyword in _NAMED.get(old.kind, ()):
        yield from _changed(keyword, _words(one, keyword), _words(other, keyword))
    if old.kind == "array":
        yield from _changed("uniqueItems", _is_unique(one), _is_unique(other), lambda after, before: after > before)


def _numbers(old: Case, new: Case) -> Iterator[Compared]:
    integral = [case.integral for case in (old, new)]
    if integral[0] != integral[1]:
        names: list[JsonValue] = ["integer" if each else "number" for each in integral]
        yield "type", [names[0]], [names[1]], integral[1], integral[0]
    before, after = (scalars.range_of(case.atoms, integral=case.integral) for case in (old, new))
    yield from _bound("minimum", before.low, after.low, above=True)
    yield from _bound("maximum", before.high, after.high, above=False)
    yield from _changed("multipleOf", _steps(old.atoms), _steps(new.atoms))


def _steps(atoms: Atoms) -> str | None:
    return ", ".join(map(str, sorted(scalars.steps(atoms)))) or None


def _is_unique(atoms: Atoms) -> bool:
    return any(atom.get("uniqueItems") is True for atom in atoms)


def _bound(keyword: str, old: _Bound, new: _Bound, *, above: bool) -> Iterator[Compared]:
    if old != new:
        closer = old is None or (new is not None and _is_closer(old, new, above=above))
        yield keyword, _shown(old, above=above), _shown(new, above=above), closer, not closer


def _is_closer(old: tuple[Fraction, bool], new: tuple[Fraction, bool], *, above: bool) -> bool:
    if old[0] == new[0]:
        return new[1]
    return (new[0] > old[0]) == above


def _shown(bound: _Bound, *, above: bool) -> JsonValue:
    if bound is None:
        return None
    value = int(bound[0]) if bound[0].denominator == 1 else float(bound[0])
    return f"{'above' if above else 'below'} {value}" if bound[1] else value


def _changed(
    keyword: str, before: JsonValue, after: JsonValue, is_closer: Callable[..., bool] | None = None
) -> Iterator[Compared]:
    """Yield the keyword if its value changed.

    `is_closer`: function that returns True if its first argument is stricter than its second. If `is_closer` is None,
    setting the keyword excludes values, and removing the keyword admits them.
    """
    if before == after:
        return
    if is_closer is None:
        yield keyword, before, after, after is not None, before is not None
    else:
        closer = is_closer(after, before)
        yield keyword, before, after, closer, not closer


def _is_less(one: int | None, other: int | None) -> bool:
    return one is not None and (other is None or one < other)


def _words(atoms: Atoms, keyword: str) -> str | None:
    return " and ".join(sorted({str(atom[keyword]) for atom in atoms if isinstance(atom.get(keyword), str)})) or None
