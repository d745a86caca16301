# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Evaluate JSONPath (RFC 9535), within a limited number of steps.

Expressions come from the owner, and values from an API. So each visited value and each comparison is paid from a
budget, and the patterns of `match` and `search` run on a linear-time engine. Pure functions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST = 2000
LONGEST_PATTERN = 256
DEEPEST = 32
"""Limits of an expression: its characters, those of a pattern in it, and how deep its filters or parentheses nest."""

STEPS = 200_000
"""How many values one evaluation may visit: a fifth of a second at most."""

COMPILING = 3000
"""Steps that a pattern costs: compiling a large one takes as long as visiting so many values."""

_CHARACTERS = 100
"""How many characters of compared texts cost one step."""

Node = tuple[Any, Any, Any]
"""A selected value, with the object or array around it and its key there. Both are None at the root."""

_BLANK = " \t\n\r"
_NAME = re.compile(r"[A-Za-z_\x80-\ud7ff\ue000-\U0010ffff][A-Za-z0-9_\x80-\ud7ff\ue000-\U0010ffff]*")
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FUNCTION = re.compile(r"([a-z][a-z0-9_]*)\(")
_COMPARISON = re.compile(r"==|!=|<=|>=|<|>")
_WORDS = re.compile(r"(true|false|null)(?![A-Za-z0-9_(])")
_CONSTANTS = {"true": True, "false": False, "null": None}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\"}
_LARGEST = 2**53 - 1

#: Functions of RFC 9535 section 2.4: the types of their parameters, and of their result.
_FUNCTIONS = {
    "length": (("value",), "value"),
    "count": (("nodes",), "value"),
    "match": (("value", "value"), "logical"),
    "search": (("value", "value"), "logical"),
    "value": (("nodes",), "value"),
}


class Malformed(Exception):
    """The text is no JSONPath expression, or no condition. The message says why."""


class TooManySteps(Exception):
    """The evaluation would take more steps than allowed."""


class _Work:
    """The steps that are left for one evaluation, and the root of its value."""

    __slots__ = ("left", "root")

    def __init__(self, root: Any, steps: int) -> None:
        self.root = root
        self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooManySteps


class Path:
    """A parsed expression. `singular`: True if it selects one value at most, by its form alone."""

    __slots__ = ("_segments", "singular")

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise Malformed(f"it is longer than {LONGEST} characters")
        parser = _Parser(text)
        parser.expect("$")
        self._segments = parser.segments()
        if parser.at < len(text):
            raise parser.malformed()
        self.singular = _is_singular(self._segments)

    def nodes(self, value: Any, steps: int = STEPS) -> list[Node]:
        """Return the selected nodes in their order. Raises TooManySteps."""
        try:
            return _selected(self._segments, value, _Work(value, steps))
        except RecursionError:  # two values that nest deep are compared
            raise TooManySteps from None


@lru_cache(maxsize=256)
def compiled(text: str) -> Path:
    """Return the parsed expression. Raises Malformed."""
    return Path(text)


# -- evaluation -------------------------------------------------------------------------------------------------------

# A segment: True if it selects among descendants too, and its selectors: name, index, slice, None for `*`, or a filter.
_Filter = "Callable[[Any, _Work], bool]"
_Segment = tuple[bool, list[Any]]


def _is_singular(segments: list[_Segment]) -> bool:
    """Return True if each segment is one name or one index."""
    return all(not deep and len(some) == 1 and isinstance(some[0], (str, int)) for deep, some in segments)


def _selected(segments: list[_Segment], start: Any, work: _Work) -> list[Node]:
    nodes: list[Node] = [(start, None, None)]
    for deep, selectors in segments:
        found: list[Node] = []
        for node in nodes:
            for inner in _descendants(node[0], work) if deep else (node[0],):
                for selector in selectors:
                    found.extend(_children(inner, selector, work))
        nodes = found
    return nodes


def _descendants(value: Any, work: _Work) -> Iterator[Any]:
    """Yield the value and all values inside, each before those inside it."""
    waiting = [value]
    while waiting:
        work.spend(1)
        value = waiting.pop()
        yield value
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def _children(value: Any, selector: Any, work: _Work) -> Iterator[Node]:
    """Yield the children of a value that one selector selects."""
    work.spend(1)
    if isinstance(selector, str):
        if isinstance(value, dict) and selector in value:
            yield value[selector], value, selector
    elif isinstance(selector, int):
        if isinstance(value, list) and -len(value) <= selector < len(value):
            yield value[selector], value, selector % len(value)
    elif isinstance(selector, slice):
        if isinstance(value, list) and selector.step != 0:
            for index in range(*selector.indices(len(value))):
                work.spend(1)
                yield value[index], value, index
    elif isinstance(value, (dict, list)):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            work.spend(1)
            if selector is None or selector(child, work):
                yield child, value, key


