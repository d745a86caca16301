"""Evaluate JSONPath (RFC 9535). This is the only module that imports the JSONPath library.

Expressions come from files of other people, so their cost is limited. Each visited value, each value that a filter
examines, each comparison and each search in a text is paid from a budget. Patterns in filters run on a linear-time
engine.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import cast

import jsonpath_rfc9535 as jsonpath
import jsonschema_rs
from jsonpath_rfc9535.filter_expressions import (
    ComparisonExpression,
    Expression,
    FilterContext,
    FilterExpression,
    FilterExpressionLiteral,
    FilterQuery,
)
from jsonpath_rfc9535.function_extensions import ExpressionType, FilterFunction
from jsonpath_rfc9535.node import JSONPathNode, JSONPathNodeList
from jsonpath_rfc9535.parse import Parser
from jsonpath_rfc9535.query import JSONPathQuery
from jsonpath_rfc9535.selectors import FilterSelector
from jsonpath_rfc9535.tokens import TokenStream

from mcpgen.base.jsonvalue import JsonValue
from mcpgen.base.work import Budget, Exhausted
from mcpgen.read.document import budgets

LONGEST = 2000
LONGEST_PATTERN = 256

PART = 16
"""How many characters of an expression make a visited value cost one more step.

A value may be compared with each name and each operand in the expression.
"""

COMPILING = 3000
"""Steps that a pattern costs, because compiling one of PATTERN_BYTES takes as long as visiting so many values."""

PATTERN_BYTES = 1024 * 1024
"""Limit on the memory of a compiled pattern."""

Location = tuple[str | int, ...]
"""A place in a value: keys and indices, from the root."""


class Malformed(Exception):
    """The text is not a JSONPath expression. The message gives the reason, `offset` the index of the character at
    fault.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.offset = offset


class TooCostly(Exception):
    """The budget is used up, or the expression nests too deep."""


