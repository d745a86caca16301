"""Count the steps that a validator needs to check one value against a schema. A step is a subschema that applies to
this value.

The validator caches results only at recursive references. So a chain of schemas in which each schema refers twice to
the next takes 2ⁿ steps for n schemas; a recursive union does not.
"""

from collections.abc import Iterable
from urllib.parse import unquote

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, lookup, tokens

# The limits count steps and bytes and measure no time, so the result is the same on every machine
# (docs/decisions/compiling.md).
MOST = 1000
"""Limit on the steps for checking one value.

Published schemas take up to 363 steps. A call has up to 100,000 values, so checking it takes a second at worst.
"""

_ENDLESS = 10**9
_SAME_VALUE = ("not", "if", "then", "else")
_SAME_VALUE_LISTS = ("allOf", "anyOf", "oneOf")
_ANY_PART = (
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
)


def steps(schema: JsonObject) -> int:
    """Return the maximum number of steps for checking one value against `schema`."""
    return max(_Steps(schema).of(schema))


def leads_back(schema: JsonObject) -> bool:
    """Return True if a subschema of `schema` applies itself, directly or through other subschemas, to the same value
    again, so that validation might never end.
    """
    found = _Steps(schema)
    found.of(schema)
    return found.leads_back


class _Steps:
    """Counter of validation steps. The count of each part of a schema is computed once, and added wherever the part is
    used. The occurrence of a part inside itself counts as one step.
    """

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._known: dict[int, tuple[int, int]] = {}
        self._inside: set[int] = set()
        self._same: list[int] = []  # `id()` of each surrounding schema that applies to the same value
        self.leads_back = False

    def of(self, schema: JsonValue) -> tuple[int, int]:
        """Return two numbers: the steps for checking a value against `schema`, without the values nested in it, and the
        most steps for checking one nested value, at any depth.
        """
        self.leads_back |= id(schema) in self._same
        if not isinstance(schema, dict) or id(schema) in self._inside:
            return 1, 1
        if id(schema) not in self._known:
            self._inside.add(id(schema))
            self._known[id(schema)] = self._counted(schema)
            self._inside.discard(id(schema))
        return self._known[id(schema)]

    def _counted(self, schema: JsonObject) -> tuple[int, int]:
        self._same.append(id(schema))
        same = [self.of(branch) for branch in self._branches(schema)]
        around, self._same = self._same[:-1], []
        parts = [
            self._most(as_object(schema.get("properties")).values()),
            self._most(as_list(schema.get("prefixItems"))),
        ]
        others = [self._most([schema[name]]) for name in _ANY_PART if isinstance(schema.get(name), dict)]
        others += [self._most([member]) for member in as_object(schema.get("patternProperties")).values()]
        self._same = around
        below = max(parts) + sum(others) + sum(part for _, part in same)
        return min(1 + sum(here for here, _ in same), _ENDLESS), min(below, _ENDLESS)

    def _branches(self, schema: JsonObject) -> list[JsonValue]:
        """Return the subschemas that apply to the same value as `schema`."""
        found = [schema[name] for name in _SAME_VALUE if name in schema]
        found += [branch for name in _SAME_VALUE_LISTS for branch in as_list(schema.get(name))]
        found += as_object(schema.get("dependentSchemas")).values()
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            found.append(self._referred(reference))
        return found

    def _referred(self, reference: str) -> JsonValue:
        try:
            return lookup(self._root, tokens(unquote(reference[1:])))
        except KeyError:
            return None

    def _most(self, schemas: Iterable[JsonValue]) -> int:
        return max((max(self.of(schema)) for schema in schemas), default=0)
