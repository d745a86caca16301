"""`allOf` and references beside other keywords → one node: what a composed schema says, said in one place.

`Composer.node` looks one level deep: it follows references and merges `allOf`, and leaves properties, items and
alternatives as they stand. Merging keeps what both sides demand: properties and required are joined, types and enums
intersected, bounds tightened. Where two sides contradict each other the later one wins and the caller hears of it.
"""

from collections.abc import Callable, Mapping

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.lower.patterns import PatternMemory

_TIGHTEST: dict[str, Callable[[float, float], float]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
_MOST_ALTERNATIVES = 12


class Composer:
    """Nodes of the schemas of one API. `contradictions` collects a sentence for each merge that could not keep both
    sides, `unshown` the patterns that a schema has and its portable form has not. `patterns` knows what they take.
    """

    def __init__(self, definitions: Mapping[str, JsonObject]) -> None:
        self.definitions = definitions
        self.contradictions: list[str] = []
        self.unshown: list[str] = []
        self.patterns = PatternMemory()

    def node(self, schema: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
        """`schema` without `$ref` and `allOf` at its root, and the names of the references that were followed,
        outermost first.
        """
        followed: list[str] = []
        return self._flat(schema, followed), tuple(followed)

    def _flat(self, schema: JsonObject, followed: list[str]) -> JsonObject:
        if "$ref" not in schema and "allOf" not in schema:
            return schema
        own = {keyword: value for keyword, value in schema.items() if keyword not in ("$ref", "allOf")}
        parts: list[JsonObject] = []
        name = schema.get("$ref")
        if isinstance(name, str) and name not in followed:  # what was demanded once need not be demanded again
            followed.append(name)
            parts.append(_settled(self._flat(self.definitions[name], followed), followed))
        parts += [self._flat(as_object(member), followed) for member in as_list(schema.get("allOf"))]
        merged: JsonObject = {}
        for part in [*parts, own]:
            merged = self.merged(merged, part)
        return merged

    def merged(self, first: JsonObject, second: JsonObject) -> JsonObject:
        """One node that demands what `first` and `second` demand. Texts, defaults and marks of `second` win."""
        if not first or not second:
            return first or second
        result = {**first, **second}
        self._merge_types(first, second, result)
        self._merge_enums(first, second, result)
        for keyword, tightest in _TIGHTEST.items():
            one, other = first.get(keyword), second.get(keyword)
            if isinstance(one, (int, float)) and isinstance(other, (int, float)):
                result[keyword] = tightest(one, other)
        required = [*as_list(first.get("required")), *as_list(second.get("required"))]
        if required:
            result["required"] = list(dict.fromkeys(map(str, required)))
        self._merge_members(first, second, result)
        self._merge_alternatives(first, second, result)
        return result

    def _merge_types(self, first: JsonObject, second: JsonObject, result: JsonObject) -> None:
        one, other = types(first), types(second)
        if not one or not other:
            return
        both = [kind for kind in one if kind in other or (kind == "integer" and "number" in other)]
        both += [kind for kind in other if kind == "integer" and "number" in one and kind not in both]
        if not both:
            self.contradictions.append(f"{' or '.join(one)} and {' or '.join(other)}")
            both = other
        result["type"] = both[0] if len(both) == 1 else list[JsonValue](both)

    def _merge_enums(self, first: JsonObject, second: JsonObject, result: JsonObject) -> None:
        one, other = first.get("enum"), second.get("enum")
        if isinstance(one, list) and isinstance(other, list):
            both = [value for value in one if value in other]
            if not both:
                self.contradictions.append("two lists of values without a common one")
            result["enum"] = both or other

    @staticmethod
    def _merge_members(first: JsonObject, second: JsonObject, result: JsonObject) -> None:
        if "properties" in first and "properties" in second:
            properties = dict(as_object(first["properties"]))
            for key, schema in as_object(second["properties"]).items():
                known = properties.get(key, schema)
                properties[key] = schema if known == schema else {"allOf": [known, schema]}
            result["properties"] = properties
        for keyword in ("items", "additionalProperties"):
            one, other = first.get(keyword), second.get(keyword)
            if isinstance(one, dict) and isinstance(other, dict) and one != other:
                result[keyword] = {"allOf": [one, other]}
            elif keyword in first and not isinstance(other, dict) and other is not False:
                result[keyword] = one

    def _merge_alternatives(self, first: JsonObject, second: JsonObject, result: JsonObject) -> None:
        """Two sets of alternatives become the pairs of both, as long as they are few; else the later set is kept."""
        one, other = alternatives(first), alternatives(second)
        if not one or not other:
            return
        if len(one) * len(other) > _MOST_ALTERNATIVES:
            self.contradictions.append("two long sets of alternatives")
            return
        result.pop("oneOf", None)
        result["anyOf"] = [{"allOf": [left, right]} for left in one for right in other]


def _settled(part: JsonObject, followed: list[str]) -> JsonObject:
    """`part` without its alternatives where one of them is what led to it: a `Cat` that includes `Pet` has made the
    choice between cats and dogs that `Pet` offers.
    """
    if not any(member.get("$ref") in followed for member in alternatives(part)):
        return part
    return {keyword: value for keyword, value in part.items() if keyword not in ("oneOf", "anyOf", "discriminator")}


def types(node: JsonObject) -> list[str]:
    """The types that `node` declares, empty where it declares none."""
    declared = node.get("type")
    if isinstance(declared, str):
        return [declared]
    return [kind for kind in as_list(declared) if isinstance(kind, str)]


def alternatives(node: JsonObject) -> list[JsonObject]:
    """The members of `oneOf` and `anyOf`. For arguments they mean the same: one of them must fit."""
    if "oneOf" not in node and "anyOf" not in node:  # nearly always
        return []
    return [as_object(member) for keyword in ("oneOf", "anyOf") for member in as_list(node.get(keyword))]


def members(node: JsonObject) -> list[tuple[str, JsonObject]]:
    """The properties of `node`: the required ones in the order of `required`, then the others by name.

    An order of their own, because the keys of a mapping have none: a document whose keys were sorted anew is the same.
    """
    properties = as_object(node.get("properties"))
    required = [key for key in as_list(node.get("required")) if isinstance(key, str) and key in properties]
    ordered = dict.fromkeys([*required, *sorted(properties)])
    return [(key, as_object(properties[key])) for key in ordered]
