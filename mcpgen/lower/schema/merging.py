"""Merge schemas of an `allOf`, which must all hold, into one node.

Properties and `required` are joined, types and allowed values intersected, bounds tightened. If two schemas contradict
each other, or if one keyword cannot say both, the later one wins, and this is recorded. Each schema is examined once,
however many there are.
"""

import math
from collections.abc import Callable

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, plain_text
from mcpgen.base.work import Budget
from mcpgen.lower.schema.nodes import alternatives, types

_TIGHTEST: dict[str, Callable[[float, float], float]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
_SINGLE = ("multipleOf", "uniqueItems", "not", "pattern")
_LARGEST = 2**53 - 1
"""Largest `multipleOf` that is computed: every JSON parser reads integers up to here exactly (RFC 8259, section 6)."""
_MOST_ALTERNATIVES = 12


class Merger:
    """Merger of schemas: the node that results from all parts added so far.

    `contradictions`: for each part that cannot be combined with earlier parts, a phrase that says why.
    """

    def __init__(self, budget: Budget) -> None:
        self.contradictions: list[str] = []
        self._budget = budget
        self._node: JsonObject = {}
        self._properties: JsonObject = {}
        self._required: dict[str, None] | None = None
        self._joined: dict[str, list[JsonValue]] = {}
        """Members of each `allOf` that was made here, for a property, items or additional properties."""

    def result(self) -> JsonObject:
        """Return the merged node."""
        if self._required:
            self._node["required"] = list[JsonValue](self._required)
        return self._node

    def add(self, part: JsonObject) -> None:
        """Add the constraints of `part`. Keywords such as `default` replace earlier ones."""
        self._budget.spend(1 + len(part))
        first = self._node
        if not first or not part:
            self._node = first or part
            return
        self._node = {**first, **part}
        self._merge_types(types(first), types(part))
        self._merge_values(_values(first), _values(part))
        self._merge_single(first, part)
        for keyword in _TIGHTEST.keys() & part.keys():
            one, other = first.get(keyword), part[keyword]
            if isinstance(one, (int, float)) and isinstance(other, (int, float)):
                self._node[keyword] = _TIGHTEST[keyword](one, other)
        self._merge_required(first, part)
        self._merge_members(first, part)
        self._merge_alternatives(alternatives(first), alternatives(part))

    def _merge_types(self, one: list[str], other: list[str]) -> None:
        if not one or not other:
            return
        both = [kind for kind in one if kind in other or (kind == "integer" and "number" in other)]
        both += [kind for kind in other if kind == "integer" and "number" in one and kind not in both]
        if not both:
            self.contradictions.append(f"{' or '.join(one)} and {' or '.join(other)}")
            both = other
        self._node["type"] = both[0] if len(both) == 1 else list[JsonValue](both)

    def _merge_values(self, one: list[JsonValue] | None, other: list[JsonValue] | None) -> None:
        """Keep only the values that both parts allow. `one`, `other`: allowed values, None if a part allows all."""
        if one is None or other is None or one == other:
            return
        self._budget.spend(len(one) + len(other))
        known = set(map(plain_text, other))
        both = [value for value in one if plain_text(value) in known]
        if not both:
            self.contradictions.append("two lists of values without a common one")
        self._node.pop("const", None)
        self._node["enum"] = both or other

    def _merge_single(self, first: JsonObject, second: JsonObject) -> None:
        """Combine keywords that have one value each: `multipleOf`, `uniqueItems`, `not` and `pattern`."""
        for keyword in _SINGLE:
            one, other = first.get(keyword), second.get(keyword)
            if keyword not in first or keyword not in second or one == other:
                continue
            if keyword == "uniqueItems":
                self._node[keyword] = True
            elif keyword == "not":
                self._node[keyword] = {"anyOf": [one, other]}
            elif isinstance(one, int) and isinstance(other, int) and 0 < (both := math.lcm(one, other)) <= _LARGEST:
                self._node[keyword] = both
            else:
                self.contradictions.append(f"two different values of `{keyword}`")

    def _merge_required(self, first: JsonObject, second: JsonObject) -> None:
        if self._required is None and ("required" in first or "required" in second):
            self._required = dict.fromkeys(map(str, as_list(first.get("required"))))
        if self._required is not None:
            added = as_list(second.get("required"))
            self._budget.spend(len(added))
            self._required.update(dict.fromkeys(map(str, added)))

    def _merge_members(self, first: JsonObject, second: JsonObject) -> None:
        if "properties" in first and "properties" in second:
            if first["properties"] is not self._properties:
                self._properties = dict(as_object(first["properties"]))
            added = as_object(second["properties"])
            self._budget.spend(len(added))
            for key, schema in added.items():
                self._join(self._properties, key, self._properties.get(key, schema), schema, f"properties/{key}")
            self._node["properties"] = self._properties
        for keyword in ("items", "additionalProperties", "unevaluatedProperties"):
            one, other = first.get(keyword), second.get(keyword)
            if isinstance(one, dict) and isinstance(other, dict):
                self._join(self._node, keyword, one, other, keyword)
            elif keyword in first and not isinstance(other, dict) and other is not False:
                self._node[keyword] = one

    def _join(self, home: JsonObject, key: str, one: JsonValue, other: JsonValue, name: str) -> None:
        """Store the combination of two schemas for the same keyword or member in `home[key]`: one of them if they are
        equal, else a flat `allOf`.
        """
        joined = self._joined.get(name)
        if one == other or (joined is not None and joined[-1] == other):
            home[key] = one
        elif joined is not None:
            joined.append(other)
            home[key] = one
        else:
            self._joined[name] = parts = [one, other]
            home[key] = {"allOf": parts}

    def _merge_alternatives(self, one: list[JsonObject], other: list[JsonObject]) -> None:
        """Combine two lists of alternatives: into all pairs if these are few, else keep only the later list."""
        self._budget.spend(len(one) + len(other))
        if not one or not other:
            return
        if len(one) * len(other) > _MOST_ALTERNATIVES:
            self.contradictions.append("two long sets of alternatives")
            return
        self._node.pop("oneOf", None)
        self._node["anyOf"] = [{"allOf": [left, right]} for left in one for right in other]


def _values(schema: JsonObject) -> list[JsonValue] | None:
    """Return the values that `const` and `enum` allow, or None if the schema has neither."""
    found = [schema["const"]] if "const" in schema else schema.get("enum")
    return found if isinstance(found, list) else None
