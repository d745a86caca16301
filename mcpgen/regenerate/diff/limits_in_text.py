"""Parse limits that mcpgen has written into descriptions, because the keywords of JSON Schema that every client accepts
cannot express them.

Such limits restrict the accepted values as keywords do. `lower/schema/constraints.py` writes them as sentences at the
end of a description. The same sentence written by a person has the same meaning, so it is parsed too.
"""

import json
import re
from collections.abc import Callable

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.lower.schema.constraints import FORMAT_WORDS

_UNITS = {"character": ("minLength", "maxLength"), "member": ("minProperties", "maxProperties")}
_NUMBER = r"-?\d{1,17}(?:\.\d{1,17})?(?:e[-+]?\d{1,2})?"


def _range(found: re.Match[str]) -> JsonObject:
    low, high = _UNITS[found["unit"]]
    least = found["exact"] or found["from"] or found["least"]
    most = found["exact"] or found["to"] or found["most"]
    return {keyword: int(number) for keyword, number in ((low, least), (high, most)) if number}


def _exclusive(found: re.Match[str]) -> JsonObject:
    limits = {"exclusiveMinimum": found["low"], "exclusiveMaximum": found["high"] or found["below"]}
    return {keyword: json.loads(number) for keyword, number in limits.items() if number}


def _format(found: re.Match[str]) -> JsonObject:
    return {"format": next(name for name, words in FORMAT_WORDS.items() if words == found[0])}


_WRITTEN: tuple[tuple[str, Callable[[re.Match[str]], JsonObject]], ...] = (
    ("Not empty", lambda _: {"minLength": 1}),
    (
        r"(?:(?P<exact>\d{1,9})|(?P<from>\d{1,9}) to (?P<to>\d{1,9})"
        r"|At least (?P<least>\d{1,9})|At most (?P<most>\d{1,9})) (?P<unit>character|member)s?",
        _range,
    ),
    (
        rf"More than (?P<low>{_NUMBER})(?: and less than (?P<high>{_NUMBER}))?|Less than (?P<below>{_NUMBER})",
        _exclusive,
    ),
    (rf"A multiple of (?P<step>{_NUMBER})", lambda found: {"multipleOf": json.loads(found["step"])}),
    ("No duplicates", lambda _: {"uniqueItems": True}),
    (
        rf"(?:One of|Always) (?P<values>{_NUMBER}(?:, {_NUMBER})*)",
        lambda found: {"enum": json.loads(f"[{found['values']}]")},
    ),
    ("Always (?P<truth>true|false)", lambda found: {"const": found["truth"] == "true"}),
    ("Base64", lambda _: {"contentEncoding": "base64"}),
    ("|".join(map(re.escape, (words.removesuffix(".") for words in FORMAT_WORDS.values()))), _format),
)
"""Pattern of a sentence without its full stop, and a function that returns the JSON Schema keywords for the
sentence.
"""

_SENTENCES = tuple(
    (re.compile(rf"(?:^|(?<=[.!?…] )|(?<=\n))(?:{pattern})\.(?=\s|$)"), read) for pattern, read in _WRITTEN
)


_OF_SCHEMAS = frozenset({"properties", "patternProperties", "$defs"})
"""Keywords whose values map names to schemas."""

_SCHEMAS = frozenset({"items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf"})


def heard(value: JsonValue) -> JsonValue:
    """Return a schema in which the limits that descriptions state are added as keywords, at every level.

    A keyword that the schema already has is not changed.
    """
    if isinstance(value, list):
        return [heard(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = dict(value)
    for key in _SCHEMAS & value.keys():
        found[key] = heard(value[key])
    for key in _OF_SCHEMAS & value.keys():
        found[key] = {name: heard(each) for name, each in as_object(value[key]).items()}
    text = value.get("description")
    return {**limits(text), **found} if isinstance(text, str) and "type" in value else found


def limits(text: str) -> JsonObject:
    """Return the JSON Schema keywords that the sentences of a description state, or {}."""
    if "." not in text:
        return {}
    found: JsonObject = {}
    for pattern, read in _SENTENCES:
        for sentence in pattern.finditer(text):
            found.update(read(sentence))
    return found
