# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe violations to a model: which argument, what was expected, what was given, and the nearest known name.

The texts depend on the keyword of each violation. Schemas are never shown, nor are messages of the validator library.
If a value fits no alternative of a union (`anyOf`), only the nearest alternative is described.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .argument_errors import SHOWN_CHARACTERS, Problem, shown

if TYPE_CHECKING:
    from .violations import AlternativeViolations, Violation

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


def unknown(
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
        yield from (unknown(path, name, known) for name in violation.detail)
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
    found = [next((each for each in form if _is_tag(each, depth)), None) for form in forms]
    tags = [tag for tag in found if tag is not None]
    same = len({tag.path for tag in tags}) == 1
    return tags if same and len(tags) == len(forms) > 1 else []


def _is_tag(violation: Violation, depth: int) -> bool:
    return violation.keyword in ("enum", "const") and len(violation.path) == depth


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
