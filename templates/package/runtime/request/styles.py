# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parameter styles: a value becomes text in a path, a query, a header, a cookie or a form.

The rules are RFC 6570 (section 3.2.1 and the table of its appendix A), as OpenAPI 3.1.1 maps its styles onto them
("Style Values", "Appendix C"). What these leave undefined is settled here, once: values nested in an exploded form
or in a deepObject are written with brackets, `a[b][c]=v`, an array of scalars as `a[b][]=v`, an array of others as
`a[b][0][c]=v`; values nested anywhere else are JSON text. Undefined members (null, and empty arrays and objects) are
not written. Pure; how characters are written is the place's matter (`Place`).
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
"""Compact, in any script."""

Encode = Callable[[str], str]
Spell = Callable[[Any], str]


class Style:
    """One row of the table: what stands first, what separates exploded members, whether names are written, what follows
    a name without a value, and the character that joins members that are not exploded (None: a comma)."""

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
    """Where a value goes: how the characters of values and of names are written there, and the comma between items."""

    __slots__ = ("comma", "name", "value")

    def __init__(self, value: Encode, name: Encode | None = None, comma: str = ",") -> None:
        self.value = value
        self.name = name or value
        self.comma = comma


def scalar(value: Any) -> str:
    """A value as JSON would write it, strings without their quotes."""
    try:
        return _SPELLINGS.get(type(value), _spelled)(value)
    except (ValueError, TypeError):
        raise Unsendable("expected a value that JSON can hold") from None


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else JSON.encode(value)


def _spelled_float(value: float) -> str:
    return repr(value) if isfinite(value) else JSON.encode(value)  # which refuses it


# Encoders are not for free, and most values are one of these.
_SPELLINGS: dict[type[Any], Spell] = {str: str, int: str, float: _spelled_float, bool: ("false", "true").__getitem__}


# RFC 6570 knows no other values that can be.
_MAY_BE_UNDEFINED = (list, dict, type(None))


def defined(value: Any) -> Any:
    """The value without its undefined members (RFC 6570, section 2.3); None where nothing is left."""
    if isinstance(value, list):
        return [item for item in value if item is not None] or None
    if isinstance(value, dict):
        return {name: member for name, member in value.items() if member is not None} or None
    return value


def unnamed(style: Style) -> Style:
    """The style in a path or a header, where no names are written: OpenAPI 2.0 has the delimited ones there too."""
    return style if style.joint is None else Style("", style.joint, named=False, empty="", joint=style.joint)


class Expansion:
    """How a variable is expanded, as RFC 6570 has it: what of that no value changes is found out once."""

    __slots__ = ("_bare", "_explode", "_first", "_front", "_join", "_name", "_place", "_style")

    def __init__(self, style: Style, name: str, explode: bool, place: Place) -> None:
        written = place.name(name)
        self._style = style
        self._name = name
        self._explode = explode
        self._place = place
        self._first = style.first
        self._join = style.separator.join
        self._front, self._bare = (f"{written}=", written + style.empty) if style.named else ("", "")

    def text(self, value: Any) -> str:
        """The expansion as one text; "" where it is undefined."""
        pieces = self.parts(value)
        return self._first + self._join(pieces) if pieces else ""

    def parts(self, value: Any) -> list[str]:
        """The pieces of it that the style's separator stands between: in a query or a form, the pairs."""
        if not isinstance(value, _MAY_BE_UNDEFINED):
            text = self._place.value(scalar(value))
        else:
            value = defined(value)
            if value is None:
                return []
            extent.check(self._name, value)
            if self._style is STYLES["deepObject"]:
                return list(_nested(self._name, value, self._place))
            if self._explode:
                return list(self._exploded(value))
            text = self._joined(value)
        return [self._front + text if text else self._bare]

    def _joined(self, value: Any) -> str:
        place, joint = self._place, self._style.joint
        between = place.comma if joint is None else place.value(joint)
        return between.join(_apart(place.value(text), between) for text in _flat(value))

    def _exploded(self, value: Any) -> Iterator[str]:
        style, place = self._style, self._place
        pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        for index, (key, member) in enumerate(pairs):
            # Only where `&` separates, in a query or a form, can a nested member be written with brackets.
            if style.separator == "&" and isinstance(member, (list, dict)):
                yield from _nested(f"{self._name}[{index}]" if key is None else key, member, place)
                continue
            text = _apart(place.value(scalar(member)), style.separator)
            if key is None:
                yield self._front + text if text else self._bare
            else:
                known = _apart(_apart(place.name(key), style.separator), "=")
                yield f"{known}={text}" if text or not style.named else known + style.empty


# Decision 0029: Objects in urlencoded bodies are written with brackets.
def brackets(name: str, value: Any, place: Place) -> list[str]:
    """Return pairs in bracket notation, to any depth. Raises Unsendable."""
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
    """The written item, refused where it would be read as two."""
    if separator in text and separator in _SPOKEN:
        raise Unsendable(f"expected items without {_SPOKEN[separator]}, which stands between the items")
    return text


# --- how characters are written -----------------------------------------------------------------------------------

_RESERVED = ":/?#[]@!$&'()*+,;="
_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]*")
_TRIPLE = re.compile(r"(%[0-9A-Fa-f]{2})")


def percent(text: str, safe: str = "") -> str:
    """Percent-encoded UTF-8 (RFC 3986): letters, digits and `-._~` stay, and `safe`."""
    return text if _UNRESERVED.fullmatch(text) else quote(text, safe=safe)


def reserved(text: str, forbidden: str) -> str:
    """As RFC 6570 section 3.2.3: reserved characters and percent-encoded triples stay, but for what ends the place."""
    safe = "".join(character for character in _RESERVED if character not in forbidden)
    return "".join(each if index % 2 else percent(each, safe) for index, each in enumerate(_TRIPLE.split(text)))
