"""Draw random arguments that are valid for a tool's input schema, with characters that can break requests.

Each kind of schema that tools may have has a strategy. Most texts are drawn so that the location of their argument
accepts them, and the request is sent: for example, no `é` in a header. One draw in RARELY ignores what locations
accept. A validator checks each draw at the end, so the strategies may be imprecise.
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple

import jsonschema_rs
from hypothesis import strategies as st

from tests.requests.described import Described
from tests.requests.shapes import required
from tests.requests.sources import Case, Place, nestings

Values = st.SearchStrategy[Any]

RARELY = 50
MOST_MEMBERS, MOST_ITEMS = 4, 3

AWKWARD = (
    *(
        "a",
        "a b",
        "1",
        "true",
        "null",
        "a+b",
        "a%20b",
        "100%",
        "a/b",
        "a&b=c",
        "a=b",
        "?x#y",
        "a;b",
        "a,b",
        "a.b",
        "a|b",
    ),
    *(
        "~-_.!$'()*",
        ":@",
        "é",
        "日本 語",
        "🙂",
        '"quoted"',
        "back\\slash",
        "[]",
        "{x}",
        "<a>",
        "a\tb",
        "",
        " a ",
        "%2C",
    ),
    *("%5B", "file", "x[y]", "a\r\nb", "…", "#", "&", "=", "%"),
)
KEYS = ("a", "b", "c d", "é", "x.y", "k&v", "p%q", "r/s", "t+u", "0", "null")
UNUSUAL_KEYS = ("x[y]", "[]", "m=n", "u,v", "", "#", "a\\b", '"')
_ALPHABET = "ab1 é&=+%/?#;,.|~'\"日"


class Texts(NamedTuple):
    """Rules for a text in one location (path, query, header, cookie or body): forbidden characters, and a check of the
    whole text.
    """

    place: str = "body"
    avoided: frozenset[str] = frozenset()

    def fits(self, text: str) -> bool:
        if self.avoided.intersection(text):
            return False
        if self.place == "path":
            return text.isprintable() and bool(text.strip()) and not set(text) <= set(".;/\\")
        if self.place == "header":
            return text.isascii() and text.isprintable() and text == text.strip()
        return True

    def values(self) -> Values:
        listed = [text for text in AWKWARD if self.fits(text)]
        alphabet = [character for character in _ALPHABET if character not in self.avoided]
        usual = st.sampled_from(listed) | st.text(st.sampled_from(alphabet), max_size=8).filter(self.fits)
        return _rarely(usual, st.sampled_from(AWKWARD))

    def keys(self) -> Values:
        return _rarely(st.sampled_from([key for key in KEYS if self.fits(key)]), st.sampled_from(UNUSUAL_KEYS))


def _rarely(usual: Values, unusual: Values) -> Values:
    return st.integers(0, RARELY - 1).flatmap(lambda number: unusual if number == RARELY - 1 else usual)


def arguments(case: Case) -> Values:
    """Return a strategy for arguments that the tool's schema accepts."""
    properties = case.tool.schema["properties"]
    members = {name: _values(schema, texts_for(case, name)) for name, schema in properties.items()}
    validator = jsonschema_rs.validator_for(case.tool.schema, validate_formats=True)
    plain = _some_of(members, case.tool.schema.get("required", []), 6, _nesting(properties))
    needed = [name for name in members if _is_needed(case, name)]
    in_body = {name for name in members if any(place.in_body for place in case.places[name])}
    whole = st.tuples(plain, st.fixed_dictionaries({name: members[name] for name in needed})).map(
        lambda both: {**both[1], **both[0]} if in_body & both[0].keys() else both[0]
    )
    return _rarely(whole, plain).filter(validator.is_valid)


def _is_needed(case: Case, argument: str) -> bool:
    """Return True if the body cannot be encoded without this member, although the body itself is optional."""
    operation = case.operation
    wanted = {name for each in operation.media_types() for name in required(operation.body_schema(each))}
    wanted |= {field.text("name") for field in operation.fields if field["required"].value is True}
    return any(place.in_body and place.name in wanted and not place.part for place in case.places[argument])


def texts_for(case: Case, argument: str) -> Texts:
    """Return the rules for texts drawn for an argument: the check of the strictest location in which it is sent, and
    the characters that any of its locations forbids.
    """
    found = [(place, case.parameter(place)) for place in case.places[argument]]
    order = ("path", "header", "cookie", "query")
    first = min(found, key=lambda each: order.index(each[0].place) if each[0].place in order else len(order))
    return Texts(first[0].place, frozenset("".join(_avoided(*each) for each in found)))