class Query:
    """A parsed expression, which selects places in a value."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise Malformed(f"it is longer than {LONGEST:,} characters", 0)
        self._environment = _Environment(1 + len(text) // PART)
        try:
            self._query = self._environment.compile(text)
        except jsonpath.JSONPathError as error:
            reason = str(error.args[0] if error.args else error)
            raise Malformed(reason, error.token.index if error.token else 0) from None
        except RecursionError:
            raise Malformed("it nests too deep", 0) from None

    def locations(self, value: JsonValue, budget: Budget) -> Iterable[Location]:
        """Yield every selected place in `value`, in order. Raises TooCostly if the budget is exhausted."""
        self._environment.budget = budget
        try:
            for node in self._query.finditer(value):
                yield node.location
        except (jsonpath.JSONPathError, RecursionError, Exhausted):
            raise TooCostly from None


class _Node(JSONPathNode):
    """A visited place in a value. Each visited child is paid from the budget."""

    __slots__ = ("environment",)
    environment: "_Environment"

    def new_child(self, value: object, key: int | str, parent: JSONPathNode | None) -> "_Node":
        self.environment.pay_for_value()
        child = _Node(value=value, location=(*self.location, key), parent=parent, root=self.root)
        child.environment = self.environment
        return child


class _Query(JSONPathQuery):
    __slots__ = ()

    def finditer(self, value: object) -> Iterable[JSONPathNode]:
        start = _Node(value=value, location=(), parent=None, root=cast(JsonValue, value))
        start.environment = cast(_Environment, self.env)
        nodes: Iterable[JSONPathNode] = [start]
        for segment in self.segments:
            nodes = segment.resolve(nodes)
        return nodes


class _Filter(FilterExpression):
    """A filter. Each value that it examines is paid from the budget, whether or not it selects the value."""

    def evaluate(self, context: FilterContext) -> bool:
        cast(_Environment, context.env).pay_for_value()
        return super().evaluate(context)


_COMPARING = 2
"""Steps of a comparison itself: it takes as long as a visit of so many values."""


class _Comparison(ComparisonExpression):
    """A comparison in a filter. The budget pays for it, and for the values inside compared objects and arrays."""

    def evaluate(self, context: FilterContext) -> bool:
        left, right = (_value(side.evaluate(context)) for side in (self.left, self.right))
        cast(_Environment, context.env).budget.spend(_COMPARING + _cost(left, right))
        sides = [FilterExpressionLiteral(self.token, side) for side in (left, right)]
        return ComparisonExpression(self.token, sides[0], self.operator, sides[1]).evaluate(context)


def _value(found: object) -> object:
    return found[0].value if isinstance(found, JSONPathNodeList) and len(found) == 1 else found


def _cost(left: object, right: object) -> int:
    """Return at most how many values a comparison visits. A long text counts as several values."""
    if isinstance(left, str) and isinstance(right, str):
        return _length(left if len(left) < len(right) else right)
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return 1 + sum(map(_cost, left, right))
    if isinstance(left, dict) and isinstance(right, dict) and len(left) == len(right):
        return 1 + sum(_cost(value, right.get(key)) for key, value in left.items())
    return 1


def _length(text: str) -> int:
    return 1 + len(text) // 100


class _Parser(Parser):
    """Parser that puts expressions that pay from the budget in place of the library's."""

    def parse_root_query(self, stream: TokenStream) -> Expression:
        return self._paying(super().parse_root_query(stream))

    def parse_relative_query(self, stream: TokenStream) -> Expression:
        return self._paying(super().parse_relative_query(stream))

    def _paying(self, found: Expression) -> Expression:
        assert isinstance(found, FilterQuery)
        found.query = _Query(env=self.env, segments=found.query.segments)
        return found

    def parse_filter_selector(self, stream: TokenStream) -> FilterSelector:
        found = super().parse_filter_selector(stream)
        found.expression = _Filter(found.expression.token, found.expression.expression)
        return found

    def parse_infix_expression(self, stream: TokenStream, left: Expression) -> Expression:
        found = super().parse_infix_expression(stream, left)
        if not isinstance(found, ComparisonExpression):
            return found
        return _Comparison(found.token, found.left, found.operator, found.right)


class _Environment(jsonpath.JSONPathEnvironment):
    parser_class = _Parser
    max_recursion_depth = budgets.DEPTH + 2
    budget: Budget

    def __init__(self, price: int) -> None:
        """Create the environment of one expression. `price`: steps that each visited value costs."""
        self._price = price
        super().__init__()

    def pay_for_value(self) -> None:
        self.budget.spend(self._price)

    def compile(self, query: str) -> JSONPathQuery:
        return _Query(env=self, segments=super().compile(query).segments)

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        self.function_extensions["match"] = _Pattern(self, "^(?:{})$")
        self.function_extensions["search"] = _Pattern(self, "{}")


class _Pattern(FilterFunction):
    """The filter functions `match` and `search` of RFC 9535.

    They return false for values that are not text, and for patterns that are too large or cannot run in linear time.
    """

    arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012 (the library declares them so)
    return_type = ExpressionType.LOGICAL

    def __init__(self, environment: _Environment, around: str) -> None:
        self._environment = environment
        self._around = around
        self._compiled = lru_cache(maxsize=8)(self._compile)

    def __call__(self, text: object, pattern: object) -> bool:
        if not isinstance(text, str) or not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
            return False
        validator = self._compiled(pattern)
        self._environment.budget.spend(_length(text))
        return validator is not None and validator.is_valid(text)

    def _compile(self, pattern: str) -> "jsonschema_rs.Draft202012Validator | None":
        self._environment.budget.spend(COMPILING)
        schema, options = (
            {"pattern": self._around.replace("{}", pattern)},
            jsonschema_rs.RegexOptions(size_limit=PATTERN_BYTES),
        )
        try:
            return jsonschema_rs.Draft202012Validator(schema, pattern_options=options)
        except ValueError:
            return None
