# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode a value in one of OpenAPI's parameter styles, for a path, a query, a header, a cookie or a form.

The rules are those of RFC 6570 (section 3.2.1, appendix A), as OpenAPI 3.1.1 applies them to its styles ("Style
Values", "Appendix C"). Cases that these specifications leave undefined are decided here. Values nested in an exploded
form or a deepObject use brackets: `a[b][c]=v`, an array of scalars `a[b][]=v`, other arrays `a[b][0][c]=v`. Values
nested elsewhere are JSON text. Where the commas of this text would separate items, the whole value is JSON text.
Undefined members (null, empty arrays, empty objects) are omitted. `Place` says how characters are encoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any
from urllib.parse import quote

from . import extent
from .argument_errors import Unsendable

JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
"""Encoder for compact JSON. Non-ASCII characters are not escaped."""

Encode = Callable[[str], str]
Spell = Callable[[Any], str]


class Style:
    """Rules of one parameter style.

    - `first`: prefix of the text. `separator`: text between exploded members. `named`: whether names are written.
    - `empty`: text that follows a name without a value.
    - `joint`: separator between members that are not exploded; None means a comma.
    """

    __slots__ = ("empty", "first", "joint", "named", "separator")

    def __init__(self, first: str, separator: str, named: bool, empty: str, joint: str | None = None) -> None:
        self.first = first
        self.separator = separator
        self.named = named
        self.empty = empty
        self.joint = joint


STYLES = {
    "simple": Style("", ",", named=False, empty=""),
    "label": Style(".", ".", named=False, empty=""),
    "matrix": Style(";", ";", named=True, empty=""),
    "form": Style("", "&", named=True, empty="="),
    "spaceDelimited": Style("", "&", named=True, empty="=", joint=" "),
    "pipeDelimited": Style("", "&", named=True, empty="=", joint="|"),
    "tabDelimited": Style("", "&", named=True, empty="=", joint="\t"),
    "deepObject": Style("", "&", named=True, empty="="),
    "cookie": Style("", "&", named=True, empty="="),
}

_SPOKEN = {
    ",": "a comma",
    "%2C": "a comma",
    " ": "a space",
    "%20": "a space",
    "|": "a vertical bar",
    "%7C": "a vertical bar",
    "\t": "a tab",
    "%09": "a tab",
    ".": "a dot",
    "=": "an equals sign",
}


class Place:
    """Encoding rules for one part of a request: for characters of values, characters of names, and the comma between
    items.
    """

    __slots__ = ("comma", "name", "value")

    def __init__(self, value: Encode, name: Encode | None = None, comma: str = ",") -> None:
        self.value = value
        self.name = name or value
        self.comma = comma


def scalar(value: Any) -> str:
    """Return a scalar as text: a string unchanged, any other value as JSON."""
    try:
        return _SPELLINGS.get(type(value), _spelled)(value)
    except (ValueError, TypeError):
        raise Unsendable("expected a value that JSON can hold") from None


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else JSON.encode(value)


def _spelled_float(value: float) -> str:
    # NaN and Infinity cannot be sent: `JSON.encode` raises ValueError for them.
    return repr(value) if isfinite(value) else JSON.encode(value)


# Fast conversions for the most frequent types, without the JSON encoder.
_SPELLINGS: dict[type[Any], Spell] = {str: str, int: str, float: _spelled_float, bool: ("false", "true").__getitem__}


# RFC 6570 calls some values undefined. Only values of these types can be undefined.
_MAY_BE_UNDEFINED = (list, dict, type(None))


def defined(value: Any) -> Any:
    """Return the value without undefined members (RFC 6570, section 2.3), or None if no member remains."""
    if isinstance(value, list):
        return [item for item in value if item is not None] or None
    if isinstance(value, dict):
        return {name: member for name, member in value.items() if member is not None} or None
    return value


def unnamed(style: Style) -> Style:
    """Return the style as used in paths and headers: a delimited style writes no parameter name there, and other
    styles are unchanged. OpenAPI 2.0 allows delimited styles in paths and headers.
    """
    return style if style.joint is None else Style("", style.joint, named=False, empty="", joint=style.joint)


class Expansion:
    """Encoder of one variable in one style (an expansion in RFC 6570), prepared once and used for every call."""

    __slots__ = ("_bare", "_between", "_explode", "_first", "_front", "_join", "_name", "_place", "_style")

    def __init__(self, style: Style, name: str, explode: bool, place: Place) -> None:
        written = place.name(name)
        self._style = style
        self._name = name
        self._explode = explode
        self._place = place
        self._first = style.first
        self._join = style.separator.join
        self._between = place.comma if style.joint is None else place.value(style.joint)
        self._front, self._bare = (f"{written}=", written + style.empty) if style.named else ("", "")

    def text(self, value: Any) -> str:
        """Return the encoded value with the style's prefix and separators, or "" if the value is undefined."""
        pieces = self.parts(value)
        return self._first + self._join(pieces) if pieces else ""

    def parts(self, value: Any) -> list[str]:
        """Return the encoded value as parts, to be joined by the style's separator, or [] if the value is undefined.

        In a query or a form, each part is a `name=value` pair.
        """
        if not isinstance(value, _MAY_BE_UNDEFINED):
            text = self._place.value(scalar(value))
        else:
            value = defined(value)
            if value is None:
                return []
            extent.check(self._name, value)
            if self._style is STYLES["deepObject"]:
                return list(_nested(self._name, value, self._place))
            if self._is_unwritable(value):
                text = self._place.value(json.dumps(value, separators=(",", ":")))  # ASCII, which headers require
            elif self._explode:
                return list(self._exploded(value))
            else:
                text = self._joined(value)
        return [self._front + text if text else self._bare]

    def _is_unwritable(self, value: Any) -> bool:
        """Return True if a part of the value is an array or object, whose commas look like the separator of the parts.

        This is so in headers and cookies. The whole value is then written as JSON text.
        """
        if self._place.value(",") != (self._style.separator if self._explode else self._between):
            return False
        return any(isinstance(part, (list, dict)) for part in (value.values() if isinstance(value, dict) else value))

    def _joined(self, value: Any) -> str:
        encode, between = self._place.value, self._between
        return between.join(_apart(encode(text), between) for text in _flat(value))

    def _exploded(self, value: Any) -> Iterator[str]:
        style, place = self._style, self._place
        pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        for index, (key, member) in enumerate(pairs):
            # Nested arrays and objects are written with brackets if `&` separates the pairs, else as JSON text.
            if style.separator == "&" and isinstance(member, (list, dict)):
                yield from _nested(f"{self._name}[{index}]" if key is None else key, member, place)
                continue
            text = _apart(place.value(scalar(member)), style.separator)
            if key is None:
                yield self._front + text if text else self._bare
            else:
                known = _apart(_apart(place.name(key), style.separator), "=")
                yield f"{known}={text}" if text or not style.named else known + style.empty


# OpenAPI does not define how to write nested objects. PHP, Rails and most form parsers read brackets.
def brackets(name: str, value: Any, place: Place) -> list[str]:
    """Return pairs in bracket notation (`a[b][c]=v`) to any depth. Raise Unsendable if a value cannot be encoded."""
    extent.check(name, value)
    return list(_nested(name, value, place))


def _nested(name: str, value: Any, place: Place) -> Iterator[str]:
    value = defined(value)
    if isinstance(value, dict):
        for key, member in value.items():
            if not key or "[" in key or "]" in key:
                raise Unsendable("expected names of members without brackets, which nest them, and not empty")
            yield from _nested(f"{name}[{key}]", member, place)
    elif isinstance(value, list):
        nested = any(isinstance(item, (list, dict)) for item in value)
        for index, item in enumerate(value):
            yield from _nested(f"{name}[{index if nested else ''}]", item, place)
    elif value is not None:
        yield f"{place.name(name)}={place.value(scalar(value))}"


def _flat(value: Any) -> Iterator[str]:
    for item in value.items() if isinstance(value, dict) else ((member,) for member in value):
        yield from (scalar(part) for part in item)


def _apart(text: str, separator: str) -> str:
    """Return the encoded item. Raise Unsendable if it contains the separator, because a server would read two items."""
    if separator in text and separator in _SPOKEN:
        raise Unsendable(f"expected items without {_SPOKEN[separator]}, which stands between the items")
    return text


# --- encoding of characters -----------------------------------------------------------------------------------------

_RESERVED = ":/?#[]@!$&'()*+,;="
_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]*")
_TRIPLE = re.compile(r"(%[0-9A-Fa-f]{2})")


def percent(text: str, safe: str = "") -> str:
    """Return percent-encoded UTF-8 (RFC 3986). Letters, digits, `-._~` and the characters in `safe` are not encoded."""
    return text if _UNRESERVED.fullmatch(text) else quote(text, safe=safe)


def reserved(text: str, forbidden: str) -> str:
    """Encode text according to RFC 6570, section 3.2.3 (reserved expansion).

    Reserved characters and percent-encoded triplets are kept. Characters in `forbidden` are encoded, since they would
    end the component of the URL.
    """
    safe = "".join(character for character in _RESERVED if character not in forbidden)
    return "".join(each if index % 2 else percent(each, safe) for index, each in enumerate(_TRIPLE.split(text)))
