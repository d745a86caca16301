"""Schemas → the portable profile: what every client and every model's provider accepts, with nothing of the meaning
lost on the way.

The profile (`check.py` holds the wall): every node has one string `type`, or is `anyOf` of such nodes; objects have no
boolean `additionalProperties`; arrays have typed `items`; no `$ref`, no `allOf`, `oneOf`, `not`, `const`; enums are
texts; at most DEPTH levels. What the profile cannot say as a keyword is said in words in the description, where a model
reads it just as well. What is left out is not enforced: the upstream decides.
"""

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.lower import constraints
from mcpgen.lower.compose import Composer, alternatives, members, types
from mcpgen.lower.patterns import is_linear
from mcpgen.lower.text import ended, plain, shortened

DEPTH = 5
"""Levels of objects and arrays below an argument. Published bodies have 2 at the median, and 92 in 100 stay below 6."""

NODES = 500
"""Nodes of one tool's schema before objects are cut. The largest hand-written tools that we know of have a tenth of
that.
"""

TEXT = 240
ALTERNATIVES = 8
_ALTERNATIVES = frozenset({"oneOf", "anyOf", "discriminator"})
_NOT_OF_BRANCHES = _ALTERNATIVES | {"description", "title", "default", "deprecated", "readOnly", "writeOnly"}
_OUTSIDE_NULL: tuple[str, ...] = ("description", "default")
_SCALARS = ("string", "number", "integer", "boolean")


