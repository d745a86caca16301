# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""One parameter and its value become text in their place: a piece of the path, query pairs, a header, cookies.

Each place has its own alphabet, and a value that has no form in it is refused rather than bent: a path segment is never
empty, a header is visible ASCII (RFC 9110 section 5.5 asks no less of new fields), a cookie value is made of
cookie-octets (RFC 6265 section 4.1.1): what is none is percent-encoded, but in the style `cookie`, which sends values
as they are. Absent values, and null, write nothing.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

from . import fields
from .refusal import Unsendable
from .shapes import ABSENT
from .styles import STYLES, Place, brackets, defined, parts, percent, reserved, scalar, write

Parameter = dict[str, Any]


CONTROL = re.compile(r"[\x00-\x1f\x7f]")

# The fields that credentials and cookies make; no parameter does.
_OURS = ("authorization", "cookie")


def _as_it_is(text: str) -> str:
    return text


# `$` stays in names, since servers of OData compare `$filter` before they decode.
_NAME_SAFE = "$@:"
_COOKIE_OCTETS = "!#$&'()*+/:<=>?@[]^`{|}"

_PATH = Place(percent)
_PATH_RESERVED = Place(lambda text: reserved(text, "/?#"), percent)
QUERY = Place(percent, lambda text: percent(text, _NAME_SAFE))
_QUERY_RESERVED = Place(lambda text: reserved(text, "&#+"), lambda text: percent(text, _NAME_SAFE))
_HEADER = Place(_as_it_is)
_FORM = Place(percent)
_RAW_COOKIE = Place(_as_it_is)
_COOKIE_PAIR = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+=[!#$%&'()*+,\-./0-9:<=>?@A-Z\[\]^_`a-z{|}~]*")
COOKIE = Place(lambda text: percent(text, _COOKIE_OCTETS), lambda text: percent(text, "!#$&'*+^`|"), comma="%2C")


def value_of(bound: Parameter, arguments: dict[str, Any]) -> Any:
    """What a parameter, or a field of a body, carries: its constant, its template filled in, its argument, or ABSENT.
    Raises Unsendable."""
    if "template" in bound:
        from . import templates  # only tools written by hand have some

        return templates.filled(bound["template"], arguments)
    return bound["value"] if "value" in bound else arguments.get(bound["argument"], ABSENT)


def path_piece(parameter: Parameter, value: Any) -> list[str]:
    """The text that stands for a parameter in the path."""
    if value is ABSENT or value is None:
        raise Unsendable("is required")
    place = _PATH_RESERVED if parameter.get("reserved") else _PATH
    if "content" in parameter:
        piece = place.value(_content(parameter, value))
    else:
        piece = write(STYLES[parameter["style"]], parameter["name"], value, parameter.get("explode", False), place)
    if not piece or (parameter.get("style") != "matrix" and isinstance(value, str) and not value.strip()):
        raise Unsendable("expected a value that is not empty")
    if CONTROL.search(unquote(piece)):
        raise Unsendable("expected text without control characters")
    return [piece]


def query_pairs(parameter: Parameter, value: Any) -> list[str]:
    """The pairs `name=value` that a parameter adds to the query."""
    if value is ABSENT or value is None:
        return []
    place = _QUERY_RESERVED if parameter.get("reserved") else QUERY
    if "content" in parameter:
        return [f"{place.name(parameter['name'])}={place.value(_content(parameter, value))}"]
    pairs = parts(STYLES[parameter["style"]], parameter["name"], value, parameter.get("explode", True), place)
    if any("%00" in pair for pair in pairs):
        raise Unsendable("expected text without NUL characters")
    return pairs


def query_string(parameter: Parameter, value: Any) -> list[str]:
    """The whole query of a parameter that is one (OpenAPI 3.2, 4.12.1), by the media type that it declares."""
    if value is ABSENT or value is None:
        return []
    if parameter["content"].partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        return [QUERY.value(_content(parameter, value))]
    if not isinstance(value, dict):
        raise Unsendable("expected an object, whose members are the fields of the query")
    pairs = [pair for name, member in value.items() for pair in field_pairs({"name": name}, member, _FORM)]
    if any("%00" in pair for pair in pairs):
        raise Unsendable("expected text without NUL characters")
    return pairs


def field_pairs(field: Parameter, value: Any, place: Place) -> list[str]:
    """The pairs of one field of an urlencoded form. Without a style an object is written with brackets."""
    if "content" in field:
        value = _content(field, value)
    elif "style" not in field and isinstance(value, dict):
        return list(brackets(field["name"], value, place))
    return parts(STYLES[field.get("style", "form")], field["name"], value, field.get("explode", True), place)


def header(parameter: Parameter, value: Any) -> list[tuple[str, str]]:
    """The header field of a parameter."""
    name = parameter["name"]
    if name.lower() in _OURS or not fields.is_name(name):
        raise Unsendable(f"{name} is not a header that a tool may set")
    if value is ABSENT or value is None:
        return []
    if "content" in parameter:
        text = _content(parameter, value, ascii_only=True)
    else:
        text = write(STYLES[parameter["style"]], name, value, parameter.get("explode", False), _HEADER)
        if defined(value) is None:
            return []
    if not fields.is_value(text):
        raise Unsendable("expected visible ASCII characters, without blanks at the ends")
    return [(name, text)]


def cookies(parameter: Parameter, value: Any) -> list[str]:
    """The cookie pairs of a parameter: one, or one for each item where an array or an object is exploded."""
    if value is ABSENT or value is None:
        return []
    if "content" in parameter:
        return [f"{COOKIE.name(parameter['name'])}={COOKIE.value(_content(parameter, value))}"]
    plain = parameter["style"] == "cookie"
    place = _RAW_COOKIE if plain else COOKIE
    pairs = parts(STYLES[parameter["style"]], parameter["name"], value, parameter.get("explode", True), place)
    if any(pair.startswith("=") for pair in pairs):
        raise Unsendable("expected members with names, since each is a cookie")
    if plain and not all(_COOKIE_PAIR.fullmatch(pair) for pair in pairs):
        raise Unsendable("expected visible ASCII characters without blanks, quotes, semicolons and backslashes")
    return pairs


def _content(parameter: Parameter, value: Any, ascii_only: bool = False) -> str:
    """The value as the media type that the parameter declares: JSON, or else text."""
    essence = parameter["content"].partition(";")[0].strip().lower()
    if not essence.endswith(("/json", "+json")):
        return scalar(value)
    return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
