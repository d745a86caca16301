# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the violations in an invalid value one by one, in steps that a time budget counts.

The validator library quickly decides whether a value is valid, for any schema. Asked for errors, it builds all errors
before it returns the first, including those of every alternative of every union. A few hundred bytes of arguments took
gigabytes that way. So the library is only asked whether a value is valid, for the whole schema and for subschemas. Only
invalid parts of the value are examined, and alternatives of a union on demand.

Covers the keywords of JSON Schema 2020-12 (Validation, Core) and of the drafts from 4 on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from .violations import AlternativeViolations, Place, Violation

if TYPE_CHECKING:
    from ..core.limits import Budget
    from .validators import SchemaChecker

    Findings = Iterator[Violation | Place]

MOST_IN_FORM = 20
"""Maximum number of violations to search for in one alternative of a union.

It suffices to find the nearest alternative.
"""

MOST_NAMES = 20
"""Maximum number of unexpected member names reported for one object."""

_CHUNK = 64
"""Number of array items that are checked at once, to skip valid items quickly."""

OTHER = "other"
"""Keyword of a violation whose actual keyword is unknown."""


# jsonschema-rs creates the errors of all branches at once: arguments of 411 bytes took gigabytes of memory
# (docs/decisions/requests.md).
class SchemaWalk:
    """Finder of the violations of one schema. Its methods raise budget.Exhausted if the time budget runs out."""

    __slots__ = ("_budget", "_judge")

    def __init__(self, judge: SchemaChecker, budget: Budget) -> None:
        self._judge = judge
        self._budget = budget

    def violations_of(self, value: Any) -> Iterator[Violation]:
        """Yield the violations of an invalid value.

        Violations at the same place in the value come in the order of _FINDERS.
        """
        return self._from(Place("#", self._judge.schema, value, ()))

    def _from(self, place: Place) -> Iterator[Violation]:
        """Yield the violations at and below a location in schema and value. Call this only if the value is invalid.

        This uses an explicit stack, since values may be nested deeper than Python's recursion allows.
        """
        walked = [(place, self._at(place))]
        while walked:
            for found in walked[-1][1]:
                if isinstance(found, Violation):
                    yield found
                elif not _is_among(found, walked):  # a schema may refer to itself: examine each schema once for a value
                    walked.append((found, self._at(found)))
                    break
            else:
                walked.pop()

    def _at(self, place: Place) -> Findings:
        """Yield the violations at an invalid location, and the invalid locations directly below it."""
        self._budget.spend(1)
        if not isinstance(place.schema, dict):
            yield Violation("falseSchema", place.path, place.value)
            return
        is_explained = False
        for keyword, find in _finders(place.schema):
            for found in find(self, keyword, place):
                is_explained = True
                yield found
        if not is_explained:
            yield Violation(OTHER, place.path, place.value)

    def _within(self, place: Place) -> Findings:
        """Yield `place` itself if its value is invalid, otherwise nothing."""
        if not self._is_valid(place):
            yield place

    def _is_valid(self, place: Place) -> bool:
        self._budget.spend(1)
        return self._judge.is_part_valid(place.pointer, place.value)

    # Methods for keywords about the value itself

    def simple(self, keyword: str, place: Place) -> Findings:
        """Yield a violation if the value violates `keyword`, a keyword without subschemas."""
        self._budget.spend(5)
        rule = {name: place.schema[name] for name in (keyword, *_BESIDE.get(keyword, ())) if name in place.schema}
        if not self._judge.is_keyword_valid(place.pointer, keyword, rule, place.value):
            yield Violation(keyword, place.path, place.value, place.schema[keyword])

    def required(self, keyword: str, place: Place) -> Findings:
        if isinstance(place.value, dict) and isinstance(names := place.schema[keyword], list):
            yield from self._missing(names, place)

    def dependent_required(self, keyword: str, place: Place) -> Findings:
        for name, rule in place.schema[keyword].items():
            if isinstance(place.value, dict) and name in place.value:
                if isinstance(rule, list):
                    yield from self._missing(rule, place)
                else:
                    yield from self._within(place.part(keyword, name))

    def _missing(self, names: list[str], place: Place) -> Findings:
        for name in names:
            self._budget.spend(1)
            if name not in place.value:
                yield Violation("required", place.path, place.value, name)

    def property_names(self, keyword: str, place: Place) -> Findings:
        names = place.part(keyword)
        for name in place.value if isinstance(place.value, dict) else ():
            about = Place(names.pointer, names.schema, name, place.path)
            if not self._is_valid(about):
                yield Violation(keyword, place.path, place.value, next(self._from(about)))

    def contains(self, keyword: str, place: Place) -> Findings:
        if not isinstance(place.value, list):
            return
        part = place.part(keyword)
        count = sum(self._is_valid(part.about(index, item)) for index, item in enumerate(place.value))
        if not place.schema.get("minContains", 1) <= count <= place.schema.get("maxContains", count):
            yield Violation(keyword, place.path, place.value)

    # Methods for keywords about members and items

    def properties(self, keyword: str, place: Place) -> Findings:
        named = place.schema[keyword] if isinstance(place.value, dict) else {}
        for name in named:
            if name in place.value:
                yield from self._within(place.part(keyword, name).about(name, place.value[name]))

    def pattern_properties(self, keyword: str, place: Place) -> Findings:
        for pattern in place.schema[keyword] if isinstance(place.value, dict) else ():
            for name, member in place.value.items():
                if self._is_match(pattern, name):
                    yield from self._within(place.part(keyword, pattern).about(name, member))

    def unexpected_properties(self, keyword: str, place: Place) -> Findings:
        """Yield one violation that lists all members that `additionalProperties: false` forbids."""
        is_closed = isinstance(place.value, dict) and place.schema[keyword] is False
        if is_closed and (unexpected := list(islice(self._others(place), MOST_NAMES))):
            yield Violation(keyword, place.path, place.value, unexpected, place.schema.get("properties", {}))

    def additional_properties(self, keyword: str, place: Place) -> Findings:
        if isinstance(place.value, dict) and place.schema[keyword] is not False:
            part = place.part(keyword)
            for name in self._others(place):
                yield from self._within(part.about(name, place.value[name]))

    def _others(self, place: Place) -> Iterator[str]:
        """Yield the names of members to which neither `properties` nor `patternProperties` applies."""
        named, patterns = place.schema.get("properties", {}), place.schema.get("patternProperties", ())
        for name in place.value:
            self._budget.spend(1)
            if name not in named and not any(self._is_match(pattern, name) for pattern in patterns):
                yield name

    def unevaluated_properties(self, keyword: str, place: Place) -> Findings:
        if not isinstance(place.value, dict):
            return
        evaluated, known = self._evaluated(place)
        part = place.part(keyword)
        others = (
            name
            for name in place.value
            if name not in evaluated and not self._is_valid(part.about(name, place.value[name]))
        )
        if part.schema is False:
            if unexpected := list(islice(others, MOST_NAMES)):
                yield Violation(keyword, place.path, place.value, unexpected, known)
            return
        for name in others:
            yield part.about(name, place.value[name])

    def items(self, keyword: str, place: Place) -> Findings:
        if not isinstance(place.value, list):
            return
        rule = place.schema[keyword]
        if isinstance(rule, list):  # `items` as a list (up to draft 2019-09), and `prefixItems`
            for index, item in enumerate(place.value[: len(rule)]):
                yield from self._within(place.part(keyword, index).about(index, item))
            return
        before = place.schema.get("prefixItems" if keyword == "items" else "items", ())
        if isinstance(before, list) or keyword == "items":
            yield from self._wrong_items(place, place.part(keyword), len(before))

    def _wrong_items(self, place: Place, part: Place, start: int) -> Findings:
        """Yield the locations of invalid items from index `start` on. If `start` is 0, check items in chunks.

        A chunk of valid items costs one step of the time budget. An invalid chunk is then checked item by item.
        """
        for first in range(start, len(place.value), _CHUNK):
            chunk = place.value[first : first + _CHUNK]
            if start == 0 and self._is_valid(Place(place.pointer, place.schema, chunk, place.path)):
                continue
            for index, item in enumerate(chunk, first):
                yield from self._within(part.about(index, item))

    # Methods for keywords that apply other subschemas to the same value

    def all_of(self, keyword: str, place: Place) -> Findings:
        for index in range(len(place.schema[keyword])):
            yield from self._within(place.part(keyword, index))

    def union(self, keyword: str, place: Place) -> Findings:
        parts = [place.part(keyword, index) for index in range(len(place.schema[keyword]))]
        fitting = sum(map(self._is_valid, parts))
        if fitting == 0 or (keyword == "oneOf" and fitting > 1):
            yield Violation(
                keyword,
                place.path,
                place.value,
                forms=lambda: [self._in_form(part) for part in parts],
            )

    def _in_form(self, part: Place) -> AlternativeViolations:
        if self._is_valid(part):
            return AlternativeViolations()
        described, known = self._evaluated(part) if isinstance(part.value, dict) else (set(), [])
        return AlternativeViolations(
            islice(self._from(part), MOST_IN_FORM), is_foreign=bool(part.value and known and not described)
        )

    def negation(self, keyword: str, place: Place) -> Findings:
        if self._is_valid(place.part(keyword)):
            yield Violation(keyword, place.path, place.value)

    def condition(self, keyword: str, place: Place) -> Findings:
        consequence = "then" if self._is_valid(place.part(keyword)) else "else"
        if consequence in place.schema:
            yield from self._within(place.part(consequence))

    def dependent_schemas(self, keyword: str, place: Place) -> Findings:
        for name in place.schema[keyword] if isinstance(place.value, dict) else ():
            if name in place.value:
                yield from self._within(place.part(keyword, name))

    def reference(self, keyword: str, place: Place) -> Findings:
        target = self._referred(place)
        if target is not None:
            yield from self._within(target)

    def _referred(self, place: Place) -> Place | None:
        """Return the subschema to which the `$ref` at `place` points, as a Place for the same value.

        Return None if `$ref` is not a JSON Pointer to a part of the whole schema, such as `#/$defs/Pet`. A value that
        violates a `$ref` of another kind is reported as a whole, without details.
        """
        reference = place.schema["$ref"]
        if not isinstance(reference, str) or (reference != "#" and not reference.startswith("#/")):
            return None
        target = Place("#", self._judge.schema, place.value, place.path)
        try:
            for written in unquote(reference[2:]).split("/") if reference != "#" else ():
                step = written.replace("~1", "/").replace("~0", "~")
                target = target.part(int(step) if isinstance(target.schema, list) else step)
        except (KeyError, IndexError, TypeError, ValueError):
            return None
        return target

    # Methods for keywords about the names of an object's properties

    def _is_match(self, pattern: str, name: str) -> bool:
        self._budget.spend(1)
        return self._judge.is_keyword_valid("#pattern", pattern, {"pattern": pattern}, name)

    def _evaluated(self, place: Place) -> tuple[set[str], list[str]]:
        """Return the members of the value that keywords other than `unevaluatedProperties` evaluate.

        Also return all names in `properties` of this schema and of the subschemas that apply to the value.

        See JSON Schema 2020-12, Core, section 11.3.
        """
        self._budget.spend(1)
        schema, value = place.schema, place.value
        if not isinstance(schema, dict):
            return set(), []
        known = list(schema.get("properties", ()))
        found = {name for name in known if name in value}
        for pattern in schema.get("patternProperties", ()):
            found |= {name for name in value if self._is_match(pattern, name)}
        if "additionalProperties" in schema:
            found |= set(value)
        for part in self._applied(place):
            more, others = self._evaluated(part)
            found |= more
            known += others
        return found, known

    def _applied(self, place: Place) -> Iterator[Place]:
        """Yield the subschemas that apply to the value at `place` as a whole, and for which this value is valid."""
        schema = place.schema
        parts = [place.part(name, index) for name in _LISTS for index in range(len(schema.get(name, ())))]
        if "if" in schema:
            branches = ("if", "then") if self._is_valid(place.part("if")) else ("else",)
            parts += [place.part(name) for name in branches if name in schema]
        parts += [
            place.part("dependentSchemas", name) for name in schema.get("dependentSchemas", ()) if name in place.value
        ]
        if "$ref" in schema and (target := self._referred(place)) is not None:
            parts.append(target)
        for part in parts:
            if self._is_valid(part):
                yield part


