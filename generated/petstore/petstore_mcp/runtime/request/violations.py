# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the violations in an invalid value one by one, and describe each to a model.

The validator library quickly decides whether a value is valid, for any schema. Asked for errors, it builds all errors
before it returns the first, including those of every alternative of every union. A few hundred bytes of arguments took
gigabytes that way. So the library is only asked whether a value is valid, for the whole schema and for subschemas. Only
invalid parts of the value are examined, in steps that a time budget counts, and alternatives of a union on demand.

Covers the keywords of JSON Schema 2020-12 (Validation, Core) and of the drafts from 4 on.

A text says which argument is wrong, what was expected, what was given, and the nearest known name, by the keyword of
the violation. Schemas are never shown, nor are messages of the validator library. If a value fits no alternative of a
union (`anyOf`), only the nearest alternative is described.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

from .argument_errors import SHOWN_CHARACTERS, Problem, shown

if TYPE_CHECKING:
    from ..core.limits import Budget

    class SchemaChecker(Protocol):
        """Interface for checking values against parts of a schema (arguments.SchemaChecker)."""

        schema: dict[str, Any]

        def is_part_valid(self, pointer: str, value: Any) -> bool:
            """Return True if `value` is valid against the subschema at `pointer`."""

        def is_keyword_valid(self, pointer: str, keyword: str, rule: dict[str, Any], value: Any) -> bool:
            """Return True if `value` satisfies one keyword of the subschema at `pointer`."""

    Path = tuple[str | int, ...]
    Forms = Callable[[], list["AlternativeViolations"]]

    Findings = Iterator["Violation | Place"]


class Violation:
    """One violation: a schema keyword, and the value that violates it.

    - `path`: names and indexes from the root to `value`. `known`: the expected member names.
    - `detail`: the value of the keyword in the schema, or the missing or unexpected member names.
    - `forms()`: returns a list of violations for each alternative of a union, empty if the value fits the alternative.
    """

    __slots__ = ("detail", "forms", "keyword", "known", "path", "value")

    def __init__(
        self,
        keyword: str,
        path: Path,
        value: Any,
        detail: Any = None,
        known: Iterable[str] = (),
        forms: Forms | None = None,
    ) -> None:
        self.keyword = keyword
        self.path = path
        self.value = value
        self.detail = detail
        self.known = known
        self.forms = forms


class AlternativeViolations(list[Violation]):
    """Violations of one alternative of a union, empty if the value fits it.

    `is_foreign`: True if the value is an object with no member that the alternative describes.
    """

    __slots__ = ("is_foreign",)

    def __init__(self, violations: Iterable[Violation] = (), is_foreign: bool = False) -> None:
        super().__init__(violations)
        self.is_foreign = is_foreign


class Place:
    """A subschema with the part of the value to which it applies."""

    __slots__ = ("path", "pointer", "schema", "value")

    def __init__(self, pointer: str, schema: Any, value: Any, path: Path) -> None:
        self.pointer = pointer
        self.schema = schema
        self.value = value
        self.path = path

    def part(self, *steps: str | int) -> Place:
        """Return the location of a subschema below this one that applies to the same value."""
        schema = self.schema
        for step in steps:
            schema = schema[step]
        return Place(self.pointer + "".join(map(_written, steps)), schema, self.value, self.path)

    def about(self, step: str | int, value: Any) -> Place:
        """Return a Place with the same subschema for `value`, the item or member `step` of this Place's value."""
        return Place(self.pointer, self.schema, value, (*self.path, step))


def _written(step: str | int) -> str:
    """Return a step of a JSON Pointer as the validator library writes it: escaped, but without percent-encoding."""
    return "/" + str(step).replace("~", "~0").replace("/", "~1")


MOST_IN_FORM = 20
"""Maximum number of violations to search for in one alternative of a union.

It suffices to find the nearest alternative.
"""

MOST_UNEXPECTED = 20
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
        for keyword, find in _FINDERS:
            if keyword in place.schema and not (keyword in _BOOLEAN and isinstance(place.schema[keyword], bool)):
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
        if is_closed and (unexpected := list(islice(self._others(place), MOST_UNEXPECTED))):
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
            if unexpected := list(islice(others, MOST_UNEXPECTED)):
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


