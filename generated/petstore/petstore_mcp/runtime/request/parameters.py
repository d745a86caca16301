# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode a value for its place in the request: the path, the query, a header, a cookie, or a member of the body.

Each place allows certain characters (`Place`). A value that cannot be encoded there is refused, never
altered. A path segment is never empty; a header is visible ASCII (as RFC 9110 section 5.5 asks of new fields). A cookie
value consists of cookie-octets (RFC 6265 section 4.1.1); other characters are percent-encoded. The style `cookie` sends
values unchanged instead. Omitted and null values write nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..core.wire_formats import ABSENT
from ..text import fields
from . import styles
from .argument_errors import Problem, Refused, Unsendable, gather
from .styles import JSON, STYLES, Expansion, Place, brackets, defined, front, percent, reserved, scalar, unnamed

if TYPE_CHECKING:
    from ..tables.table import Body, Field, Xml
    from ..tables.table import Parameter as Bound

Written = TypeVar("Written")

LINE_BREAK = re.compile(r"[\x00\r\n]|%0[0ADad]")
"""What no encoded path may contain: a line break or NUL, at which servers and logs end a text.

Other control characters are data: catalogs of Iceberg join the levels of a namespace by U+001F.
"""

# Header fields that the runtime writes itself, for credentials and cookies. No parameter may set them.
_OURS = ("authorization", "cookie")
_NUL = "expected text without NUL characters"


def _as_it_is(text: str) -> str:
    return text


# `$` stays unencoded in names, because OData servers compare `$filter` before decoding.
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


def value_of(bound: Bound | Field, arguments: dict[str, Any]) -> Any:
    """Return the value of a parameter or body field: its constant, filled template or argument; ABSENT if it has none.

    Raise Unsendable if an argument cannot be written into the template.
    """
    if "template" in bound:
        from ..templates import templates  # imported here: only handwritten tools have templates

        return templates.filled(bound["template"], arguments)
    return bound["value"] if "value" in bound else arguments.get(bound["argument"], ABSENT)


def _argument_of(bound: Bound) -> str:
    if "template" not in bound:
        return str(bound.get("argument", ""))
    from ..templates import templates  # imported here: only handwritten tools have templates

    return templates.argument_of(bound["template"])


class Parameter(Generic[Written]):
    """Precomputed encoder for one parameter of a tool's request.

    `argument` is the name shown to the model. `value(arguments)` returns the value to send, or None. It raises
    Unsendable if an argument cannot be written into the template that composes the value.
    """

    __slots__ = ("argument", "bound", "name", "value")

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.name: str = bound["name"]
        self.argument = _argument_of(bound)
        is_plain = "template" not in bound and "value" not in bound
        self.value: Callable[[dict[str, Any]], Any] = methodcaller("get", self.argument) if is_plain else self._settled

    def _settled(self, arguments: dict[str, Any]) -> Any:
        value = value_of(self.bound, arguments)
        return None if value is ABSENT else value

    def write(self, value: Any) -> Written:
        """Return the encoded value. Raise Unsendable if the value cannot be sent in this location, such as a header."""
        raise NotImplementedError


class PathPiece(Parameter[str]):
    """Encoder for a parameter in the path of the URL."""

    __slots__ = ("_may_be_empty", "_text", "_trusts_blanks")

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self._text = _text(bound, _PATH_RESERVED if bound.get("reserved") else _PATH)
        self._trusts_blanks = bound.get("style") == "matrix"  # the style `matrix` also writes the name
        self._may_be_empty = bound.get("mayBeEmpty") is True

    def write(self, value: Any) -> str:
        if value is None:
            raise Unsendable("is required")
        piece = self._text(value)
        if not piece and self._may_be_empty:
            return piece
        if not piece or (isinstance(value, str) and not value.strip() and not self._trusts_blanks):
            raise Unsendable("expected a value that is not empty")
        if LINE_BREAK.search(piece):
            raise Unsendable("expected text without line breaks and NUL characters")
        return piece


class Pairs(Parameter[list[str]]):
    """Encoder that writes `name=value` pairs, for the query or cookies.

    `own` is the encoded prefix of each pair with the parameter's own name.
    """

    __slots__ = ("_has_content", "_pairs", "own")

    def __init__(self, bound: Bound, place: Place) -> None:
        super().__init__(bound)
        self.own = front(self.name, place.name(self.name))
        self._has_content = "content" in bound
        self._pairs = self._of_content(place) if self._has_content else self._of_style(place)

    def _of_content(self, place: Place) -> Callable[[Any], list[str]]:
        name, content = place.name(self.name), _content(self.bound["content"])
        return lambda value: [f"{name}={place.value(content(value))}"]

    def _of_style(self, place: Place) -> Callable[[Any], list[str]]:
        return Expansion(STYLES[self.bound["style"]], self.name, self.bound.get("explode", True), place).parts


class QueryPairs(Pairs):
    """Encoder for a query parameter."""

    __slots__ = ()

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound, _QUERY_RESERVED if bound.get("reserved") else QUERY)

    def write(self, value: Any) -> list[str]:
        if value is None:
            return []
        pairs = self._pairs(value)
        if "%00" in "&".join(pairs) and not self._has_content:
            raise Unsendable(_NUL)
        return pairs