def _are_equal(left: Any, right: Any, work: _Work) -> bool:
    """Return True if two JSON values are equal. Texts are compared as they are, and `true` is not 1."""
    work.spend(1)
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, str) and isinstance(right, str):
        work.spend(min(len(left), len(right)) // _CHARACTERS)
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_are_equal, left, right, [work] * len(left)))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_are_equal(left[name], right[name], work) for name in left)
    return left is right


def _is_less(left: Any, right: Any, work: _Work) -> bool:
    """Return True if both are numbers or both are texts, and the left one is less."""
    for kind in ((int, float), str):
        if isinstance(left, kind) and isinstance(right, kind):
            work.spend(1)
            return not isinstance(left, bool) and not isinstance(right, bool) and bool(left < right)  # type: ignore[operator]
    return False


def _compare(operator: str, left: Any, right: Any, work: _Work) -> bool:
    if operator in ("==", "!="):
        return _are_equal(left, right, work) is (operator == "==")
    if operator[0] == ">":
        left, right = right, left
    return _is_less(left, right, work) or (operator[-1] == "=" and _are_equal(left, right, work))


def _length(value: Any) -> Any:
    return len(value) if isinstance(value, (str, list, dict)) else ABSENT


@lru_cache(maxsize=64)
def _searcher(pattern: str) -> Callable[[str], bool] | None:
    from ..text.patterns import searcher  # imported late: few expressions have a pattern

    try:
        return searcher(pattern)
    except ValueError:
        return None  # a pattern that is too large, or that cannot run in linear time