_BOOLEAN = ("exclusiveMinimum", "exclusiveMaximum")
"""Keywords that may be true or false in draft 4, where they only modify another keyword."""

MOST_CHOICES = 20
MOST_NAMES = 12
LONGEST_PATH = 400
MOST_COMPARED = 500
"""Maximum number of names or enum values with which a mistaken one is compared.

Each comparison costs some microseconds.
"""

_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_FORMATS = {
    "date": "a date such as 2026-01-31",
    "date-time": "a date and time with its offset, such as 2026-01-31T09:30:00Z",
    "uuid": "a UUID",
}
_LIMITS = {
    "minimum": "a number of at least {}",
    "maximum": "a number of at most {}",
    "exclusiveMinimum": "a number above {}",
    "exclusiveMaximum": "a number below {}",
    "minLength": "at least {} character{s}",
    "maxLength": "at most {} character{s}",
    "minItems": "at least {} item{s}",
    "maxItems": "at most {} item{s}",
    "additionalItems": "at most {} item{s}",
    "minProperties": "at least {} member{s}",
    "maxProperties": "at most {} member{s}",
}
_OTHERS = {
    "uniqueItems": "items that all differ",
    "contains": "an item of a certain form among its items",
    "falseSchema": "nothing there",
}
_NEAREST = " forms)"
NO_NAMES: Mapping[str, str] = {}
_PLAIN = re.compile(r"[\w+\-./:@]*[^\W\d][\w+\-./:@]*")


def unknown_name(
    path: str,
    name: str,
    known: Iterable[str],
    set_by_api: Iterable[str] = (),
    originals: Mapping[str, str] = NO_NAMES,
) -> Problem:
    """Return a problem for an unknown name, which suggests the nearest known name.

    `set_by_api`: names of members that only responses have. `originals`: name in the request -> argument. Such a name
    is accepted if its argument is not given too.
    """
    names = list(known)
    near = originals.get(name) or nearest(name, [*names, *originals])
    if name in set_by_api:
        hint = "the API sets it"
    elif near is not None:
        hint = f'did you mean "{near}"?'
    elif names:
        more = "" if len(names) <= MOST_NAMES else f" and {len(names) - MOST_NAMES} more"
        hint = f"there are {', '.join(names[:MOST_NAMES])}{more}"
    else:
        hint = "there are none"
    return Problem(f"{path}.{shown_name(name)}" if path else shown_name(name), f"is not an argument ({hint})")


def nearest(name: str, known: list[str]) -> str | None:
    """Return the most similar known name, ignoring case, or None."""
    lowered = {each.lower(): each for each in reversed(known[:MOST_COMPARED])}
    import difflib  # imported here: needed only for unknown names

    found = difflib.get_close_matches(name[:64].lower(), lowered, 1)
    return lowered[found[0]] if found else None


def shown_name(name: str) -> str:
    """Return a name unchanged, or as JSON if it is long or contains unusual characters."""
    return name if len(name) <= 64 and name.isprintable() and name else shown(name)


def problems(violation: Violation) -> Iterator[Problem]:
    """Yield problems for one violation of a schema. Raise budget.Exhausted if the check's time budget runs out.

    Each unknown name gives one problem. A union can give several: those of its nearest alternative. Any other violation
    gives one problem.
    """
    keyword, path = violation.keyword, _path(violation)
    if keyword == "required":
        yield Problem(f"{path}.{violation.detail}" if path else violation.detail, "is required")
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        known = list(violation.known)
        yield from (unknown_name(path, name, known) for name in violation.detail)
    elif violation.forms is not None:
        forms = violation.forms()
        yield from _best(violation, [form for form in forms if form], len(forms))
    elif keyword == "propertyNames":
        name = violation.detail
        yield Problem(path, f"a name in it is not allowed: expected {_expected(name)}; got {shown(name.value)}")
    else:
        yield Problem(path, f"expected {_expected(violation)}; got {shown(violation.value)}{_hint(violation)}")


