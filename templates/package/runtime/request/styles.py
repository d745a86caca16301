# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write a value in one of OpenAPI's parameter styles, and check the names and the extent of its `name=value` pairs.

The rules are those of RFC 6570 (section 3.2.1, appendix A), as OpenAPI 3.1.1 applies them to its styles ("Style
Values", "Appendix C"). Cases that these specifications leave undefined are decided here. Values nested in an exploded
form or a deepObject use brackets: `a[b][c]=v`, an array of scalars `a[b][]=v`, other arrays `a[b][0][c]=v`. Values
nested elsewhere are JSON text. Where the commas of this text would separate items, the whole value is JSON text.
Undefined members (null, empty arrays, empty objects) are omitted. `Place` says how characters are encoded.

Arguments write `name=value` pairs. A call chooses the names of members of exploded objects and of undeclared body
members. Such a name must differ from all names that other arguments of the same call have written. It may be the name
of a parameter that the call leaves out, because documents often declare the members of such an object as parameters
too. The owner of the generated server reserves names by constants, templates and arguments that are hidden from the
model. These names are refused in any letter case, and with brackets after them, and even if the call sends nothing
under them. Some servers read all these spellings as the same name. No argument may write a name that a server could
read as the name of a credential. For this check, only letters and digits are compared, without case: PHP replaces dots
and spaces by `_`, CGI replaces hyphens, and ASP.NET ignores case.

Each pair repeats the name. So an argument with a name of one megabyte and ten thousand items would turn a small call
into ten gigabytes. The size of such values is limited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import quote, unquote

from ..text.folded_names import fold
from .argument_errors import Problem, Refused, Unsendable

if TYPE_CHECKING:
    from typing import Protocol

    from ..tables.table import Field
    from ..tables.table import Parameter as Bound

    class Pairs(Protocol):
        """Interface of a parameter that writes `name=value` pairs (parameters.Pairs)."""

        name: str
        argument: str
        bound: Bound
        own: str | tuple[str, ...]


MOST_PAIRS = 20_000
"""Maximum number of `name=value` pairs in one body or query.

Servers accept between one and a few thousand pairs (Tomcat and PHP 1,000, Rack 4,096).
"""

MOST_CHARACTERS = 16 * 1024 * 1024
"""Maximum total length of names and values in characters: twice the longest line in which the server receives a
call.
"""


def check_extent(name: str, value: Any) -> None:
    """Raise Unsendable if a list or an object would be sent as too many `name=value` pairs, or as too long pairs."""
    if not isinstance(value, (list, dict)):
        return
    pairs = characters = 0
    left: list[tuple[Any, int]] = [(value, len(name))]
    while left:
        part, named = left.pop()
        if isinstance(part, dict):
            left += [(member, named + len(key)) for key, member in part.items()]
        elif isinstance(part, list):
            left += [(item, named) for item in part]
        else:
            characters += named + (len(part) if isinstance(part, str) else 0)
            pairs += 1
        if pairs + len(left) > MOST_PAIRS:
            told = f"expected at most {MOST_PAIRS} values where each is sent under a name; a query holds 32 KiB"
            raise Unsendable(told)
        if characters > MOST_CHARACTERS:
            raise Unsendable("expected shorter names: they are sent with each value under them")


AnyPairs = TypeVar("AnyPairs", bound="Pairs")

OTHERS: Any = object()
"""Key under which all undeclared arguments are stored together, if a tool accepts undeclared arguments."""

WrittenNames = tuple[str, "Bound | Field", Sequence[str]]
"""One argument: its name, its entry in the binding, and the names that it has written."""


def names_of(pairs: Iterable[str]) -> list[str]:
    """Return the decoded names in encoded `name=value` pairs."""
    return [unquote(pair.partition("=")[0]) for pair in pairs]


def front(name: str, written: str) -> str | tuple[str, ...]:
    """Return the encoded prefix `name=` of all pairs that the parameter `name` writes. `written`: the encoded name.

    If decoding `written` does not give `name`, return (), with which `startswith` finds no pair. For example, a cookie
    of style `cookie` sends the name `%41` as it is, and servers decode it to `A`.
    """
    return f"{written}=" if names_of([f"{written}="]) == [name] else ()


# An argument must not replace a credential. CGI reads `X-Key` and `X_Key` as one header, and PHP `api.key` and
# `api_key` as one parameter (docs/decisions/requests.md).
def refuse_credentials(given: Iterable[tuple[str, str]], place: str, credentials: frozenset[str]) -> None:
    """Raise Refused if an argument sends a value under a name that servers may read as a credential's name.

    `given`: pairs of an argument and a name under which it sends a value. `credentials`: credentials' names as `fold`
    returns them: two names that servers may read as the same have one folded name.
    """
    for argument, name in given if credentials else ():
        if fold(name) in credentials:
            raise Refused(Problem(argument, f"writes the {place} {name}, which servers may read as a credential"))


class PairSpace(Generic[AnyPairs]):
    """The query, the cookies or a form, into which several parameters write pairs.

    `place` is the word for one pair in messages. `withheld`: names that no argument may write, because the owner of the
    generated server hid them. `credentials`: names of credentials, normalized by `fold`. Besides its own name, a
    parameter may write no name that `fold` normalizes to one of these.
    """

    __slots__ = ("_apart", "_credentials", "_place", "_withheld", "parameters")

    def __init__(
        self, parameters: Sequence[AnyPairs], place: str, withheld: Iterable[str], credentials: frozenset[str]
    ) -> None:
        self.parameters = parameters
        self._place = place
        self._withheld = withheld
        self._credentials = credentials
        self._apart = len({each.name for each in parameters}) == len(parameters)

    def joined(self, written: list[list[str]]) -> list[str]:
        """Return the pairs of all parameters as one list. `written` holds, for each parameter, the pairs that it has
        written.

        Raise Refused if one parameter has written another's name.
        """
        own, found = self._apart, list[str]()
        for parameter, pairs in zip(self.parameters, written, strict=True):
            for pair in pairs:
                own = own and pair.startswith(parameter.own)
            found += pairs
        if not own:  # a parameter wrote a pair (`name=value`) not under its own name, or two parameters share a name
            each = zip(self.parameters, written, strict=True)
            named = [(parameter.argument, parameter.bound, names_of(pairs)) for parameter, pairs in each]
            given = ((argument, name) for argument, bound, names in named for name in names if name != bound["name"])
            refuse_credentials(given, self._place, self._credentials)
            check_names(named, self._place, self._withheld)
        return found


def folded(names: Iterable[str]) -> set[str]:
    """Return the names case-folded, for servers that ignore case."""
    return {name.casefold() for name in names}


def readings(name: str) -> set[str]:
    """Return the case-folded names that servers may read `name` as.

    Example: `Role[]` can be read as `role[]` and `role`.
    """
    return folded([name, name.partition("[")[0]])


def check_names(written: Iterable[WrittenNames], place: str, withheld: Iterable[str] = ()) -> None:
    """Raise Refused if two arguments send values under the same name, or if an argument sends a value under a name that
    the server's owner reserves.

    Reserved are the names in `withheld`, and the names of parameters and body fields whose values are constants or
    templates. `place`: the word for a name in the message, such as "query parameter".
    """
    written = list(written)
    strays = any(name != bound["name"] for _, bound, names in written for name in names)
    held = _held(written, withheld) if strays else {}
    owners: dict[str, tuple[str, Bound | Field]] = {}
    for argument, bound, names in written:
        for name in names:
            first, owner = owners.setdefault(name, (argument, bound))
            if owner is not bound:
                raise _refused(argument if bound["name"] != name else first, place, name)
            if held and any(held.get(each, bound) is not bound for each in _beyond(name, bound["name"])):
                raise _refused(argument, place, name)


def _held(written: Iterable[WrittenNames], withheld: Iterable[str]) -> dict[str, Bound | Field | None]:
    """Return reserved name, case-folded -> the parameter or body field that sends it, or None for a name in `withheld`.

    Reserved are the names in `withheld`, which no argument may write, and the names of parameters and body fields whose
    values are constants or templates (texts with placeholders).
    """
    held = {bound["name"].casefold(): bound for _, bound, _ in written if "value" in bound or "template" in bound}
    return dict.fromkeys(folded(withheld)) | held


def _beyond(name: str, own: str) -> set[str]:
    """Return case-folded names under which servers may find a value that the parameter `own` sends as `name`.

    If `name` is `own`, return an empty set. If `name` is `own` with brackets after it (`role[x]`), return only this
    name. Otherwise return `name` both with its brackets and without them.
    """
    if name == own:
        return set()
    return folded([name]) if name.startswith(f"{own}[") else readings(name)


def _refused(argument: str, place: str, name: str) -> Refused:
    return Refused(Problem(argument, f"writes the {place} {name}, which is not its own"))


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


def json_bytes(value: Any) -> bytes:
    """Return compact UTF-8 JSON. Raise Unsendable if JSON cannot represent the value."""
    try:
        return JSON.encode(value).encode()
    except (ValueError, TypeError):
        raise Unsendable("expected a value that JSON can hold") from None


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
            check_extent(self._name, value)
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
        parts = chain.from_iterable(value.items()) if isinstance(value, dict) else value
        return between.join(_apart(encode(scalar(part)), between) for part in parts)

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
    check_extent(name, value)
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
