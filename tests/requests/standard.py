"""Read a request by the standard: the values of all parameters and of the body, from the document alone.

Each value is a list of possible values, with one item if the document determines the type. Unreadable is raised if a
part of the request belongs to nothing in the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote_plus

from tests.requests import bodies
from tests.requests.bodies import Body
from tests.requests.described import Described, Operation
from tests.requests.expansions import as_it_is, of_content, of_pairs, of_text, percent
from tests.requests.pairs import Pairs, Unreadable

Slot = tuple[str, str]
"""Location and name of a parameter. Names of header fields are in lower case."""


class Sent(NamedTuple):
    """A request as a server receives it."""

    method: str
    path: str
    query: str
    fields: list[tuple[str, str]]
    body: bytes | None


class Reading(NamedTuple):
    parameters: dict[Slot, list[Any]]
    body: Body | None


def read(operation: Operation, sent: Sent) -> Reading:
    if sent.method != operation.method:
        raise Unreadable(f"{sent.method} is not {operation.method}")
    headers = {name.lower(): value for name, value in sent.fields}
    if len(headers) != len(sent.fields):
        raise Unreadable(f"a header stands twice: {sent.fields}")
    content_type = headers.pop("content-type", "")
    headers.pop("accept", "")
    found = dict(_path(operation, sent.path))
    found.update(_query(operation, sent.query))
    found.update(_cookies(operation, headers.pop("cookie", "")))
    found.update(_headers(operation, headers))
    if (sent.body is None) != (not content_type):
        raise Unreadable(f"a body of {content_type or 'no media type'}")
    return Reading(found, None if sent.body is None else bodies.read(operation, content_type, sent.body))


def slot(parameter: Described) -> Slot:
    return parameter.place, parameter.name.lower() if parameter.place == "header" else parameter.name


def _of(operation: Operation, *places: str) -> list[Described]:
    return [each for each in operation.parameters if each.place in places]


# -- Path -------------------------------------------------------------------------------------------------------------


def _path(operation: Operation, sent: str) -> Iterator[tuple[Slot, list[Any]]]:
    template = re.split("[?#]", operation.path)[0]
    fillings = [list(filling) for filling in _fillings(template.split("/"), sent.split("/"))]
    if not fillings:
        raise Unreadable(f"{sent} is not {template}")
    for index, parameter in enumerate(_of(operation, "path")):
        texts = dict.fromkeys(filling[index] for filling in fillings)
        yield slot(parameter), [reading for text in texts for reading in of_text(parameter, text, percent)]


def _fillings(template: list[str], sent: list[str]) -> Iterator[list[str]]:
    """Yield the possible values of the path's variables. There are several only if two variables share a segment."""
    if len(template) != len(sent):
        return
    if not template:
        yield []
        return
    pieces = [quote(piece, safe="!$&'()*+,;=:@~-._%") for piece in re.split(r"\{[^{}]*\}", template[0])]
    for first in _pieces(pieces, sent[0]):
        for others in _fillings(template[1:], sent[1:]):
            yield first + others


def _pieces(literals: list[str], text: str) -> Iterator[list[str]]:
    first, *others = literals
    if not text.startswith(first):
        return
    text = text.removeprefix(first)
    if not others:
        if not text:
            yield []
        return
    for end in range(1, len(text) + 1):
        for rest in _pieces(others, text[end:]):
            yield [text[:end], *rest]


# -- Query, cookies and headers ---------------------------------------------------------------------------------------


def _query(operation: Operation, sent: str) -> Iterator[tuple[Slot, list[Any]]]:
    for parameter in _of(operation, "querystring"):
        if sent:
            yield slot(parameter), [_whole_query(parameter, sent)]
        return
    pairs = Pairs(sent, "&", unquote_plus)
    for name, value in parse_qsl(operation.path.partition("?")[2].partition("#")[0], keep_blank_values=True):
        if [unquote_plus(text) for text in pairs.take(name)] != [value]:
            raise Unreadable(f"{name}={value} of the path is not sent")
    yield from _owned(_of(operation, "query"), pairs)


def _whole_query(parameter: Described, sent: str) -> Any:
    if parameter.content.partition(";")[0] != "application/x-www-form-urlencoded":
        return of_content(parameter.content, percent(sent))
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(sent, keep_blank_values=True, strict_parsing=True):
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _cookies(operation: Operation, sent: str) -> Iterator[tuple[Slot, list[Any]]]:
    raw = [each for each in _of(operation, "cookie") if each.style == "cookie"]
    pairs = Pairs(sent, "; ", as_it_is if raw else percent)
    yield from _owned(_of(operation, "cookie"), pairs)


def _owned(parameters: list[Described], pairs: Pairs) -> Iterator[tuple[Slot, list[Any]]]:
    """Yield the possible values of each parameter.

    Exploded objects come last, because they take the pairs `name=value` that belong to no other parameter.
    """
    pairs.reserved = {parameter.name for parameter in parameters}
    for parameter in sorted(parameters, key=spreads):
        if readings := of_pairs(parameter, pairs, pairs.decode):
            yield slot(parameter), readings
    if pairs.left:
        raise Unreadable(f"{pairs.left} belongs to no parameter")


def spreads(parameter: Described) -> bool:
    """Return True if the parameter may be an object whose members appear in the query under their own names."""
    can = parameter.explode and parameter.style in ("form", "cookie") and not parameter.content
    return can and parameter.place in ("query", "cookie") and "object" in parameter.shapes


def _headers(operation: Operation, headers: dict[str, str]) -> Iterator[tuple[Slot, list[Any]]]:
    described = {parameter.name.lower(): parameter for parameter in _of(operation, "header")}
    for name, value in headers.items():
        if name not in described:
            raise Unreadable(f"the header {name} belongs to no parameter")
        yield ("header", name), of_text(described[name], value, as_it_is)
