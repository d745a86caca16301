"""Locate the differences between two schemas by walking through members, items, types and limits of both.

Only `Inclusion` decides whether values were excluded or admitted. The walk looks for places that explain this decision;
if it finds none, the whole schema is the place. So every change that excludes values is reported, and no other change
is reported as excluding values.

Limits of a type are compared keyword by keyword. A place describes its values in a few words, such as `string` or
`object {id, name}`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from mcpgen.base.jsonvalue import JsonValue, plain_text
from mcpgen.regenerate.diff.variance import Inclusion, Terms, scalars
from mcpgen.regenerate.diff.variance.cases import KINDS, Case
from mcpgen.regenerate.diff.variance.objects import Items, Members
from mcpgen.regenerate.diff.variance.scalars import Atoms, count, limit

Path = tuple[str, ...]
"""Path to a place in a value: names of members, `[]` for items of an array, `*` for members that the schema does not
declare.
"""

MOST = 200
"""Limit on the places that are reported for one schema. Further places are only counted."""

DEEPEST = 24
"""Limit on the depth of places: nobody reads a longer path."""

_Pair = tuple[frozenset[int], frozenset[int]]
_Compared = tuple[str, JsonValue, JsonValue, bool, bool]
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


@dataclass(frozen=True, slots=True)
class Place:
    """One difference inside a schema. `kind`: the key of its sentence in `rules`.

    `narrowed`: values that were valid before are no longer valid. `widened`: values are valid that were not valid
    before.
    """

    kind: str
    path: Path
    before: JsonValue = None
    after: JsonValue = None
    narrowed: bool = False
    widened: bool = False

    def inside(self, *path: str) -> "Place":
        return replace(self, path=(*path, *self.path))


class Places:
    """Finder of the places where two schemas differ. `judge.listed`: True for schemas of arguments, False for schemas
    of results.
    """

    def __init__(self, judge: Inclusion) -> None:
        self.judge = judge
        self._found: dict[_Pair, list[Place]] = {}
        self._depth = 0

    def between(self, old: Terms, new: Terms) -> list[Place]:
        """Return the places where the schemas `old` and `new` differ, outermost first. Their paths begin at
        the value that both schemas describe.
        """
        if old.is_plainly(new):
            return []
        pair = old.key, new.key
        if pair not in self._found:
            self._found[pair] = []  # this stops the recursion in a schema that refers to itself
            self._depth += 1
            self._found[pair] = self._explained(old, new)
            self._depth -= 1
        return self._found[pair]

    def _explained(self, old: Terms, new: Terms) -> list[Place]:
        narrowed, widened = not self.judge.holds(old, new), not self.judge.holds(new, old)
        if self.judge.listed and not (narrowed or widened):
            return []
        had, has = self.judge.cases(old), self.judge.cases(new)
        inside = self._of_cases(had, has) if had is not None and has is not None and self._depth < DEEPEST else ()
        found = []
        for place in inside:
            fact = _is_told_anyway(place.kind, self.judge.listed)
            true = replace(place, narrowed=place.narrowed and narrowed, widened=place.widened and (widened or fact))
            if true.narrowed or true.widened or fact:
                found.append(true)
        unsaid = (narrowed and not any(place.narrowed for place in found)) or (
            widened and not any(place.widened for place in found)
        )
        if unsaid:
            kind = "values-other" if narrowed and widened else "values-fewer" if narrowed else "values-more"
            found.insert(0, Place(kind, (), _outlined(had), _outlined(has), narrowed, widened))
        return _cut(found) if len(found) > MOST else found

    # -- Differences between the cases (types and alternatives) of two schemas -----------------------------------------

    def _of_cases(self, old: Sequence[Case], new: Sequence[Case]) -> Iterator[Place]:
        had, has = _types_of(old), _types_of(new)
        gone = [word for kind, word in had.items() if kind not in has]
        added = [word for kind, word in has.items() if kind not in had]
        if len(had) < len(has) == len(KINDS):
            yield Place("type-any", (), before=[*had.values()], widened=True)
        elif len(has) < len(had) == len(KINDS):
            yield Place("type-limited", (), after=[*has.values()], narrowed=True)
        elif gone and added:
            yield Place("type", (), [*had.values()], [*has.values()], narrowed=True, widened=True)
        elif gone:
            yield Place("type-gone", (), before=[*gone], narrowed=True)
        elif added:
            yield Place("type-added", (), after=[*added], widened=True)
        for kind in ("boolean", "number", "string", "array", "object"):
            pair = [case for case in old if case.kind == kind], [case for case in new if case.kind == kind]
            if all(pair):
                yield from self._of_kind(*pair)

    def _of_kind(self, old: list[Case], new: list[Case]) -> Iterator[Place]:
        had, has = _values(old), _values(new)
        yield from _listed(had, has, all(case.values for case in old), all(case.values for case in new))
        free = [case for case in old if not case.values], [case for case in new if not case.values]
        if all(free):
            yield from self._of_alternatives(*free)

    def _of_alternatives(self, old: list[Case], new: list[Case]) -> Iterator[Place]:
        """Yield the differences between the alternatives `old` and `new` of one type.

        A changed alternative of `old` is compared with the one of `new` with which it shares the most member names.
        """
        gone, added = list(old), list(new)
        for case in old:
            if (same := next((each for each in added if self._is_same(case, each)), None)) is not None:
                gone.remove(case)
                added.remove(same)
        if len(gone) != len(added) and len({_names(case) for case in (*old, *new)}) == 1:
            # Reports show an alternative as its type and members, such as `object {id, name}`. All alternatives have
            # the same members here, so this text would rarely say which one was added or removed. Therefore report
            # none: `_explained` reports a change of the whole schema.
            return
        while gone and added:
            case = gone.pop(0)
            like = max(added, key=lambda each: len(_names(case) & _names(each)))
            added.remove(like)
            yield from self._of_case(case, like)
        for case in gone:
            yield Place("alternative-gone", (), before=_outlined([case]), narrowed=True)
        for case in added:
            yield Place("alternative-added", (), after=_outlined([case]), widened=True)

    def _is_same(self, case: Case, other: Case) -> bool:
        return self.judge.covers(case, other) and self.judge.covers(other, case)

    def _of_case(self, old: Case, new: Case) -> Iterator[Place]:
        for keyword, before, after, narrowed, widened in _compared_keywords(old, new):
            yield Place(keyword, (), before, after, narrowed, widened)
        if old.kind == "array":
            yield from self._of_items(Items(old), Items(new))
        elif old.kind == "object":
            yield from self._of_members(Members(old), Members(new))

    # -- Differences inside members and items --------------------------------------------------------------------------

    def _of_items(self, old: Items, new: Items) -> Iterator[Place]:
        places = max(old.first, new.first)
        for place in range(places):
            yield from _inside(self.between(old.at(place), new.at(place)), f"[{place}]")
        yield from _inside(self.between(old.rest, new.rest), "[]")

    def _of_members(self, old: Members, new: Members) -> Iterator[Place]:
        for name in sorted(old.listed | new.listed):
            if name not in new.listed:
                yield self._gone(name, old, new)
            elif name not in old.listed:
                yield self._added(name, old, new)
            else:
                yield from self._kept(name, old, new)
        yield from self._of_others(old, new)

    def _kept(self, name: str, old: Members, new: Members) -> Iterator[Place]:
        if name in new.required - old.required:
            yield Place("required", (name,), narrowed=True)
        elif name in old.required - new.required:
            yield Place("optional", (name,), widened=True)
        yield from _inside(self.between(old.of(name), new.of(name)), name)

    def _gone(self, name: str, old: Members, new: Members) -> Place:
        before = _outlined(self.judge.cases(old.of(name)))
        if self.judge.listed:
            refused = new.is_list or not self.judge.holds(old.of(name), new.of(name))
            more = not refused or name in old.required
            return Place("member-gone" if refused else "member-unlisted", (name,), before, None, refused, more)
        fewer = not self.judge.holds(old.of(name), new.of(name))
        return Place("member-gone", (name,), before, None, fewer, widened=True)

    def _added(self, name: str, old: Members, new: Members) -> Place:
        after = _outlined(self.judge.cases(new.of(name)))
        kind = "required-member-added" if name in new.required else "member-added"
        if self.judge.listed and old.is_list:
            return Place(kind, (name,), None, after, name in new.required, widened=True)
        fewer = name in new.required or not self.judge.holds(old.of(name), new.of(name))
        more = not self.judge.holds(new.of(name), old.of(name))
        return Place(kind, (name,), None, after, fewer, more)

    def _of_others(self, old: Members, new: Members) -> Iterator[Place]:
        if old.patterns or new.patterns:
            return  # if a schema has `patternProperties`, changes for other names are reported for the whole schema
        before, after = old.others()[0], new.others()[0]
        if self.judge.is_empty(after) and not self.judge.is_empty(before):
            yield Place("others-refused", (), narrowed=True)
        elif self.judge.is_empty(before) and not self.judge.is_empty(after):
            yield Place("others-allowed", (), widened=True)
        else:
            yield from _inside(self.between(before, after), "*")


def _cut(places: list[Place]) -> list[Place]:
    """Return at most MOST places, first those where values are no longer valid (`narrowed`). If there are more, add a
    place of kind `more` with the number of further places.
    """
    places = sorted(places, key=lambda place: not place.narrowed)
    rest = places[MOST:]
    narrowed, widened = any(place.narrowed for place in rest), any(place.widened for place in rest)
    counts = [place.after if place.kind == "more" and isinstance(place.after, int) else 1 for place in rest]
    return [*places[:MOST], Place("more", (), None, sum(counts), narrowed, widened)]


def _inside(places: Iterable[Place], *path: str) -> Iterator[Place]:
    return (place.inside(*path) for place in places)


def _values(cases: Iterable[Case]) -> dict[str, JsonValue]:
    return {plain_text(case.values[0]): case.values[0] for case in cases if case.values}


def _listed(old: dict[str, JsonValue], new: dict[str, JsonValue], old_ends: bool, new_ends: bool) -> Iterator[Place]:
    """Yield the differences between the enums `old` and `new`, which map the JSON text of a value to the value.

    `old_ends`, `new_ends`: True if the enum is complete, so that no other value is valid.
    """
    if old_ends and new_ends:
        gone = [value for text, value in old.items() if text not in new]
        added = [value for text, value in new.items() if text not in old]
        if gone:
            yield Place("values-gone", (), before=gone, narrowed=True)
        if added:
            yield Place("values-added", (), after=added, widened=True)
    elif new_ends:
        yield Place("values-listed", (), after=list(new.values()), narrowed=True)
    elif old_ends:
        yield Place("values-free", (), before=list(old.values()), widened=True)


def _names(case: Case) -> frozenset[str]:
    return Members(case).listed if case.kind == "object" else frozenset()


def _is_told_anyway(kind: str, listed: bool) -> bool:
    """Return True if a change of `kind` is reported even if the schema accepts exactly the same values as before.

    That is so for a member that was added to or removed from the schema of a result, since a result may contain other
    members than those listed. `listed`: True for a schema of arguments, False for one of results.
    """
    return not listed and kind in ("member-gone", "member-added")


def _compared_keywords(old: Case, new: Case) -> Iterator[_Compared]:
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


def _numbers(old: Case, new: Case) -> Iterator[_Compared]:
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


def _bound(keyword: str, old: _Bound, new: _Bound, *, above: bool) -> Iterator[_Compared]:
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
) -> Iterator[_Compared]:
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


_MOST = 6
"""Limit on the names of members that are shown."""


def _types_of(cases: Sequence[Case]) -> dict[str, str]:
    """Return a mapping from each type in `cases` (alternatives of a schema) to the type to show for it. `number`
    becomes `integer` if all numbers in `cases` must be integers.
    """
    whole = all(case.integral or _is_whole(case) for case in cases if case.kind == "number")
    kinds = sorted({case.kind for case in cases})
    return {kind: "integer" if kind == "number" and whole else kind for kind in kinds}


def _is_whole(case: Case) -> bool:
    return bool(case.values) and isinstance(case.values[0], int)


def _outlined(cases: Sequence[Case] | None) -> JsonValue:
    """Return the types of `cases` (alternatives of a schema) as text, such as `string or object {id, name}`.

    Return None if there are no cases, or too many to be listed.
    """
    if not cases:
        return None
    return " or ".join(dict.fromkeys(map(_word, cases)))


def _word(case: Case) -> str:
    if case.kind == "number":
        return "integer" if case.integral else "number"
    if case.kind == "object" and (names := sorted(Members(case).listed)):
        return "object {" + ", ".join(names[:_MOST]) + (", …" if len(names) > _MOST else "") + "}"
    return case.kind
