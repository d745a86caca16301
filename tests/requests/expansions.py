"""Decode parameter styles: the text of a path or header parameter, and the pairs of a query, a form or cookies.

The rules are those of RFC 6570 (section 3.2), to which OpenAPI 3.1.1 maps its styles, applied in reverse. The result is
texts in lists and objects. If the document does not determine the type, every possible value is returned. Where the
standards are silent, the runtime's `parameters.py` decides: brackets, `a[b][c]=v`, for values nested in an exploded
form or a deepObject.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

from tests.requests.described import Described
from tests.requests.pairs import Pairs, Unreadable, grown
from tests.requests.sameness import Flat, Json

Decode = Callable[[str], str]

SEPARATORS = {
    "spaceDelimited": ("%20", "+", " "),
    "pipeDelimited": ("%7C", "|"),
    "tabDelimited": ("%09", "\t"),
}


def as_it_is(text: str) -> str:
    return text


def of_text(parameter: Described, text: str, decode: Decode) -> list[Any]:
    """Return the values that `text` may stand for, the received text of a path or header parameter."""
    if parameter.content:
        return [of_content(parameter.content, decode(text))]
    first = {"label": ".", "matrix": ";"}.get(parameter.style, "")
    if not text.startswith(first):
        raise Unreadable(f"{text!r} does not begin with {first}")
    text = text.removeprefix(first)
    found: list[Any] = []
    for shape in sorted(parameter.shapes):
        try:
            found.append(
                _matrix(parameter, text, shape, decode) if first == ";" else _plain(parameter, text, shape, decode)
            )
        except Unreadable:
            if len(parameter.shapes) == 1:
                raise
    return found


def _plain(parameter: Described, text: str, shape: str, decode: Decode) -> Any:
    """Return the value that an expanded text means. `shape`: scalar, array or object.

    An array is written as `a,b`, an object as `k,v,k,v` or, exploded, as `k=v,k=v`. In the exploded style `label`, dots
    replace these commas; other styles have separators of their own (SEPARATORS).
    """
    if shape == "scalar":
        return decode(text)
    exploded = parameter.explode
    separators = ("." if parameter.style == "label" and exploded else ",",)
    pieces = split(text, SEPARATORS.get(parameter.style, separators))
    if shape == "array":
        return [decode(piece) for piece in pieces]
    return _members(pieces, decode) if exploded else _alternating(pieces, decode)


def _matrix(parameter: Described, text: str, shape: str, decode: Decode) -> Any:
    pieces = [piece.partition("=") for piece in text.split(";")]
    if shape == "object" and parameter.explode:
        return {decode(name): decode(value) for name, _, value in pieces}
    if any(decode(name) != parameter.name for name, _, _ in pieces):
        raise Unreadable(f"{text!r} is not named {parameter.name}")
    values = [value for _, _, value in pieces]
    if shape == "array" and parameter.explode:
        return [decode(value) for value in values]
    if len(values) != 1:
        raise Unreadable(f"{text!r} holds {len(values)} values")
    if shape == "scalar":
        return decode(values[0])
    return _plain(parameter, values[0], shape, decode)


def of_pairs(parameter: Described, pairs: Pairs, decode: Decode) -> list[Any]:
    """Return each value that the pairs of a parameter in a query, a form or cookies can encode.

    Return [] if the request has no pair of the parameter. Raise Unreadable if the pairs encode no value.
    """
    values = pairs.take(parameter.name)
    if parameter.content:
        return [of_content(parameter.content, decode(value)) for value in values]
    found: list[Any] = []
    style = parameter.style or "form"
    if style in ("form", "cookie", "deepObject") and (parameter.explode or style == "deepObject"):
        entries = pairs.take_inside(parameter.name)
        if entries and not values:
            found.append(grown(entries))
        elif entries:
            found.append(_in_order(values, entries, decode))
        if values and "array" in parameter.shapes and style != "deepObject":
            found.append([Flat(decode(value)) for value in values])
        if "object" in parameter.shapes and style != "deepObject" and parameter.style:
            found += _of_members(parameter, pairs)
    elif len(values) == 1:
        found += _joined(parameter, values[0], decode)
    if "scalar" in parameter.shapes and len(values) == 1:
        found.append(decode(values[0]))
    if values and not found:
        raise Unreadable(f"{parameter.name} stands {len(values)} times, and is {'/'.join(sorted(parameter.shapes))}")
    return found


def _joined(parameter: Described, text: str, decode: Decode) -> Iterator[Any]:
    commas = (",", "%2C") if parameter.place == "cookie" else (",",)
    pieces = split(text, SEPARATORS.get(parameter.style, commas))
    if "array" in parameter.shapes:
        yield [decode(piece) for piece in pieces]
    if "object" in parameter.shapes and len(pieces) % 2 == 0:
        yield _alternating(pieces, decode)


def _of_members(parameter: Described, pairs: Pairs) -> Iterator[dict[str, Any]]:
    """Yield the possible values of an exploded object, whose members appear in the query under their own names."""
    members: dict[str, Any] = {}
    for name in pairs.names_for(parameter):
        values, entries = pairs.take(name), pairs.take_inside(name)
        if len(values) > 1 or (values and entries):
            raise Unreadable(f"{name} stands more than once")
        members[name] = Flat(pairs.decode(values[0])) if values else grown(entries)
    if members:
        yield members


def _in_order(values: list[str], entries: list[tuple[list[str], str]], decode: Decode) -> list[Any]:
    """Return the items of one exploded array. Nested items have an index; scalars take the remaining positions."""
    nested = grown(entries)
    if not isinstance(nested, dict) or not all(key.isdigit() for key in nested):
        raise Unreadable(f"{entries} are not items")
    rest: list[Any] = [Flat(decode(value)) for value in values]
    result: list[Any] = []
    for index in sorted(map(int, nested)):
        while len(result) < index and rest:
            result.append(rest.pop(0))
        result.append(nested[str(index)])
    return result + rest


def of_content(media_type: str, text: str) -> Any:
    """Return the value of a parameter or part that is encoded in a media type."""
    return Json(json.loads(text)) if is_json(media_type) else text


def is_json(media_type: str) -> bool:
    essence = media_type.partition(";")[0].strip().lower()
    return essence == "application/json" or essence.endswith("+json")


def split(text: str, separators: tuple[str, ...]) -> list[str]:
    for other in separators[1:]:
        text = text.replace(other, separators[0])
    return text.split(separators[0])


def _members(pieces: list[str], decode: Decode) -> dict[str, str]:
    found: dict[str, str] = {}
    for piece in pieces:
        name, equals, value = piece.partition("=")
        if not equals or decode(name) in found:
            raise Unreadable(f"{piece!r} is no member")
        found[decode(name)] = decode(value)
    return found


def _alternating(pieces: list[str], decode: Decode) -> dict[str, str]:
    if len(pieces) % 2:
        raise Unreadable(f"{pieces} are not names and values in turn")
    return {decode(name): decode(value) for name, value in zip(pieces[::2], pieces[1::2], strict=True)}


def percent(text: str) -> str:
    return unquote(text, errors="strict")
