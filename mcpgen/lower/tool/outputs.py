"""Derive the output schema of a tool from the responses of its operation, if the project's owner wants output schemas.

Results must match the output schema, and responses of real APIs often do not match their documents. So the schema only
states names and types of members, and every member may be null. No member is required, further members are allowed, and
no values or formats are listed.

The root is an object, because clients of older MCP revisions otherwise lose the whole tool list; other responses are
put under `items` or `value`. A list of types replaces alternatives: it is shorter, and a validation error then names
the value that has a wrong type. No model provider reads output schemas, so any keyword may be used. Members of all
alternatives are listed.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostic, Diagnostics
from mcpgen.base.errors import SkipOperation
from mcpgen.base.invisible import hidden_characters
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.tokens import estimate
from mcpgen.base.work import Exhausted
from mcpgen.lower.schema import compose
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.schema.discriminators import Discriminator
from mcpgen.lower.schema.kinds import implied_types, is_null
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.model import Operation, OutputForm, Response

BUDGET = 180
"""Limit on the estimated tokens of an output schema. Most hosts do not show output schemas to their model, but some
do.
"""

LEVELS = 2
"""Number of levels of members that are listed. If the root is a list, the members of its items are the first level."""

LONGEST_NAME = 64

RESERVED = frozenset({"_text", "_unexpected"})
"""Members that the runtime adds to the root of a structured result: accompanying text, and values that do not match the
schema.
"""

_MOST_LEAVES = 64
_MOST_LISTS = 3
_MOST_SAID = 3
_STRUCTURE = ("properties", "items", "prefixItems", "additionalProperties")
_KINDS = ("object", "array", "string", "number", "integer", "boolean")


@dataclass(slots=True)
class _Shape:
    """Types, members and items that a value may have, combined from all schemas of one place.

    `anything`: True if one of the schemas allows any value. `rest`: for each object schema, the schema of undeclared
    members, or {} if these may be anything.
    """

    kinds: set[str] = field(default_factory=set)
    members: dict[str, list[JsonObject]] = field(default_factory=dict)
    items: list[JsonObject] = field(default_factory=list)
    rest: list[JsonObject] = field(default_factory=list)
    anything: bool = False


class _Place(NamedTuple):
    """An object in the output schema whose members are not written yet.

    `shape`: the object's members. `level`: its depth. `many`: True if it is an item of an array; the members of such
    objects are written first.
    """

    node: JsonObject
    shape: _Shape
    level: int
    name: str
    many: bool


# Only types, and null everywhere: real responses break other rules, and clients drop results that break the schema
# (docs/decisions/compiling.md).
def derive(
    operation: Operation, name: str, composer: Composer, diagnostics: Diagnostics
) -> tuple[JsonObject, OutputForm] | None:
    """Return the output schema of a tool, and the form of its results: `object`, `items` or `value`.

    Return None if the tool's `output` setting is `text`, if reading the schemas takes too many steps, or if the
    document describes no successful response as JSON of a known type.
    """
    if operation.decided.output_schema is not None:
        return operation.decided.output_schema, "written"
    if operation.decided.output != "structured":
        return None
    outputs = _Outputs(composer)
    source = _answered(operation.responses)
    composer.budget.begin()
    try:
        found = outputs.root(source) if source is not None else None
    except Exhausted as end:
        what = f"The output schema of {name} is left out: its schemas"
        diagnostics.extend([compose.reason(end, what, composer, operation.where)])
        return None
    # Report no problem twice: `descriptions.description` reads the same responses, and may have reported some problems
    if outputs.unusable:
        diagnostics.extend([each for each in dict.fromkeys(outputs.unusable) if each not in set(diagnostics)])
    if found is None:
        diagnostics.add(
            "no-output-schema",
            f"{name} has no output schema: the document describes no successful response as JSON.",
            operation.where,
            "Describe the content of its 200 response as application/json.",
        )
    elif outputs.cuts:
        diagnostics.add("schema-cut", f"The output schema of {name} leaves out {outputs.said()}.", operation.where)
    return found


def _answered(responses: tuple[Response, ...]) -> JsonObject | None:
    """Return the schema of the first 2xx response in JSON, or None."""
    good = sorted((response for response in responses if response.status[:1] == "2"), key=lambda each: each.status)
    for response in good:
        for media_type in sorted(response.content, key=lambda media_type: media_type.name):
            if encoding_of(media_type.name) == "json" and media_type.schema is not None:
                return media_type.schema
    return None


class _Outputs:
    """Builder of one tool's output schema.

    `cuts`: the parts that were left out. `unusable`: schemas that could not be read.
    """

    def __init__(self, composer: Composer) -> None:
        self.composer = composer
        self.cuts: list[str] = []
        self.unusable: list[Diagnostic] = []
        self._left = BUDGET

    def root(self, source: JsonObject) -> tuple[JsonObject, OutputForm] | None:
        """Return the output schema for responses that `source` describes, and how results contain a response.

        `object`: the result is the response itself. `items`, `value`: the result is an object with the response as its
        member of this name; `items` is for arrays. Return None if the responses may be anything.
        """
        shape = self._shape([source])
        if shape.anything or not shape.kinds:
            return None
        answer, places = self._node(shape, 1, "the answer")
        form: OutputForm = "value"
        schema: JsonObject = {"type": "object", "properties": {"value": answer}}
        if shape.kinds == {"object"}:
            form, schema = "object", answer
            answer["type"] = "object"
        elif shape.kinds == {"array"}:
            form, schema = "items", {"type": "object", "properties": {"items": answer}}
            answer["type"] = "array"
        self._left -= estimate(schema)
        waiting = deque(places)
        while waiting:
            waiting.extend(self._listed(waiting.popleft()))
        # Remove `additionalProperties` of a map: it might forbid the members that the runtime adds to a result.
        schema.pop("additionalProperties", None)
        return schema, form

    def said(self) -> str:
        """Return phrases for what was left out, joined by `; `, as the end of a sentence.

        After _MOST_SAID phrases, only the number of further phrases follows.
        """
        cuts = list(dict.fromkeys(self.cuts))
        more = len(cuts) - _MOST_SAID
        return "; ".join([*cuts[:_MOST_SAID], *([f"{more} more such things"] if more > 0 else [])])

    def _node(self, shape: _Shape, level: int, name: str, lists: int = 0) -> tuple[JsonObject, list[_Place]]:
        """Return the output schema of a value, still without `properties`. Also return the objects in this schema, to
        which the caller adds `properties`.
        """
        if shape.anything or not shape.kinds:
            return {}, []
        kinds = [kind for kind in _KINDS if kind in shape.kinds]
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        node: JsonObject = {"type": [*kinds, "null"]}
        places: list[_Place] = []
        if "array" in kinds:
            items = self._shape(shape.items) if lists < _MOST_LISTS else _Shape()
            node["items"], places = self._node(items, level, name, lists + 1)
        if shape.members or (shape.rest and all(shape.rest)):
            places.append(_Place(node, shape, level, name, lists > 0))
        return node, places

    def _listed(self, place: _Place) -> list[_Place]:
        """Write the members of the object `place` into the output schema. Return the objects inside these members, the
        items of arrays first. The caller writes the members of these objects later.

        For the response itself and items of arrays, as many members are written as the token limit allows. For other
        objects, all members or none are written.
        """
        shape, inside = place.shape, place.level + 1
        found = [(key, *self._node(self._shape(sources), inside, key)) for key, sources in shape.members.items()]
        taken = self._affordable([{key: node} for key, node, _ in found]) if place.level <= LEVELS else 0
        if place.level > 1 and not place.many and taken < len(found):
            taken = 0
        if taken < len(found):
            what = f"{len(found) - taken} of {len(found)} members" if taken else "the members"
            self.cuts.append(f"{what} of {place.name}")
        elif not found and place.level <= LEVELS:
            return self._mapped(place)
        listed = found[:taken]
        if listed:
            place.node["properties"] = {key: node for key, node, _ in listed}
            self._left -= estimate({"properties": place.node["properties"]})
        return sorted((each for _, _, places in listed for each in places), key=lambda each: not each.many)

    def _mapped(self, place: _Place) -> list[_Place]:
        """Describe the values of a map by `additionalProperties`, if the schema then stays within its token limit.

        Return the objects inside these values, whose members the caller lists later; [] if the limit is exceeded.
        """
        emitted, places = self._node(self._shape(place.shape.rest), place.level + 1, f"each in {place.name}")
        price = estimate({"additionalProperties": emitted})
        if not emitted or price > self._left:
            return []
        place.node["additionalProperties"] = emitted
        self._left -= price
        return places

    def _affordable(self, listed: list[JsonObject]) -> int:
        """Return how many members of `listed`, counted from its beginning, fit into the token limit together."""
        left = self._left - estimate({"properties": {}})
        for count, member in enumerate(listed):
            left -= estimate(member)
            if left < 0:
                return count
        return len(listed)

    # -- Types, members and items in the schemas of responses ----------------------------------------------------------

    def _shape(self, sources: list[JsonObject]) -> _Shape:
        """Return the types, members and items that at least one of the schemas `sources` allows."""
        shape = _Shape()
        met: set[tuple[str, ...]] = set()
        every = (leaf for source in sources for leaf in self._leaves(source, [], (), met))
        leaves = list(islice(every, _MOST_LEAVES + 1))
        for leaf in leaves[:_MOST_LEAVES]:
            kinds = types(leaf) or implied_types(leaf)
            shape.anything = shape.anything or not kinds
            shape.kinds.update(kind for kind in kinds if kind in _KINDS)
            if "object" in kinds:
                for key, member in members(leaf):
                    if len(key) > LONGEST_NAME or hidden_characters(key) or key in RESERVED:
                        self.cuts.append("a member whose name cannot be shown")
                    elif self._is_answered(member):
                        shape.members.setdefault(key, []).append(member)
                named = leaf.get("properties") or "patternProperties" in leaf
                shape.rest.append({} if named else as_object(leaf.get("additionalProperties")))
            if "array" in kinds:
                shape.items += [as_object(item) for item in as_list(leaf.get("prefixItems"))]
                shape.items += [as_object(leaf.get("items"))] if leaf.get("items") != {"not": {}} else []
        shape.anything = shape.anything or len(leaves) > _MOST_LEAVES
        return shape

    def _leaves(
        self, schema: JsonObject, kinds: list[str], seen: tuple[str, ...], met: set[tuple[str, ...]]
    ) -> Iterator[JsonObject]:
        """Yield the alternatives of `schema`, without null; alternatives inside alternatives are resolved.

        `kinds`: types to use if a schema has none. `seen`: names of schemas on the current path, against recursion.
        `met`: (name, *kinds) of all schemas read so far, since a schema that is read again with the same `kinds` adds
        nothing. A schema that cannot be read is yielded as {}, which allows any value.
        """
        name = schema.get("$ref") if len(schema) == 1 else None
        if isinstance(name, str):
            if (name, *kinds) in met:
                return
            met.add((name, *kinds))
        try:
            node, followed = self.composer.node(schema)
        except SkipOperation as unusable:
            self.unusable.append(unusable.diagnostic)
            yield {}
            return
        if any(name in seen for name in followed) or is_null(node):
            return
        kinds = types(node) or kinds
        discriminator = Discriminator(node, self.composer)
        branches = discriminator.shown() if discriminator.is_inherited else alternatives(node)
        if not branches or any(keyword in node for keyword in _STRUCTURE):
            yield {**node, "type": list[JsonValue](kinds)} if kinds else node
        for branch in branches[:_MOST_LEAVES]:
            yield from self._leaves(branch, kinds, (*seen, *followed), met)

    def _is_answered(self, member: JsonObject) -> bool:
        """Return True if a member occurs in responses, not only in requests."""
        try:
            return member.get("writeOnly") is not True and self.composer.node(member)[0].get("writeOnly") is not True
        except SkipOperation:  # reading the member will report the error, so do not report it here
            return True