class Portable:
    """Portable schemas of one tool: the node budget is shared by its arguments. `cuts` names what was cut."""

    def __init__(self, composer: Composer, *, nulls: bool = False) -> None:
        self.composer = composer
        self.nulls = nulls
        self.cuts: list[str] = []
        self._left = NODES

    def schema(self, source: JsonObject, *, required: bool = True, description: str = "") -> JsonObject:
        """The portable form of `source`. `description` replaces the schema's own. A null branch stays where the value
        is required or nulls mean something (`nulls`: a merge patch removes a member by null).
        """
        return self._emit(source, DEPTH, (), keep_null=required or self.nulls, description=description)

    def _emit(
        self, source: JsonObject, depth: int, trail: tuple[str, ...], *, keep_null: bool, description: str = ""
    ) -> JsonObject:
        node, followed = self.composer.node(source)
        self._left -= 1
        words = description or as_text(node.get("description"))
        again = next((name for name in followed if name in trail), None)
        if again is not None or ((depth <= 0 or self._left <= 0) and _is_large(node)):
            return self._cut(node, again, words)
        trail = (*trail, *followed)
        branches, nullable = self._branches(node)
        if len(branches) == 1:
            emitted = self._one(branches[0], depth, trail, words)
        else:
            emitted = self._several(node, branches, depth, trail, words)
        return _with_null(emitted) if nullable and keep_null else emitted

    # -- alternatives -------------------------------------------------------------------------------------------------

    def _branches(self, node: JsonObject) -> tuple[list[JsonObject], bool]:
        """The schemas that `node` may be, each of one type and null apart; and whether null is one of them."""
        nullable = "null" in types(node) or None in as_list(node.get("enum"))
        base = {keyword: value for keyword, value in node.items() if keyword not in _NOT_OF_BRANCHES}
        found: list[JsonObject] = []
        for member in alternatives(node):
            flat, _ = self.composer.node(member)
            if flat.get("type") == "null" or flat.get("enum") == [None] or flat.get("const", 0) is None:
                nullable = True
            elif only_demands(flat):
                found.clear()
                break
            else:
                found.append(self.composer.merged(base, self._tagged(member, node)))
        if found:
            return found, nullable
        whole = {keyword: value for keyword, value in node.items() if keyword not in _ALTERNATIVES}
        kinds = [kind for kind in types(node) or _implied_types(node) if kind != "null"]
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        return [{**whole, "type": kind} for kind in kinds] or [whole], nullable

    def _tagged(self, member: JsonObject, node: JsonObject) -> JsonObject:
        """`member` with the value of the discriminator that chooses it as a constant (OpenAPI 3.1, 4.8.25)."""
        discriminator = as_object(node.get("discriminator"))
        key, name = discriminator.get("propertyName"), member.get("$ref")
        if not isinstance(key, str) or not isinstance(name, str):
            return member
        values = [value for value, target in as_object(discriminator.get("mapping")).items() if target == name]
        tag: JsonObject = {"type": "string", "enum": list[JsonValue](values or [name.rsplit("/", 1)[-1]])}
        return {"allOf": [member, {"type": "object", "properties": {key: tag}, "required": [key]}]}

    def _several(
        self, node: JsonObject, branches: list[JsonObject], depth: int, trail: tuple[str, ...], words: str
    ) -> JsonObject:
        emitted = [self._emit(branch, depth, trail, keep_null=False) for branch in branches]
        members: list[JsonValue] = []
        for member in emitted:
            for part in as_list(member.get("anyOf")) or [member]:
                if part not in members:
                    members.append(part)
        if len(members) > ALTERNATIVES:
            self.cuts.append(f"{len(members)} alternatives")
            members = _folded(members)
        described = _text(words, constraints.in_words(node))
        if len(members) == 1:
            return {**as_object(members[0]), **described}
        return {"anyOf": _without_text(members, described.get("description")), **described, **_default(node, members)}

    # -- one type -----------------------------------------------------------------------------------------------------

    def _one(self, source: JsonObject, depth: int, trail: tuple[str, ...], words: str) -> JsonObject:
        node, followed = self.composer.node(source)
        if alternatives(node):
            return self._emit(source, depth, trail, keep_null=False, description=words)
        trail = (*trail, *followed)
        kind = next(iter(types(node) or _implied_types(node)), None)
        if kind == "object":
            return self._object(node, depth, trail, words)
        if kind == "array":
            return self._array(node, depth, trail, words)
        if kind in _SCALARS:
            return _scalar(node, kind, words)
        return {**_any_value(), **_text(words, "")}

    def _object(self, node: JsonObject, depth: int, trail: tuple[str, ...], words: str) -> JsonObject:
        result: JsonObject = {"type": "object"}
        properties: JsonObject = {}
        required = [key for key in as_list(node.get("required")) if isinstance(key, str)]
        for key, member in members(node):
            if self._left <= 0:
                self.cuts.append(f"the properties from {key} on")
                break
            if not self.is_read_only(member):
                keep_null = key in required or self.nulls
                properties[key] = self._emit(member, depth - 1, trail, keep_null=keep_null)
        rest = node.get("additionalProperties")
        if properties:
            result["properties"] = properties
        if required := [key for key in required if key in properties]:
            result["required"] = list[JsonValue](required)
        if isinstance(rest, dict) and rest:
            result["additionalProperties"] = self._emit(rest, depth - 1, trail, keep_null=True)
        return {**result, **_text(words, constraints.in_words(node)), **_default(node, [result])}

    def is_read_only(self, member: JsonObject) -> bool:
        """Whether a property is only ever answered, never sent."""
        return self.composer.node(member)[0].get("readOnly") is True

    def _array(self, node: JsonObject, depth: int, trail: tuple[str, ...], words: str) -> JsonObject:
        result: JsonObject = {"type": "array"}
        items = node.get("items")
        prefix = [as_object(item) for item in as_list(node.get("prefixItems"))]
        if prefix:
            items = {"anyOf": [*prefix, *([items] if isinstance(items, dict) and items else [])]}
        result["items"] = self._emit(as_object(items), depth - 1, trail, keep_null=True) if items else _any_value()
        for keyword in ("minItems", "maxItems"):
            if keyword in node:
                result[keyword] = node[keyword]
        return {**result, **_text(words, constraints.in_words(node)), **_default(node, [result])}

    def _cut(self, node: JsonObject, again: str | None, words: str) -> JsonObject:
        name = again.rsplit("/", 1)[-1] if again else ""
        self.cuts.append(f"the recursion of {name}" if again else "levels below the deepest that is shown")
        note = f"Same shape as {name} above." if again else "Its members are not listed here."
        if "array" in (types(node) or _implied_types(node)):
            return {"type": "array", "items": {"type": "object"}, **_text(words, note)}
        return {"type": "object", **_text(words, note)}


# -- leaves -----------------------------------------------------------------------------------------------------------


def _scalar(node: JsonObject, kind: str, words: str) -> JsonObject:
    result: JsonObject = {"type": kind}
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    texts = [value for value in values if isinstance(value, str)]
    if kind == "string":
        if 0 < len(texts) <= constraints.MOST_VALUES and all(texts):
            result["enum"] = list[JsonValue](dict.fromkeys(texts))
        if node.get("format") in constraints.FORMATS:
            result["format"] = node["format"]
        pattern = node.get("pattern")
        if isinstance(pattern, str) and is_linear(pattern):
            result["pattern"] = pattern
        if node.get("contentEncoding") == "base64":
            result["contentEncoding"] = "base64"
    if kind in ("integer", "number"):
        result.update(constraints.bounds(node, kind))
    return {**result, **_text(words, constraints.in_words(node, kind)), **_default(node, [result])}