def _avoided(place: Place, parameter: Described | None) -> str:
    """Return the characters that would end an item in this location."""
    if place.part == "filename":
        return "/\\\0"
    if parameter is None or parameter.content or parameter.shapes == {"scalar"}:
        return ""
    delimiter = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}.get(parameter.style, "")
    if place.place == "header" or parameter.reserved or (place.place == "cookie" and not parameter.explode):
        delimiter += ",="
    return delimiter + ("." if parameter.style == "label" else "")


# -- A strategy for each kind of schema that every client and provider accepts (the portable profile) -----------------


def _values(schema: dict[str, Any], texts: Texts) -> Values:
    if "anyOf" in schema:
        return st.one_of([_values(member, texts) for member in schema["anyOf"]])
    kind = schema.get("type")
    if kind == "object":
        return _objects(schema, texts)
    if kind == "array":
        most = min(schema.get("maxItems", MOST_ITEMS), max(MOST_ITEMS, schema.get("minItems", 0)))
        return st.lists(_values(schema["items"], texts), min_size=schema.get("minItems", 0), max_size=most)
    if kind == "string":
        return _strings(schema, texts)
    if kind == "null":
        return st.none()
    return st.booleans() if kind == "boolean" else _numbers(schema, whole=kind == "integer")


def _numbers(schema: dict[str, Any], *, whole: bool) -> Values:
    low, high = schema.get("minimum"), schema.get("maximum")
    least = -(2**40) if low is None else low
    most = max(2**62, least) if high is None else high
    integers = st.integers(-(-least // 1), most // 1) if -(-least // 1) <= most // 1 else st.nothing()
    small = [number for number in (0, 1, -1, 42, 2.0, 2**53 + 1) if least <= number <= most]
    if whole:
        return st.sampled_from([number for number in small if number == int(number)] or [least]) | integers
    listed = [number for number in (0.5, -1.25, 1e-7, 1e21, 3.0) if least <= number <= most]
    return st.sampled_from([*small, *listed] or [least]) | integers


def _strings(schema: dict[str, Any], texts: Texts) -> Values:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("contentEncoding") == "base64":
        return st.binary(max_size=12).map(lambda content: base64.b64encode(content).decode())
    form = schema.get("format")
    if form == "date-time":
        return st.datetimes().map(lambda time: time.isoformat() + "Z")
    if form == "date":
        return st.dates().map(str)
    if form == "uuid":
        return st.uuids().map(str)
    if form == "email":
        return st.sampled_from(["a@example.com", "o'neil+x@example.org"])
    if "pattern" in schema:
        return _matching(schema["pattern"], texts)
    return texts.values()


def _matching(pattern: str, texts: Texts) -> Values:
    """Return a strategy for texts that match the pattern in Python.

    The JSON Schema validator refuses few of these texts.
    """
    try:
        made = st.from_regex(re.compile(pattern, re.ASCII), alphabet=st.characters(codec="ascii", min_codepoint=32))
        made.validate()
    except (re.error, ValueError, NotImplementedError):
        return texts.values()
    return made.filter(lambda text: len(text) < 100 and texts.fits(text))


def _objects(schema: dict[str, Any], texts: Texts) -> Values:
    properties = schema.get("properties", {})
    members = {name: _values(member, texts) for name, member in properties.items()}
    rest = schema.get("additionalProperties")
    free = _values(rest, texts) if rest else st.none() | st.booleans() | st.integers(-9, 9) | texts.values()
    named = _some_of(members, schema.get("required", []), MOST_MEMBERS, _nesting(properties))
    others = st.dictionaries(texts.keys(), free, max_size=2)
    if properties and not rest:
        others = _rarely(st.just({}), others)
    return st.tuples(others, named).map(lambda both: {**both[0], **both[1]})


def _nesting(properties: dict[str, Any]) -> list[str]:
    """Return the names of the properties that are arrays or objects with inner schemas.

    They are drawn more often, because they are more likely to fail.
    """
    return [name for name, schema in properties.items() if any(" " in each for each in nestings(schema))]


def _some_of(members: dict[str, Values], must: list[str], most: int, often: list[str]) -> Values:
    """Return a strategy that draws the required members and some of the optional ones."""
    optional = [name for name in (*members, *often, *often) if name not in must]
    chosen = st.lists(st.sampled_from(optional), unique=True, max_size=most) if optional else st.just([])
    return chosen.flatmap(
        lambda names: st.fixed_dictionaries({name: members[name] for name in (*must, *names) if name in members})
    )