class QueryString(Pairs):
    """Encoder for a parameter whose value is the whole query, in its declared media type (OpenAPI 3.2, 4.12.1)."""

    __slots__ = ("_is_form",)

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound, QUERY)
        self._is_form = _essence(bound["content"]) == "application/x-www-form-urlencoded"

    def _of_content(self, place: Place) -> Callable[[Any], list[str]]:
        content = _content(self.bound["content"])
        return lambda value: [place.value(content(value))]

    def write(self, value: Any) -> list[str]:
        if value is None:
            return []
        if not self._is_form:
            return self._pairs(value)
        if not isinstance(value, dict):
            raise Unsendable("expected an object, whose members are the fields of the query")
        pairs = [pair for name, member in value.items() for pair in field_pairs({"name": name}, member, _FORM)]
        if "%00" in "&".join(pairs):
            raise Unsendable(_NUL)
        return pairs


class Cookies(Pairs):
    """Encoder for a cookie parameter: one pair, or one per item of an exploded array or object."""

    __slots__ = ("_is_raw",)

    def __init__(self, bound: Bound) -> None:
        self._is_raw = bound.get("style") == "cookie" and "content" not in bound
        super().__init__(bound, _RAW_COOKIE if self._is_raw else COOKIE)

    def write(self, value: Any) -> list[str]:
        if value is None:
            return []
        pairs = self._pairs(value)
        if any(pair.startswith("=") for pair in pairs):
            raise Unsendable("expected members with names, since each is a cookie")
        if self._is_raw and not all(_COOKIE_PAIR.fullmatch(pair) for pair in pairs):
            raise Unsendable("expected visible ASCII characters without blanks, quotes, semicolons and backslashes")
        return pairs


class Header(Parameter[list[tuple[str, str]]]):
    """Encoder for a header parameter."""

    __slots__ = ("_is_ours", "_text")

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self._is_ours = self.name.lower() in _OURS or not fields.is_name(self.name)
        self._text = _text(bound, _HEADER, ascii_only=True)

    def write(self, value: Any) -> list[tuple[str, str]]:
        if self._is_ours:
            raise Unsendable(f"{self.name} is not a header that a tool may set")
        if value is None:
            return []
        text = self._text(value)
        if defined(value) is None and "content" not in self.bound:
            return []
        if not fields.is_value(text):
            raise Unsendable("expected visible ASCII characters, without blanks at the ends")
        return [(self.name, text)]


class Member:
    """One member of a body: its entry in `bindings.json`, its value, and the argument to name in error messages."""

    __slots__ = ("argument", "field", "value")

    def __init__(self, argument: str, field: Field, value: Any) -> None:
        self.argument = argument
        self.field = field
        self.value = value


def write_each(
    write: Callable[[Member], Iterable[Written]], members: list[Member]
) -> list[tuple[Member, Sequence[Written]]]:
    """Return each member with the parts that `write` returns for it.

    Raise Refused, with the problems of all members, if a member cannot be written.
    """
    if len(members) > styles.MOST_PAIRS:
        raise Refused(
            Problem("", f"expected at most {styles.MOST_PAIRS} members, each of which is sent under its name")
        )
    named = [(member.argument, member) for member in members]
    return gather(lambda member: [(member, list(write(member)))], named)


def check_fields(owners: Sequence[styles.WrittenNames], place: str, body: Body, credentials: frozenset[str]) -> None:
    """Raise Refused if two arguments write the same form field, or if an argument writes a field that is reserved.

    Also refuse a field that the API description does not declare if its name may be read as a credential's name.
    """
    described = {field["name"] for field in body.get("fields", ())}
    if "template" in body and "members" in body["template"]:
        described |= body["template"]["members"].keys()
    given = ((argument, name) for argument, _, names in owners for name in names if name not in described)
    styles.refuse_credentials(given, place, credentials)
    styles.check_names(owners, place, body.get("withheld", ()))


def field_pairs(field: Field, value: Any, place: Place) -> list[str]:
    """Return the pairs of one urlencoded form field. Without a style, an object is written with brackets."""
    if "content" in field:
        value = _content(field["content"])(value)
    elif "style" not in field and isinstance(value, dict):
        return brackets(field["name"], value, place)
    return Expansion(STYLES[field.get("style", "form")], field["name"], field.get("explode", True), place).parts(value)


def json_bytes(value: Any) -> bytes:
    """Return compact UTF-8 JSON. Raise Unsendable if JSON cannot represent the value."""
    try:
        return JSON.encode(value).encode()
    except (ValueError, TypeError):
        raise Unsendable("expected a value that JSON can hold") from None


def xml_text(shape: Xml, value: Any) -> str:
    from ..templates import xmltext  # imported here: few APIs use XML

    return xmltext.document(shape, value)


def _text(bound: Bound, place: Place, *, ascii_only: bool = False) -> Callable[[Any], str]:
    """Return a function that converts a value to one text in the parameter's style, for the path or a header."""
    if "content" in bound:
        content = _content(bound["content"], ascii_only=ascii_only)
        return lambda value: place.value(content(value))
    return Expansion(unnamed(STYLES[bound["style"]]), bound["name"], bound.get("explode", False), place).text


# OpenAPI 3.1 (4.8.12.2) demands JSON, so a text is sent in quotes. `media_type: text/plain` in the tools file leaves
# them out.
def _content(media_type: str, *, ascii_only: bool = False) -> Callable[[Any], str]:
    """Return a function that converts a value to text in the media type of the parameter: JSON, or else plain text."""
    if not _essence(media_type).endswith(("/json", "+json")):
        return scalar
    return lambda value: json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
