# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide whether the criteria of a workflow hold (Arazzo 1.1, 4.8.11).

A condition that cannot be evaluated fails. In a simple condition, a value that is missing is `null`, as in
`$response.body#/next == null`. The compiler reads conditions by `problem`. Pure functions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from . import jsonpath
from .expressions import LONGEST, Scope, Unresolved, as_text, evaluate, is_expression, parts
from .jsonpath import DEEPEST, Cursor, Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_RUNTIME = re.compile(r"\$(?:(?![=!]=|&&|\|\||[\s<>(){},]).)+")
_EMBEDDED = re.compile(r"\{(\$[^{}]*)\}")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r"'((?:[^']|'')*)'|\"([^\"]*)\"")
_WORD = re.compile(r"(true|false|null)(?![A-Za-z0-9_])")
_OPERATOR = re.compile(r"[=!<>]=|<|>")
_BLANK = re.compile(r"\s*")
_CONSTANTS = {"true": True, "false": False, "null": None}
_LONGEST_NUMBER = 40


def holds(criterion: Mapping[str, Any], scope: Scope) -> bool:
    """Return True if a criterion of the table holds."""
    condition, kind = criterion["condition"], criterion["kind"]
    try:
        if kind == "simple":
            return _is_true(simple(condition)(scope))
        value = evaluate(criterion["context"], scope)
        if value is None:
            return False
        if kind == "regex":
            return _searcher(_substituted(condition, scope))(as_text(value))
        return bool(jsonpath.compiled(_substituted(condition, scope, quoted=True)).nodes(value))
    except (Unresolved, Malformed, jsonpath.TooManySteps, ValueError, RecursionError):
        return False


def problem(kind: str, condition: str) -> str:
    """Return why a condition can never be evaluated, or "". What expressions bring into it is not known before."""
    try:
        if kind == "simple":
            simple(condition)
        elif any(isinstance(part, dict) for part in parts(condition)):
            return ""
        elif kind == "regex":
            _searcher(condition)
        else:
            jsonpath.compiled(condition)
    except Malformed as malformed:
        return str(malformed)
    except ValueError:
        return "it is no pattern that can be searched in linear time"
    return ""


@lru_cache(maxsize=64)
def _searcher(pattern: str) -> Callable[[str], bool]:
    if len(pattern) > LONGEST:
        raise Malformed(f"it is longer than {LONGEST:,} characters")
    from ..text.patterns import searcher  # imported late: the compiler reads conditions, too, most without a pattern

    return searcher(pattern)


def _substituted(condition: str, scope: Scope, quoted: bool = False) -> str:
    """Return a condition with the values of its embedded expressions.

    `quoted`: escape a value inside quotes, so that no value of a response ends the text that it stands in.
    """
    found, quote = [], ""
    for part in parts(condition):
        if isinstance(part, str):
            quote = _open_quote(part, quote)
            found.append(part)
        else:
            text = as_text(evaluate(part["expression"], scope))
            found.append(_escaped(text) if quoted and quote else text)
    return "".join(found)


def _open_quote(text: str, quote: str) -> str:
    """Return the quotation mark that is still open at the end of a text, or "".  `quote`: the one open before."""
    escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif quote and character == "\\":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return quote


def _escaped(text: str) -> str:
    """Return a text as JSONPath writes it in quotation marks of either kind."""
    return "".join(f"\\u{ord(each):04x}" if each in "'\"\\" or each < " " else each for each in text)


# -- simple conditions ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def simple(condition: str) -> Callable[[Scope], Any]:
    """Return a function of a scope that gives the value of a simple condition. Raises Malformed."""
    if len(condition) > LONGEST:
        raise Malformed(f"it is longer than {LONGEST:,} characters")
    parser = _Parser(condition)
    found = parser.disjunction()
    if parser.at < len(condition):
        raise parser.malformed()
    return found