_LISTS = ("allOf", "anyOf", "oneOf")

_BESIDE = {"minimum": ("exclusiveMinimum",), "maximum": ("exclusiveMaximum",)}
"""Keywords of draft 4, each with a neighbouring keyword that changes its meaning."""

Finder = Callable[[SchemaWalk, str, Place], "Findings"]

_SIMPLE = (
    *("type", "enum", "const", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)

_FINDERS: tuple[tuple[str, Finder], ...] = (
    *((keyword, SchemaWalk.simple) for keyword in _SIMPLE),
    ("propertyNames", SchemaWalk.property_names),
    ("not", SchemaWalk.negation),
    ("$ref", SchemaWalk.reference),
    ("allOf", SchemaWalk.all_of),
    ("anyOf", SchemaWalk.union),
    ("oneOf", SchemaWalk.union),
    ("if", SchemaWalk.condition),
    ("additionalProperties", SchemaWalk.unexpected_properties),
    ("required", SchemaWalk.required),
    ("dependentRequired", SchemaWalk.dependent_required),
    ("dependencies", SchemaWalk.dependent_required),
    ("dependentSchemas", SchemaWalk.dependent_schemas),
    ("properties", SchemaWalk.properties),
    ("patternProperties", SchemaWalk.pattern_properties),
    ("additionalProperties", SchemaWalk.additional_properties),
    ("contains", SchemaWalk.contains),
    ("prefixItems", SchemaWalk.items),
    ("items", SchemaWalk.items),
    ("additionalItems", SchemaWalk.items),
    ("unevaluatedProperties", SchemaWalk.unevaluated_properties),
)
"""Pairs of a keyword and the method that finds its violations, in the order of reporting, the fastest first."""


def _is_among(found: Place, walked: list[tuple[Place, Findings]]) -> bool:
    return any(found.pointer == place.pointer and found.path == place.path for place, _ in walked)


def _finders(schema: dict[str, Any]) -> Iterator[tuple[str, Finder]]:
    for keyword, find in _FINDERS:
        if keyword in schema and not (keyword in _BOOLEAN and isinstance(schema[keyword], bool)):
            yield keyword, find


_BOOLEAN = ("exclusiveMinimum", "exclusiveMaximum")
"""Keywords that may be true or false in draft 4, where they only modify another keyword."""
