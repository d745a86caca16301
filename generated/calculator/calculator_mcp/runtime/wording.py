# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What the validator found, in words for a model: which argument, what was expected, what came, and the nearest name.

Worded from the kind of each violation: no text of the validator is passed on, and no schema is printed. Where a value
fits none of several forms (`anyOf`), only the form that fits best is spoken of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .refusal import SHOWN_CHARACTERS, Problem, shown

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MOST_CHOICES = 20
MOST_NAMES = 12

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
_PLAIN = re.compile(r"[\w+\-./:@]*[^\W\d][\w+\-./:@]*")


def unknown(path: str, name: str, known: Iterable[str]) -> Problem:
    """A name that nothing has, with the nearest one that something has."""
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        hint = f'did you mean "{near}"?'
    elif names:
        more = "" if len(names) <= MOST_NAMES else f" and {len(names) - MOST_NAMES} more"
        hint = f"there are {', '.join(names[:MOST_NAMES])}{more}"
    else:
        hint = "there are none"
    return Problem(f"{path}.{shown_name(name)}" if path else shown_name(name), f"is not an argument ({hint})")


def nearest(name: str, known: list[str]) -> str | None:
    """The known name that looks most like it, whatever the case; None where none does."""
    lowered = {each.lower(): each for each in reversed(known)}
    import difflib  # a mistaken name is rare, and this is not for free

    found = difflib.get_close_matches(name[:64].lower(), lowered, 1)
    return lowered[found[0]] if found else None


def shown_name(name: str) -> str:
    """A name as it came, unless it is long or strange."""
    return name if len(name) <= 64 and name.isprintable() and name else shown(name)


def problems(error: ValidationError, schema: dict[str, Any]) -> Iterator[Problem]:
    """The problems that one violation of the schema stands for."""
    kind: Any = error.kind
    path = _path(error)
    if kind.name == "required":
        yield Problem(f"{path}.{kind.property}" if path else kind.property, "is required")
    elif kind.name in ("additionalProperties", "unevaluatedProperties"):
        known = _node(schema, error.schema_path[:-1]).get("properties", {})
        yield from (unknown(path, name, known) for name in kind.unexpected)
    elif kind.name in ("anyOf", "oneOf"):
        yield from _best(error, [form for form in kind.context if form], len(kind.context), schema)
    elif kind.name == "propertyNames":
        yield Problem(
            path, f"a name in it is not allowed: expected {_expected(kind.error)}; got {shown(kind.error.instance)}"
        )
    else:
        yield Problem(path, f"expected {_expected(error)}; got {shown(error.instance)}{_hint(error)}")


def _expected(error: ValidationError) -> str:
    kind: Any = error.kind
    if kind.name in _LIMITS:
        limit = kind.limit
        return _LIMITS[kind.name].format(json.dumps(limit, default=str), s="" if limit == 1 else "s")
    if kind.name == "type":
        return _any_of(_TYPES[each] for each in _TYPES if each in kind.types)
    if kind.name == "enum":
        more = len(kind.options) - MOST_CHOICES
        return f"one of {', '.join(map(_choice, kind.options[:MOST_CHOICES]))}" + (
            f" and {more} more" if more > 0 else ""
        )
    if kind.name == "const":
        return _choice(kind.expected_value)
    if kind.name == "format":
        return _FORMATS.get(kind.format, f"the format {kind.format}")
    if kind.name == "pattern":
        return f"text that matches {kind.pattern if len(kind.pattern) <= SHOWN_CHARACTERS else 'a certain pattern'}"
    if kind.name == "multipleOf":
        return f"a multiple of {kind.multiple_of}"
    if kind.name == "uniqueItems":
        return "items that all differ"
    if kind.name == "contains":
        return "an item of a certain form among its items"
    if kind.name == "falseSchema":
        return "nothing there"
    return "a value of another form"


def _choice(value: Any) -> str:
    """A value among others: a word as it stands, anything that may be mistaken for another type or for two as JSON."""
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value not in ("true", "false", "null")
    return str(value) if plain else shown(value)


def _hint(error: ValidationError) -> str:
    kind: Any = error.kind
    if kind.name != "enum" or not isinstance(error.instance, str):
        return ""
    near = nearest(error.instance, [each for each in kind.options if isinstance(each, str)])
    return "" if near is None else f" (did you mean {shown(near)}?)"


def _any_of(words: Iterable[str]) -> str:
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} or {last}" if first else last


def _best(
    error: ValidationError, forms: list[list[ValidationError]], total: int, schema: dict[str, Any]
) -> Iterator[Problem]:
    """The problems with the form that the value comes nearest to; all forms in one where the value itself fits none."""
    here = error.instance_path
    if not forms or len(forms) < total:
        yield Problem(_path(error), f"expected a value of just one of {total} forms; got {shown(error.instance)}")
        return
    typed = [form for form in forms if not any(_kind(each) == "type" and each.instance_path == here for each in form)]
    if all(_kind(form[0]) in ("enum", "const") and form[0].instance_path == here for form in typed):
        expected = _any_of(_expected(each) for form in typed or forms for each in form if each.instance_path == here)
        yield Problem(_path(error), f"expected {expected}; got {shown(error.instance)}")
        return
    if tags := _tags(typed, len(here) + 1):
        yield _wrong_tag(tags)
        return
    found = [problem for each in min(typed, key=_distance) for problem in problems(each, schema)]
    if len(typed) > 1:
        found[0].text += f" (for the nearest of {total} forms)"
    yield from found


def _tags(forms: list[list[ValidationError]], depth: int) -> list[ValidationError]:
    """The violations of one member that tells all forms apart by its values, where the value fits none of them."""
    found = [next((each for each in form if _is_tag(each, depth)), None) for form in forms]
    tags = [tag for tag in found if tag is not None]
    same = len({tuple(tag.instance_path) for tag in tags}) == 1
    return tags if same and len(tags) == len(forms) > 1 else []


def _is_tag(error: ValidationError, depth: int) -> bool:
    return _kind(error) in ("enum", "const") and len(error.instance_path) == depth


def _wrong_tag(tags: list[ValidationError]) -> Problem:
    choices: list[Any] = []
    for tag in tags:
        kind: Any = tag.kind
        choices += kind.options if kind.name == "enum" else [kind.expected_value]
    got = tags[0].instance
    near = nearest(got, [each for each in choices if isinstance(each, str)]) if isinstance(got, str) else None
    hint = "" if near is None else f" (did you mean {shown(near)}?)"
    return Problem(_path(tags[0]), f"expected one of {', '.join(map(_choice, choices))}; got {shown(got)}{hint}")


def _distance(form: list[ValidationError]) -> int:
    """How far a value is from a form. A wrong constant weighs most: it is what tells forms apart."""
    return sum(10 if _kind(each) in ("const", "enum") else 1 for each in form)


def _path(error: ValidationError) -> str:
    return ".".join(shown_name(str(step)) for step in error.instance_path)


def _kind(error: ValidationError) -> str:
    return error.kind.name


def _node(schema: Any, steps: list[str | int]) -> dict[str, Any]:
    """The part of the schema at that place; empty where the place is not in it."""
    for step in steps:
        try:
            schema = schema[step]
        except (KeyError, IndexError, TypeError):
            return {}
    return schema if isinstance(schema, dict) else {}