def _expected(violation: Violation) -> str:
    keyword, detail = violation.keyword, violation.detail
    if keyword in _LIMITS:
        return _LIMITS[keyword].format(json.dumps(detail, default=str), s="" if detail == 1 else "s")
    if keyword == "type":
        kinds = [detail] if isinstance(detail, str) else detail
        return _any_of(_TYPES[each] for each in _TYPES if each in kinds)
    if keyword == "enum":
        return _one_of(detail)
    if keyword == "const":
        return _choice(detail)
    if keyword == "format":
        return _FORMATS.get(detail, f"the format {detail}")
    if keyword == "pattern":
        return f"text that matches {detail if len(detail) <= SHOWN_CHARACTERS else 'a certain pattern'}"
    if keyword == "multipleOf":
        return f"a multiple of {detail}"
    return _OTHERS.get(keyword, "a value of another form")


def _one_of(choices: list[Any]) -> str:
    more = f" and {len(choices) - MOST_CHOICES} more" if len(choices) > MOST_CHOICES else ""
    return f"one of {', '.join(map(_choice, choices[:MOST_CHOICES]))}{more}"


def _choice(value: Any) -> str:
    """Return a value as a list of choices shows it: a plain word without quotes, any other value as JSON."""
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value not in ("true", "false", "null")
    return str(value) if plain else shown(value)


def _hint(violation: Violation) -> str:
    if violation.keyword != "enum" or not isinstance(violation.value, str):
        return ""
    near = nearest(violation.value, [each for each in violation.detail if isinstance(each, str)])
    return "" if near is None else f" (did you mean {shown(near)}?)"


def _any_of(words: Iterable[str]) -> str:
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} or {last}" if first else last


def _best(violation: Violation, forms: list[AlternativeViolations], total: int) -> Iterator[Problem]:
    """Yield the problems of a value in the nearest alternative of a union.

    If all alternatives of the value's type limit the value by `enum` or `const`, list the allowed values instead.
    """
    here, value = violation.path, violation.value
    if not forms or len(forms) < total:
        yield Problem(_path(violation), f"expected a value of just one of {total} forms; got {shown(value)}")
        return
    typed = [form for form in forms if not any(each.keyword == "type" and each.path == here for each in form)]
    if all(form[0].keyword in ("enum", "const") and form[0].path == here for form in typed):
        at_value = [each for form in typed or forms for each in form if each.path == here]
        hint = next(filter(None, map(_hint, at_value)), "")
        yield Problem(_path(violation), f"expected {_any_of(map(_expected, at_value))}; got {shown(value)}{hint}")
        return
    if tags := _tags(typed, len(here) + 1):
        yield _wrong_tag(tags)
        return
    found = [problem for each in min(typed, key=_distance) for problem in problems(each)]
    if len(typed) > 1 and not found[0].text.endswith(_NEAREST):
        found[0].text += f" (for the nearest of {total}{_NEAREST}"
    yield from found


def _tags(forms: list[AlternativeViolations], depth: int) -> list[Violation]:
    """Return the violations of a discriminating member, one per alternative, or [] if there is no such member.

    Each alternative requires another constant or enum for the member, and the member's value fits no alternative.
    """
    found = [
        next((each for each in form if each.keyword in ("enum", "const") and len(each.path) == depth), None)
        for form in forms
    ]
    tags = [tag for tag in found if tag is not None]
    same = len({tag.path for tag in tags}) == 1
    return tags if same and len(tags) == len(forms) > 1 else []


def _wrong_tag(tags: list[Violation]) -> Problem:
    choices: list[Any] = []
    for tag in tags:
        choices += tag.detail if tag.keyword == "enum" else [tag.detail]
    got = tags[0].value
    near = nearest(got, [each for each in choices if isinstance(each, str)]) if isinstance(got, str) else None
    hint = "" if near is None else f" (did you mean {shown(near)}?)"
    return Problem(_path(tags[0]), f"expected {_one_of(choices)}; got {shown(got)}{hint}")


def _distance(form: AlternativeViolations) -> int:
    """Return a number that says how far a value is from an alternative of a union; fewer violations mean nearer.

    A wrong constant counts most, and so does an object with no member that the alternative describes, because these
    distinguish alternatives.
    """
    return 10 * form.is_foreign + sum(10 if each.keyword in ("const", "enum") else 1 for each in form)


def _path(violation: Violation) -> str:
    path = ".".join(shown_name(str(step)) for step in violation.path)
    return path if len(path) <= LONGEST_PATH else f"{path[: LONGEST_PATH // 2]}\u2026{path[-LONGEST_PATH // 2 :]}"