def _matches(text: Any, pattern: Any, whole: bool, work: _Work) -> bool:
    if not isinstance(text, str) or not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
        return False
    work.spend(COMPILING + len(text) // _CHARACTERS)
    found = _searcher(f"^(?:{pattern})$" if whole else pattern)
    return found is not None and found(text)


# -- parsing ----------------------------------------------------------------------------------------------------------

_Operand = tuple[str, Any]
"""Its type (`literal`, `singular`, `nodes`, `value`, `logical`), and a function of the current value and the work that
returns it; for `singular` and `nodes` a list of nodes."""


class Cursor:
    """Place in a text that is parsed from left to right."""

    __slots__ = ("at", "depth", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def malformed(self, reason: str = "") -> Malformed:
        """Return the error for the text from here on."""
        shown = self.text[self.at : self.at + 20]
        return Malformed(reason or (f"`{shown}` is unexpected there" if shown else "it ends too early"))

    def take(self, text: str) -> bool:
        """Go behind `text` and return True if it stands here."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go behind what matches a pattern here, and return the match."""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found


class _Parser(Cursor):
    """Parser of one expression, by recursive descent (RFC 9535, appendix A)."""

    __slots__ = ()

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.malformed()

    def blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _BLANK:
            self.at += 1

    def segments(self) -> list[_Segment]:
        found: list[_Segment] = []
        while True:
            before = self.at
            self.blank()
            if self.take(".."):
                found.append((True, self.bracket() if self.text.startswith("[", self.at) else [self.shorthand()]))
            elif self.take("."):
                found.append((False, [self.shorthand()]))
            elif self.text.startswith("[", self.at):
                found.append((False, self.bracket()))
            else:
                self.at = before
                return found

    def shorthand(self) -> str | None:
        if self.take("*"):
            return None
        if name := self.find(_NAME):
            return name[0]
        raise self.malformed()

    def bracket(self) -> list[Any]:
        self.expect("[")
        found: list[Any] = []
        while True:
            self.blank()
            found.append(self.selector())
            self.blank()
            if self.take("]"):
                return found
            self.expect(",")

    def selector(self) -> Any:
        if self.take("*"):
            return None
        if self.text.startswith(("'", '"'), self.at):
            return self.string()
        if self.take("?"):
            self.blank()
            return self.logical()
        start = self.integer()
        before = self.at
        self.blank()
        if not self.take(":"):
            self.at = before
            if start is None:
                raise self.malformed()
            return start
        self.blank()
        stop = self.integer()
        before = self.at
        self.blank()
        step = None
        if self.take(":"):
            self.blank()
            before = self.at
            step = self.integer()
            before = before if step is None else self.at
        self.at = before
        return slice(start, stop, step)

    def integer(self) -> int | None:
        found = self.find(_INTEGER)
        if found is None:
            return None
        if len(found[0]) > 17 or abs(int(found[0])) > _LARGEST:
            raise self.malformed("a number is too large")
        return int(found[0])

    def string(self) -> str:
        found: list[str] = []
        quote = self.text[self.at]
        self.at += 1
        while self.at < len(self.text):
            character = self.text[self.at]
            self.at += 1
            if character == quote:
                return "".join(found)
            if character < " " or "\ud800" <= character <= "\udfff":
                break
            found.append(self.escape(quote) if character == "\\" else character)
        raise self.malformed("a text in quotes is malformed")

    def escape(self, quote: str) -> str:
        character = self.text[self.at : self.at + 1]
        self.at += 1
        if character == quote or character in _ESCAPES:
            return _ESCAPES.get(character, character)
        if character == "u":
            code = self.code_unit()
            if 0xD800 <= code < 0xDC00 and self.take("\\u"):
                low = self.code_unit()
                if 0xDC00 <= low < 0xE000:
                    return chr(0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00)
            elif not 0xD800 <= code < 0xE000:
                return chr(code)
        raise self.malformed("a text in quotes has an unknown escape")

    def code_unit(self) -> int:
        digits = self.text[self.at : self.at + 4]
        if len(digits) < 4 or not all(each in "0123456789abcdefABCDEF" for each in digits):
            raise self.malformed("a text in quotes has an unknown escape")
        self.at += 4
        return int(digits, 16)

    # A filter is a function of the current value and the work.

    def logical(self) -> Any:
        """Parse a disjunction of conjunctions."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.malformed("its filters nest too deep")
        either = [self.conjunction()]
        while self.operator("||"):
            either.append(self.conjunction())
        self.depth -= 1
        return either[0] if len(either) == 1 else lambda value, work: any(each(value, work) for each in either)

    def conjunction(self) -> Any:
        both = [self.basic()]
        while self.operator("&&"):
            both.append(self.basic())
        return both[0] if len(both) == 1 else lambda value, work: all(each(value, work) for each in both)

    def operator(self, text: str) -> bool:
        """Take an operator and the blank around it."""
        before = self.at
        self.blank()
        if self.take(text):
            self.blank()
            return True
        self.at = before
        return False

    def basic(self) -> Any:
        negated = self.take("!")
        self.blank()
        if self.take("("):
            self.blank()
            found = self.logical()
            self.blank()
            self.expect(")")
        else:
            left = self.operand()
            before = self.at
            self.blank()
            compared = None if negated else self.find(_COMPARISON)
            if compared is None:
                self.at = before
                found = self.test(left)
            else:
                self.blank()
                found = self.comparison(left, compared[0], self.operand())
        return (lambda value, work: not found(value, work)) if negated else found

    def test(self, operand: _Operand) -> Any:
        kind, get = operand
        if kind in ("singular", "nodes"):
            return lambda value, work: bool(get(value, work))
        if kind == "logical":
            return get
        raise self.malformed("a filter is neither a comparison nor a test")

    def comparison(self, left: _Operand, operator: str, right: _Operand) -> Any:
        one, other = self.value(left), self.value(right)
        return lambda value, work: _compare(operator, one(value, work), other(value, work), work)

    def value(self, operand: _Operand) -> Any:
        """Return a function that gives the value of an operand, or ABSENT."""
        kind, get = operand
        if kind in ("literal", "value"):
            return get
        if kind == "singular":
            return lambda value, work: next((node[0] for node in get(value, work)), ABSENT)
        raise self.malformed("a comparison or a function needs one value there")

    def operand(self) -> _Operand:
        if self.text.startswith(("@", "$"), self.at):
            relative = self.text[self.at] == "@"
            self.at += 1
            self.depth += 1
            if self.depth > DEEPEST:
                raise self.malformed("its filters nest too deep")
            segments = self.segments()
            self.depth -= 1
            kind = "singular" if _is_singular(segments) else "nodes"
            return kind, lambda value, work: _selected(segments, value if relative else work.root, work)
        if called := self.find(_FUNCTION):
            return self.function(called[1])
        if self.text.startswith(("'", '"'), self.at):
            return self.literal(self.string())
        if word := self.find(_WORDS):
            return self.literal(_CONSTANTS[word[1]])
        if number := self.find(_NUMBER):
            is_whole = number[1] is None and number[2] is None
            if len(number[0]) > 40:
                raise self.malformed("a number is too long")
            return self.literal(int(number[0]) if is_whole else float(number[0]))
        raise self.malformed()

    @staticmethod
    def literal(constant: Any) -> _Operand:
        return "literal", lambda value, work: constant

    def function(self, name: str) -> _Operand:
        if name not in _FUNCTIONS:
            raise self.malformed(f"there is no function `{name}`")
        wanted, result = _FUNCTIONS[name]
        arguments = []
        for position, kind in enumerate(wanted):
            self.blank()
            if position:
                self.expect(",")
                self.blank()
            found = self.operand()
            if kind == "nodes" and found[0] not in ("singular", "nodes"):
                raise self.malformed(f"`{name}` needs a query")
            arguments.append(found[1] if kind == "nodes" else self.value(found))
        self.blank()
        self.expect(")")
        return result, _function(name, arguments)


def _function(name: str, arguments: list[Any]) -> Any:
    """Return a function of the current value and the work that calls a function of RFC 9535."""
    first, second = arguments[0], arguments[-1]
    if name == "length":
        return lambda value, work: _length(first(value, work))
    if name == "count":
        return lambda value, work: len(first(value, work))
    if name == "value":
        return lambda value, work: _only(first(value, work))
    return lambda value, work: _matches(first(value, work), second(value, work), name == "match", work)


def _only(nodes: list[Node]) -> Any:
    return nodes[0][0] if len(nodes) == 1 else ABSENT
