"""Compose `allOf` and references with their sibling keywords into one node.

`Composer.node` handles only the root of a schema: it follows references and merges `allOf` there, and leaves
properties, items and alternatives as they are. Results for named schemas are cached.

The schemas of an `allOf` must all hold. So properties and `required` are joined, types and allowed values intersected,
bounds tightened. If two schemas contradict each other, or if one keyword cannot say both, the later one wins, and this
is recorded. Each schema is examined once, however many there are.
Schemas that are too large for the compiler's limit of steps are reported.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, plain_text
from mcpgen.base.once import ValueCache
from mcpgen.base.work import Budget, Exhausted
from mcpgen.lower.schema.constraints import UNDEFINED
from mcpgen.lower.schema.expansions import NOTHING, Expansions, Findings
from mcpgen.lower.schema.nodes import alternatives, as_key, identity_of, is_scalar, members, types
from mcpgen.lower.schema.patterns import HiddenPattern, shown
from mcpgen.read.openapi import Definitions

_HINT = "Let schemas refer to each other less often, or leave the operation out with --exclude."

_TIGHTEST: dict[str, Callable[[float, float], float]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
_SINGLE = ("multipleOf", "uniqueItems", "not", "pattern")
_LARGEST = 2**53 - 1
"""Largest `multipleOf` that is computed: every JSON parser reads integers up to here exactly (RFC 8259, section 6)."""
_MOST_ALTERNATIVES = 12


class _Merger:
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
        both = _in_both(one, other)
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


def excludes(one: JsonObject, other: JsonObject) -> bool:
    """Return True if both schemas list their values, and no value is in both lists, so that nothing satisfies both."""
    first, second = _values(one), _values(other)
    return first is not None and second is not None and not _in_both(first, second)


def _in_both(one: list[JsonValue], other: list[JsonValue]) -> list[JsonValue]:
    known = set(map(plain_text, other))
    return [value for value in one if plain_text(value) in known]


def _values(schema: JsonObject) -> list[JsonValue] | None:
    """Return the values that `const` and `enum` allow, or None if the schema has neither."""
    found = [schema["const"]] if "const" in schema else schema.get("enum")
    return found if isinstance(found, list) else None


__all__ = ["Composer", "alternatives", "excludes", "members", "types"]

PART = 300_000
"""Limit on the steps for one part of an operation: its arguments, its response, or its output schema.

Published documents take at most a tenth of this limit.
"""

RUN, RUN_PER_NODE = 5_000_000, 10
"""RUN plus RUN_PER_NODE for each value and key of the documents is the limit on the steps for all operations.

Published documents take at most a tenth of this limit.
"""

_MOST_KEPT = 1_000_000
"""Limit on the members of all cached nodes, and of the cached lists of members."""

_MOST_BETWEEN = 10
"""Most references between a name and the node that it shares, about as many as in published documents."""

_DANGLING = frozenset({"broken-reference", "foreign-reference"})
"""Codes of diagnostics for references without a target. In place of the target, any value is allowed.