class _Parser(Cursor):
    """Parser of a simple condition. `||` binds less than `&&`, `&&` less than comparisons, and `!` most."""

    __slots__ = ()

    def take(self, text: str) -> bool:
        """Go behind blanks and `text`, and return True if it stands there."""
        self.find(_BLANK)
        return super().take(text)

    def disjunction(self) -> Callable[[Scope], Any]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Malformed("its parentheses nest too deep")
        either = [self.conjunction()]
        while self.take("||"):
            either.append(self.conjunction())
        self.depth -= 1
        return either[0] if len(either) == 1 else lambda scope: any(_is_true(each(scope)) for each in either)

    def conjunction(self) -> Callable[[Scope], Any]:
        both = [self.comparison()]
        while self.take("&&"):
            both.append(self.comparison())
        return both[0] if len(both) == 1 else lambda scope: all(_is_true(each(scope)) for each in both)

    def comparison(self) -> Callable[[Scope], Any]:
        left = self.operand()
        self.find(_BLANK)
        operator = self.find(_OPERATOR)
        if operator is None:
            return left
        right = self.operand()
        return lambda scope: _compare(operator[0], left(scope), right(scope))

    def operand(self) -> Callable[[Scope], Any]:
        negations = 0
        while self.take("!"):
            negations += 1
        found = self.primary()
        if negations == 0:
            return found
        return lambda scope: _is_true(found(scope)) is (negations % 2 == 0)

    def primary(self) -> Callable[[Scope], Any]:
        if self.take("("):
            inner = self.disjunction()
            if not self.take(")"):
                raise self.malformed()
            return inner
        before = self.at
        if runtime := self.find(_EMBEDDED) or self.find(_RUNTIME):
            expression = runtime[1] if runtime.re is _EMBEDDED else runtime[0]
            if not is_expression(expression):
                self.at = before
                raise self.malformed()
            return lambda scope: _value(expression, scope)
        constant = self.constant()
        return lambda scope: constant

    def constant(self) -> Any:
        if word := self.find(_WORD):
            return _CONSTANTS[word[1]]
        if text := self.find(_STRING):
            return text[1].replace("''", "'") if text[1] is not None else text[2]
        if number := self.find(_NUMBER):
            if len(number[0]) > _LONGEST_NUMBER:
                raise Malformed("a number is too long")
            return _number(number[0])
        raise self.malformed()


def _value(expression: str, scope: Scope) -> Any:
    try:
        return evaluate(expression, scope)
    except Unresolved:
        return None


def _is_true(value: Any) -> bool:
    """Return True unless the value is false, null, zero or an empty text."""
    return isinstance(value, (dict, list)) or bool(value)


def _compare(operator: str, left: Any, right: Any) -> bool:
    if operator == "!=":
        return not _are_equal(left, right)
    if operator == "==":
        return _are_equal(left, right)
    if isinstance(left, str) and isinstance(right, str) and None in (_number(left), _number(right)):
        left, right = left.casefold(), right.casefold()
    else:
        left, right = _number(left), _number(right)
        if left is None or right is None:
            return False
    if operator[0] == "<":
        return bool(left < right or (operator == "<=" and left == right))
    return bool(left > right or (operator == ">=" and left == right))


def _are_equal(left: Any, right: Any) -> bool:
    """Return True if two values are equal.

    Letter case of texts is ignored, and a text that is a number equals a number. No other types are mixed.
    """
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    if isinstance(left, (dict, list)) and isinstance(right, (dict, list)):
        return left == right
    one, other = _number(left), _number(right)
    return left is right if one is None or other is None else one == other


def _number(value: Any) -> int | float | None:
    """Return a number, or a text that is one, as a number; None for every other value."""
    if isinstance(value, str):
        written = value.strip()
        if len(written) > _LONGEST_NUMBER or not _NUMBER.fullmatch(written):
            return None
        return float(written) if set(written) & set(".eE") else int(written)
    return None if isinstance(value, bool) or not isinstance(value, (int, float)) else value
