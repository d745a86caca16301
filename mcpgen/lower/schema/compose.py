"""`allOf` and references beside other keywords → one node: what a composed schema says, said in one place.

`Composer.node` looks one level deep: it follows references and merges `allOf`, and leaves properties, items and
alternatives as they stand. What has a name is merged once.
"""

from collections.abc import Mapping
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.errors import Unusable
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.work import Budget
from mcpgen.lower.schema.constraints import UNDEFINED
from mcpgen.lower.schema.expansions import NOTHING, Expansions, Findings
from mcpgen.lower.schema.merging import Merger
from mcpgen.lower.schema.nodes import alternatives, members, types
from mcpgen.lower.schema.patterns import PatternMemory, Unshown, shown

__all__ = ["Composer", "alternatives", "members", "types"]

PART = 300_000
"""Steps of one part of an operation: its arguments, its answer, its output schema. No published document that we know
of takes more than a tenth of it."""

RUN, RUN_PER_NODE = 5_000_000, 10
"""Steps of all operations together, and how many more for each value and key of the documents. As above."""

_MOST_KEPT = 1_000_000
"""Members of all nodes that are kept."""

_DANGLING = frozenset({"broken-reference", "foreign-reference"})
"""Why a schema is not there. What is refused for another reason is refused with all that needs it."""


class _Composed(NamedTuple):
    """The node of a name, the references followed to it, its contradictions, and why parts of it are missing."""

    node: JsonObject
    followed: tuple[str, ...]
    contradictions: tuple[str, ...]
    missing: tuple[Diagnostic, ...]


# Decision 0114: What a document gets wrong costs its place.
class Composer:
    """Nodes of the schemas of one API. `contradictions` collects a sentence for each merge that could not keep both
    sides, `missing` the reason for each reference without a schema, which then allows any value, `unshown` the patterns
    that a tool does not show as they were written. `patterns` knows what they take, `expansions` the portable forms.
    The work of composing draws on `budget`.
    """

    def __init__(self, definitions: Mapping[str, JsonObject], budget: Budget | None = None) -> None:
        self.definitions = definitions
        self.contradictions: list[str] = []
        self.missing: list[Diagnostic] = []
        self.unshown: list[Unshown] = []
        self.patterns = PatternMemory()
        self.expansions = Expansions()
        self.budget = budget or Budget(RUN, PART)
        self._composed: dict[str, _Composed] = {}
        self._kept = 0

    def node(self, schema: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
        """Return `schema` without `$ref` and `allOf` at its root, and the names of the references that were followed,
        outermost first. Raises Exhausted.
        """
        if "$ref" not in schema and "allOf" not in schema:
            self.budget.spend(1)
            return schema, ()
        name = schema.get("$ref")
        if len(schema) > 1 or not isinstance(name, str):
            found = self._compose(schema, str(name or ""))
        else:
            self.budget.spend(1)
            found = self._composed.get(name) or self._keep(name, self._compose(schema, name))
        self.contradictions += found.contradictions
        self.missing += found.missing
        return found.node, found.followed

    def whole(self, schema: JsonObject) -> JsonObject:
        """Return the node of `schema`. Unusable where nothing of it is known, since its references lead nowhere."""
        before = len(self.missing)
        node, _ = self.node(schema)
        if node.keys() == {UNDEFINED} and len(self.missing) > before:
            reason = self.missing[before]
            assert reason.where is not None, "it was Unusable before"
            raise Unusable(reason.code, reason.message, reason.where, reason.hint)
        return node

    def definition(self, name: str) -> JsonObject:
        """Return the schema called `name`, one that says `UNDEFINED` where its reference leads nowhere."""
        try:
            return self.definitions[name]
        except Unusable as unusable:
            if unusable.diagnostic.code not in _DANGLING:
                raise
            self.missing.append(unusable.diagnostic)
            return {UNDEFINED: True}

    def with_gaps(self, node: JsonObject, branches: list[JsonObject]) -> JsonObject:
        """Return `node`, marked where one of its branches leads nowhere."""
        gap = self.missing and any(UNDEFINED in self.node(branch)[0] for branch in branches)
        return {**node, UNDEFINED: True} if gap else node

    def merged(self, first: JsonObject, second: JsonObject) -> JsonObject:
        """Return one node that demands what `first` and `second` demand. Texts, defaults and marks of `second` win."""
        merger = Merger(self.budget)
        merger.add(first)
        merger.add(second)
        self.contradictions += merger.contradictions
        return merger.result()

    def mark(self) -> tuple[int, int, int]:
        """Return how much was found so far."""
        return len(self.contradictions), len(self.missing), len(self.unshown)

    def since(self, mark: tuple[int, int, int]) -> Findings:
        """Return what was found since `mark` was returned, each once."""
        if mark == self.mark():
            return NOTHING
        return Findings(
            tuple(dict.fromkeys(self.contradictions[mark[0] :])),
            tuple(dict.fromkeys(self.missing[mark[1] :])),
            tuple(dict.fromkeys(self.unshown[mark[2] :])),
        )

    def repeat(self, findings: Findings) -> None:
        """Report once more what was found where the work is not done once more."""
        self.contradictions += findings.contradictions
        self.missing += findings.missing
        self.unshown += findings.unshown

    def tell_of_pattern(self, node: JsonObject) -> None:
        """Note what is to be said of the pattern of `node`."""
        _, said = shown(node, self.patterns)
        if said is not None:
            self.unshown.append(said)

    def _keep(self, name: str, composed: _Composed) -> _Composed:
        """Keep what was composed under that name, and not more than there is room for."""
        self._kept += len(composed.node) + len(as_object(composed.node.get("properties")))
        if self._kept > _MOST_KEPT:
            self._composed.clear()
            self._kept = 0
        self._composed[name] = composed
        return composed

    def _compose(self, schema: JsonObject, name: str) -> _Composed:
        """Compose `schema`, whose work is charged to `name`."""
        before, followed, contradictions = self.budget.left, dict[str, None](), list[str]()
        outer, self.missing = self.missing, []
        try:
            node = self._flat(schema, followed, contradictions)
        finally:
            self.budget.charge(name, before - self.budget.left)
            missing, self.missing = tuple(self.missing), outer
        return _Composed(node, tuple(followed), tuple(dict.fromkeys(contradictions)), missing)

    def _flat(self, schema: JsonObject, followed: dict[str, None], contradictions: list[str]) -> JsonObject:
        if "$ref" not in schema and "allOf" not in schema:
            return schema
        merger = Merger(self.budget)
        name = schema.get("$ref")
        if isinstance(name, str) and name not in followed:  # what was demanded once need not be demanded again
            followed[name] = None
            part = self._flat(self.definition(name), followed, contradictions)
            merger.add(_settled(part, followed))
        for member in as_list(schema.get("allOf")):
            merger.add(self._flat(as_object(member), followed, contradictions))
        merger.add({keyword: value for keyword, value in schema.items() if keyword not in ("$ref", "allOf")})
        contradictions += merger.contradictions
        return merger.result()


def _settled(part: JsonObject, followed: dict[str, None]) -> JsonObject:
    """`part` without its alternatives where one of them is what led to it: a `Cat` that includes `Pet` has made the
    choice between cats and dogs that `Pet` offers.
    """
    if not any(member.get("$ref") in followed for member in alternatives(part)):
        return part
    return {keyword: value for keyword, value in part.items() if keyword not in ("oneOf", "anyOf", "discriminator")}