After any other problem with a referenced schema, operations that need it are skipped.
"""


class Member(NamedTuple):
    """A property of a node, with the facts that decide how it is written.

    `identity`: the name of its schema, if that is only a reference (`identity_of`). `shared`: the schema as text if
    its expansion is worth keeping, which holds for references, unions and lists of named schemas; else "".
    `is_composed`: True if its schema has references or `allOf`, which `Composer.node` replaces. `is_scalar`: see
    `nodes.is_scalar`.
    """

    key: str
    schema: JsonObject
    identity: str
    shared: str
    is_composed: bool
    is_scalar: bool


def _shared(schema: JsonObject) -> str:
    """Return the text of `schema` for `Member.shared`."""
    is_kept = identity_of(schema) or alternatives(schema) or identity_of(as_object(schema.get("items")))
    return as_key(schema) if is_kept else ""


class _Composed(NamedTuple):
    """A schema after merging: its node, the references that were followed, contradictions, and diagnostics about
    references without a target.

    `source`: the schema, kept because a cache may find it by its identity. `offered`: references among the alternatives
    of which `_settled` decided.
    """

    source: JsonObject
    node: JsonObject
    followed: tuple[str, ...]
    contradictions: tuple[str, ...]
    missing: tuple[Diagnostic, ...]
    offered: frozenset[str]


# One error must not make the whole document unusable. A broken reference inside a schema allows any value; an operation
# is skipped only if its whole body is such a reference.
class Composer:
    """Composer of the nodes of one API's schemas. Its work is charged to `budget`.

    `contradictions` collects a sentence for each merge in which the two sides contradict. `missing` collects a
    diagnostic for each reference without a target. `unshown` collects patterns that a tool shows differently from the
    document. `expansions`: cache of converted schemas. `once`: cache of facts about arguments, such as token counts.
    """

    def __init__(self, definitions: Mapping[str, JsonObject], budget: Budget | None = None) -> None:
        self.definitions = definitions
        self.contradictions: list[str] = []
        self.missing: list[Diagnostic] = []
        self.unshown: list[HiddenPattern] = []
        self.once = ValueCache()
        self.expansions = Expansions(self.once)
        self.budget = budget or Budget(RUN, PART)
        self._composed: dict[str | int, _Composed] = {}
        self._members: dict[tuple[int, int], tuple[tuple[JsonValue, JsonValue], list[Member]]] = {}
        self._kept = 0

    def node(self, schema: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
        """Return `schema` without `$ref` and `allOf` at its root, and the names of the references that were followed,
        outermost first. Raises Exhausted if that takes more steps than the budget allows.
        """
        if "$ref" not in schema and "allOf" not in schema:
            self.budget.spend(1)
            return schema, ()
        name = schema.get("$ref")
        if isinstance(name, str):
            key: str | int = name if len(schema) == 1 else 0
        else:
            key = (
                id(schema) if identity_of(schema) else 0
            )  # a reference with words beside it, as Elasticsearch has them
        if key:
            self.budget.spend(1)
            found = self._composed.get(key)
            if found is None:
                found = self._of_target(key) if isinstance(key, str) else None
                found = self._keep(key, found or self._compose(schema, str(name or "")))
        else:
            found = self._compose(schema, str(name or ""))
        self.contradictions += found.contradictions
        self.missing += found.missing
        return found.node, found.followed

    def whole(self, schema: JsonObject) -> JsonObject:
        """Return `schema` as one node: with references followed and `allOf` merged at its root.

        Raises SkipOperation if the schema consists only of references without a target.
        """
        before = len(self.missing)
        node, _ = self.node(schema)
        if node.keys() == {UNDEFINED} and len(self.missing) > before:
            reason = self.missing[before]
            assert reason.where is not None, "SkipOperation was raised before"
            raise SkipOperation(reason.code, reason.message, reason.where, reason.hint)
        return node

    def members(self, node: JsonObject) -> list[Member]:
        """Return the properties of `node` in the order of `nodes.members`.

        They are cached by the identities of `properties` and `required`, which copies of a node share.
        """
        source = node.get("properties"), node.get("required")
        key = id(source[0]), id(source[1])
        known = self._members.get(key)
        if known is None:
            found = [
                Member(name, each, identity_of(each), _shared(each), "$ref" in each or "allOf" in each, is_scalar(each))
                for name, each in members(node)
            ]
            self._count(len(found))
            known = self._members[key] = source, found
        return known[1]

    def only_value(self, schema: JsonObject) -> JsonValue:
        """Return the only value that a schema allows, or None if it allows several."""
        node, _ = self.node(schema)
        values = [node["const"]] if "const" in node else as_list(node.get("enum"))
        return values[0] if len(values) == 1 and "null" not in types(node) else None

    def is_read_only(self, member: JsonObject) -> bool:
        """Return True if a property occurs only in responses."""
        return self.node(member)[0].get("readOnly") is True

    def definition(self, name: str) -> JsonObject:
        """Return the schema called `name`, or a schema marked `UNDEFINED` if the reference points to nothing."""
        try:
            return self.definitions[name]
        except SkipOperation as unusable:
            if unusable.diagnostic.code not in _DANGLING:
                raise
            self.missing.append(unusable.diagnostic)
            return {UNDEFINED: True}

    def with_gaps(self, node: JsonObject, branches: list[JsonObject]) -> JsonObject:
        """Return `node`, marked as `UNDEFINED` if a reference in one of `branches` points to nothing."""
        gap = self.missing and any(UNDEFINED in self.node(branch)[0] for branch in branches)
        return {**node, UNDEFINED: True} if gap else node

    def merged(self, first: JsonObject, second: JsonObject) -> JsonObject:
        """Return one node with the constraints of both `first` and `second`.

        Keywords that are not combined, such as `description` and `default`, are taken from `second`.
        """
        merger = _Merger(self.budget)
        merger.add(first)
        merger.add(second)
        self.contradictions += merger.contradictions
        return merger.result()

    def mark(self) -> tuple[int, int, int]:
        """Return the current lengths of `contradictions`, `missing` and `unshown`, from which `since` finds the entries
        that were added later.
        """
        return len(self.contradictions), len(self.missing), len(self.unshown)

    def since(self, mark: tuple[int, int, int]) -> Findings:
        """Return the distinct findings since `mark` was taken."""
        if mark == self.mark():
            return NOTHING
        return Findings(
            tuple(dict.fromkeys(self.contradictions[mark[0] :])),
            tuple(dict.fromkeys(self.missing[mark[1] :])),
            tuple(dict.fromkeys(self.unshown[mark[2] :])),
        )

    def repeat(self, findings: Findings) -> None:
        """Record `findings` (contradictions, missing targets, unshown patterns) of a result that a cache supplies."""
        if findings is NOTHING:
            return
        self.contradictions += findings.contradictions
        self.missing += findings.missing
        self.unshown += findings.unshown

    def tell_of_pattern(self, node: JsonObject) -> None:
        """Add the pattern of `node` to `unshown` if the tool shows it differently from the document, or not at all."""
        _, said = shown(node)
        if said is not None:
            self.unshown.append(said)

    def _keep(self, key: str | int, composed: _Composed) -> _Composed:
        """Cache a composed schema by its name or identity. A full cache is emptied first."""
        self._count(len(composed.node) + len(as_object(composed.node.get("properties"))))
        self._composed[key] = composed
        return composed

    def _count(self, added: int) -> None:
        """Count what is added to the caches of nodes and of their members. Empty both if they are full."""
        self._kept += added
        if self._kept > _MOST_KEPT:
            self._composed.clear()
            self._members.clear()
            self._kept = added

    def _of_target(self, name: str) -> _Composed | None:
        """Return the composed schema `name` if it is only a reference to another one, whose node is then shared.

        Most bodies and responses are such references. Return None where the names in between decide what is merged.
        """
        names = [name]
        try:
            while len(target := self.definitions[names[-1]]) == 1 and isinstance(following := target.get("$ref"), str):
                if following in names or len(names) > _MOST_BETWEEN:
                    return None
                names.append(following)
        except SkipOperation:
            return None  # `_compose` finds it again and reports it
        *between, last = names
        if not between:
            return None
        found = self._composed.get(last) or self._keep(last, self._compose({"$ref": last}, last))
        if not found.offered.isdisjoint(between) or not set(between).isdisjoint(found.followed):
            return None
        return found._replace(followed=(*between, *found.followed))

    def _compose(self, schema: JsonObject, name: str) -> _Composed:
        """Merge `schema`, the schemas to which it refers, and its `allOf` into one node.

        The steps are recorded under `name`, so that a diagnostic can name the schema that took most steps.
        """
        before, followed, contradictions, offered = self.budget.left, dict[str, None](), list[str](), set[str]()
        outer, self.missing = self.missing, []
        try:
            node = self._flat(schema, followed, contradictions, offered)
        finally:
            self.budget.charge(name, before - self.budget.left)
            missing, self.missing = tuple(self.missing), outer
        found = tuple(dict.fromkeys(contradictions))
        return _Composed(schema, node, tuple(followed), found, missing, frozenset(offered))

    def _flat(
        self, schema: JsonObject, followed: dict[str, None], contradictions: list[str], offered: set[str]
    ) -> JsonObject:
        if "$ref" not in schema and "allOf" not in schema:
            return schema
        merger = _Merger(self.budget)
        name = schema.get("$ref")
        # Skip a schema that was already merged, because it adds nothing
        if isinstance(name, str) and name not in followed:
            followed[name] = None
            part = self._flat(self.definition(name), followed, contradictions, offered)
            merger.add(_settled(part, followed, offered))
        for member in as_list(schema.get("allOf")):
            merger.add(self._flat(as_object(member), followed, contradictions, offered))
        merger.add({keyword: value for keyword, value in schema.items() if keyword not in ("$ref", "allOf")})
        contradictions += merger.contradictions
        return merger.result()


def _settled(part: JsonObject, followed: dict[str, None], offered: set[str]) -> JsonObject:
    """Return `part` without its alternatives if `part` was reached through one of these alternatives. Add their names
    to `offered`.

    Example: `Cat` includes `Pet` by `allOf`, and `Pet` is `oneOf: [Cat, Dog]`. A value that is a `Cat` needs no further
    choice.
    """
    names = {as_text(member.get("$ref")) for member in alternatives(part)} - {""}
    offered |= names
    if names.isdisjoint(followed):
        return part
    return {keyword: value for keyword, value in part.items() if keyword not in ("oneOf", "anyOf", "discriminator")}


# -- limits of steps ---------------------------------------------------------------------------------------------------


def reason(end: Exhausted, what: str, composer: Composer, where: Where) -> Diagnostic:
    """Return the diagnostic that says why the compiler gave up reading `what`, which becomes the subject of the
    sentence.

    The diagnostic is placed at the schema that took most of the steps, else at `where`.
    """
    if end.is_run:
        return Diagnostic(
            "too-complex",
            f"{what} were not read, because reading other schemas took all steps that one run of mcpgen may take.",
            _HINT,
            where,
        )
    definitions, culprit = composer.definitions, composer.budget.culprit
    if culprit and isinstance(definitions, Definitions):
        where = definitions.where(culprit)
    message = f"{what} are too complex: reading them takes more than {PART:,} steps, most of them for this schema."
    return Diagnostic("too-complex", message, _HINT, where)
