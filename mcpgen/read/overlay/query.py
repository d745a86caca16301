"""Evaluate JSONPath (RFC 9535). This is the only module that imports the JSONPath library.

Expressions come from files of other people, so their cost is limited. Every value that an expression or its filters
visit is counted, and patterns in filters run on a linear-time engine.
"""

from collections.abc import Iterable
from functools import cache
from typing import cast

import jsonpath_rfc9535 as jsonpath
import jsonschema_rs
from jsonpath_rfc9535.filter_expressions import Expression, FilterQuery
from jsonpath_rfc9535.function_extensions import ExpressionType, FilterFunction
from jsonpath_rfc9535.node import JSONPathNode
from jsonpath_rfc9535.parse import Parser
from jsonpath_rfc9535.query import JSONPathQuery
from jsonpath_rfc9535.tokens import TokenStream

from mcpgen.base.jsonvalue import JsonValue
from mcpgen.read.document import budgets

LONGEST = 2000
LONGEST_PATTERN = 256

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
    """The budget of visited values is used up."""


class Budget:
    """Limit on the number of values that expressions may still visit."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self) -> None:
        """Count one visited value against the budget. Raises TooCostly if the budget was already used up."""
        self.left -= 1
        if self.left < 0:
            raise TooCostly


class Query:
    """A parsed expression, which selects places in a value."""

    def __init__(self, text: str, budget: Budget) -> None:
        if len(text) > LONGEST:
            raise Malformed(f"it is longer than {LONGEST:,} characters", 0)
        try:
            self._query = _Environment(budget).compile(text)
        except jsonpath.JSONPathError as error:
            reason = str(error.args[0] if error.args else error)
            raise Malformed(reason, error.token.index if error.token else 0) from None
        except RecursionError:
            raise Malformed("it nests too deep", 0) from None

    def locations(self, value: JsonValue) -> Iterable[Location]:
        """Yield every selected place in `value`, in order. Raises TooCostly if the budget is exhausted."""
        try:
            for node in self._query.finditer(value):
                yield node.location
        except (jsonpath.JSONPathError, RecursionError):
            raise TooCostly from None


class _Node(JSONPathNode):
    """A visited place in a value. Each visited child is deducted from the budget of visited values."""

    __slots__ = ("budget",)
    budget: Budget

    def new_child(self, value: object, key: int | str, parent: JSONPathNode | None) -> "_Node":
        self.budget.spend()
        child = _Node(value=value, location=(*self.location, key), parent=parent, root=self.root)
        child.budget = self.budget
        return child


class _Query(JSONPathQuery):
    __slots__ = ()

    def finditer(self, value: object) -> Iterable[JSONPathNode]:
        start = _Node(value=value, location=(), parent=None, root=cast(JsonValue, value))
        start.budget = cast(_Environment, self.env).budget
        nodes: Iterable[JSONPathNode] = [start]
        for segment in self.segments:
            nodes = segment.resolve(nodes)
        return nodes


class _Parser(Parser):
    """Parser that turns each query inside a filter into a `_Query`, which counts the values that it visits."""

    def parse_root_query(self, stream: TokenStream) -> Expression:
        return self._counting(super().parse_root_query(stream))

    def parse_relative_query(self, stream: TokenStream) -> Expression:
        return self._counting(super().parse_relative_query(stream))

    def _counting(self, found: Expression) -> Expression:
        assert isinstance(found, FilterQuery)
        found.query = _Query(env=self.env, segments=found.query.segments)
        return found


class _Environment(jsonpath.JSONPathEnvironment):
    parser_class = _Parser
    max_recursion_depth = budgets.DEPTH + 2

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        super().__init__()

    def compile(self, query: str) -> JSONPathQuery:
        return _Query(env=self, segments=super().compile(query).segments)

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        self.function_extensions["match"] = _Pattern("^(?:{})$")
        self.function_extensions["search"] = _Pattern("{}")


class _Pattern(FilterFunction):
    """The filter functions `match` and `search` of RFC 9535.

    They return false for values that are not text, and for patterns that cannot run in linear time.
    """

    arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012 (the library declares them so)
    return_type = ExpressionType.LOGICAL

    def __init__(self, around: str) -> None:
        self._around = around

    def __call__(self, text: object, pattern: object) -> bool:
        if not isinstance(text, str) or not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
            return False
        validator = _compiled(self._around.replace("{}", pattern))
        return validator is not None and validator.is_valid(text)


@cache
def _compiled(pattern: str) -> "jsonschema_rs.Draft202012Validator | None":
    try:
        return jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions())
    except ValueError:
        return None