def _default(node: JsonObject, members: list[JsonValue] | list[JsonObject]) -> JsonObject:
    """The default of `node` where it is a value that one of `members` takes; written as text it is read as what is
    meant.
    """
    if node.get("default") is None:
        return {}
    for member in members:
        value = constraints.fitting(node["default"], as_object(member))
        if value is not None:
            return {"default": value}
    return {}


def _text(words: str, note: str) -> JsonObject:
    """The description of a node: the writer's words, shortened, and what the profile cannot say otherwise; nothing
    where there is none.
    """
    text = shortened(plain(words), TEXT - min(len(note), TEXT // 2)) if words else ""
    whole = f"{ended(text)} {note}".strip() if note else text
    return {"description": whole} if whole else {}


def _without_text(members: list[JsonValue], text: JsonValue) -> list[JsonValue]:
    """Alternatives without a description that only repeats that of the whole."""
    return [
        {key: value for key, value in as_object(member).items() if key != "description" or value != text}
        for member in members
    ]


def _folded(members: list[JsonValue]) -> list[JsonValue]:
    """Many alternatives as few: the scalars once per type, and one object with what all objects have in common."""
    by_kind: dict[str, list[JsonObject]] = {}
    for member in map(as_object, members):
        by_kind.setdefault(as_text(member.get("type")), []).append(member)
    objects = by_kind.pop("object", [])
    rest: list[JsonValue] = [same[0] if kind == "array" else {"type": kind} for kind, same in by_kind.items()]
    return [*rest, *([_common(objects)] if objects else [])]


def _common(objects: list[JsonObject]) -> JsonObject:
    """An object with the properties that all of `objects` have; one that tells them apart lists all its values."""
    shared: JsonObject = {}
    for key, first in as_object(objects[0].get("properties")).items():
        members = [as_object(as_object(other.get("properties")).get(key)) for other in objects]
        if all(members):
            values = [value for member in members for value in as_list(member.get("enum"))]
            shared[key] = {**as_object(first), "enum": list(dict.fromkeys(map(str, values)))} if values else first
    required = [key for key in shared if all(key in as_list(other.get("required")) for other in objects)]
    result: JsonObject = {
        "type": "object",
        "description": f"One of {len(objects)} shapes; further members depend on which.",
    }
    if shared:
        result["properties"] = shared
    if required:
        result["required"] = list[JsonValue](required)
    return result


def _with_null(node: JsonObject) -> JsonObject:
    outer: JsonObject = {keyword: node[keyword] for keyword in _OUTSIDE_NULL if keyword in node}
    inner: JsonObject = {keyword: value for keyword, value in node.items() if keyword not in outer}
    branches = as_list(inner["anyOf"]) if set(inner) == {"anyOf"} else [inner]
    return {"anyOf": [*branches, {"type": "null"}], **outer}


def _any_value() -> JsonObject:
    """Any JSON value, for schemas that say nothing: providers want a type at every node."""
    scalars: list[JsonValue] = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}]
    return {"anyOf": [*scalars, {"type": "array", "items": {"anyOf": list(scalars)}}]}


def _implied_types(node: JsonObject) -> list[str]:
    """The types that a node without `type` speaks of."""
    if any(
        keyword in node
        for keyword in ("properties", "additionalProperties", "required", "minProperties", "maxProperties")
    ):
        return ["object"]
    if any(keyword in node for keyword in ("items", "prefixItems", "minItems", "maxItems")):
        return ["array"]
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    if values:
        return list(dict.fromkeys(map(_type_of, values)))
    if any(keyword in node for keyword in ("pattern", "minLength", "maxLength", "contentEncoding", "format")):
        return ["string"]
    if any(keyword in node for keyword in ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")):
        return ["number"]
    return []


def _type_of(value: JsonValue) -> str:
    for kind, python in (
        ("null", type(None)),
        ("boolean", bool),
        ("integer", int),
        ("number", float),
        ("string", str),
        ("array", list),
    ):
        if isinstance(value, python):
            return kind
    return "object"


def _is_large(node: JsonObject) -> bool:
    """Whether a node has members of its own, so that cutting it saves anything."""
    return any(
        keyword in node for keyword in ("properties", "items", "prefixItems", "oneOf", "anyOf", "additionalProperties")
    )


def only_demands(node: JsonObject) -> bool:
    """Whether an alternative adds nothing but `required`: `anyOf: [{required: [a]}, {required: [b]}]` beside
    properties.
    """
    return (
        bool(node)
        and set(node) <= {"required", "type", "description", "title", "not"}
        and types(node) in ([], ["object"])
        and ("required" in node or "not" in node)
    )
