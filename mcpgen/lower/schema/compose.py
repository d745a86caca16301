"""Compose `allOf` and references with their sibling keywords into one node.

`Composer.node` handles only the root of a schema: it follows references and merges `allOf` there, and leaves
properties, items and alternatives as they are. Results for named schemas are cached.
"""

from collections.abc import Mapping
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.once import ValueCache
from mcpgen.base.work import Budget
from mcpgen.lower.schema.constraints import UNDEFINED
from mcpgen.lower.schema.expansions import NOTHING, Expansions, Findings
from mcpgen.lower.schema.merging import Merger
from mcpgen.lower.schema.nodes import alternatives, identity_of, members, types
from mcpgen.lower.schema.patterns import HiddenPattern, shown

__all__ = ["Composer", "alternatives", "members", "types"]

PART = 300_000
"""Limit on the steps for one part of an operation: its arguments, its response, or its output schema.

Published documents take at most a tenth of this limit.
"""

RUN, RUN_PER_NODE = 5_000_000, 10
"""RUN plus RUN_PER_NODE for each value and key of the documents is the limit on the steps for all operations.

Published documents take at most a tenth of this limit.
"""

_MOST_KEPT = 1_000_000
"""Limit on the members of all cached nodes."""

_DANGLING = frozenset({"broken-reference", "foreign-reference"})
"""Codes of diagnostics for references without a target. In place of the target, any value is allowed.

After any other problem with a referenced schema, operations that need it are skipped.
"""


class _Composed(NamedTuple):
    """A schema after merging: its node, the references that were followed, contradictions, and diagnostics about
    references without a target. `source`: the schema, kept because a cache may find it by its identity.
    """

    source: JsonObject
    node: JsonObject
    followed: tuple[str, ...]
    contradictions: tuple[str, ...]
    missing: tuple[Diagnostic, ...]


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
            found = self._composed.get(key) or self._keep(key, self._compose(schema, str(name or "")))
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
        merger = Merger(self.budget)
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
        self._kept += len(composed.node) + len(as_object(composed.node.get("properties")))
        if self._kept > _MOST_KEPT:
            self._composed.clear()
            self._kept = 0
        self._composed[key] = composed
        return composed

    def _compose(self, schema: JsonObject, name: str) -> _Composed:
        """Merge `schema`, the schemas to which it refers, and its `allOf` into one node.

        The steps are recorded under `name`, so that a diagnostic can name the schema that took most steps.
        """
        before, followed, contradictions = self.budget.left, dict[str, None](), list[str]()
        outer, self.missing = self.missing, []
        try:
            node = self._flat(schema, followed, contradictions)
        finally:
            self.budget.charge(name, before - self.budget.left)
            missing, self.missing = tuple(self.missing), outer
        return _Composed(schema, node, tuple(followed), tuple(dict.fromkeys(contradictions)), missing)

    def _flat(self, schema: JsonObject, followed: dict[str, None], contradictions: list[str]) -> JsonObject:
        if "$ref" not in schema and "allOf" not in schema:
            return schema
        merger = Merger(self.budget)
        name = schema.get("$ref")
        # Skip a schema that was already merged, because it adds nothing
        if isinstance(name, str) and name not in followed:
            followed[name] = None
            part = self._flat(self.definition(name), followed, contradictions)
            merger.add(_settled(part, followed))
        for member in as_list(schema.get("allOf")):
            merger.add(self._flat(as_object(member), followed, contradictions))
        merger.add({keyword: value for keyword, value in schema.items() if keyword not in ("$ref", "allOf")})
        contradictions += merger.contradictions
        return merger.result()


def _settled(part: JsonObject, followed: dict[str, None]) -> JsonObject:
    """Return `part` without its alternatives if `part` was reached through one of these alternatives.

    Example: `Cat` includes `Pet` by `allOf`, and `Pet` is `oneOf: [Cat, Dog]`. A value that is a `Cat` needs no further
    choice.
    """
    if not any(member.get("$ref") in followed for member in alternatives(part)):
        return part
    return {keyword: value for keyword, value in part.items() if keyword not in ("oneOf", "anyOf", "discriminator")}
