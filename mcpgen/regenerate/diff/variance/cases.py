"""Split a schema into cases. A case is one choice among the alternatives of each `anyOf` and `oneOf`, with one type and
a plain list of keywords.

A value satisfies the schema if it satisfies one of its cases. Keywords that cannot be compared (`if`,
`unevaluatedProperties`, patterns without linear-time matching) stay in a case as text: only a case with the same text
certainly satisfies them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, plain_text
from mcpgen.lower.schema.patterns import is_linear
from mcpgen.regenerate.diff.variance import scalars
from mcpgen.regenerate.diff.variance.scope import Scope, Terms

KINDS = ("null", "boolean", "number", "string", "array", "object")
MOST = 256
"""Limit on the combinations of alternatives in one schema. A schema with more combinations is compared as text."""

_CONDITIONS = (
    *("if", "dependentSchemas", "dependencies", "contains", "$dynamicRef", "$recursiveRef"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
_OF_SIBLINGS = {
    "if": ("if", "then", "else"),
    "contains": ("contains", "minContains", "maxContains"),
}
_OF_THE_WHOLE = frozenset({"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"})


class TooManyCases(Exception):
    """Raised if a schema has more than MOST combinations of alternatives."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a schema: the values of one type (`kind`) that satisfy all schemas in `atoms` and the conditions
    below.

    `values`: the only value of the case, as a tuple of one item; empty if the case is not limited to one value.
    `integral`: numbers must be integers. `conditions`: assertions that are compared as text. `nots`: schemas that a
    value must not satisfy. `exclusive`: lists of schemas (`oneOf`) of which a value satisfies exactly one.
    """

    kind: str
    atoms: tuple[JsonObject, ...]
    scope: Scope
    values: tuple[JsonValue, ...] = ()
    integral: bool = False
    conditions: frozenset[str] = frozenset()
    nots: tuple[JsonValue, ...] = ()
    exclusive: tuple[tuple[JsonValue, ...], ...] = ()

    def narrowed(self, atom: JsonObject) -> "Case":
        """Return this case (alternative of a schema) with the schema `atom` added, for the values that also satisfy
        `atom`.
        """
        return replace(self, atoms=(*self.atoms, self.scope.made(atom)))


@dataclass(frozen=True, slots=True)
class _State:
    """The fields of a `Case` that were collected so far. `seen`: `id()` of each schema that was processed."""

    atoms: tuple[JsonObject, ...] = ()
    conditions: frozenset[str] = frozenset()
    nots: tuple[JsonValue, ...] = ()
    exclusive: tuple[tuple[JsonValue, ...], ...] = ()
    seen: frozenset[int] = frozenset()


_Pending = tuple[tuple[JsonValue, frozenset[int]], ...]
"""Schemas to be processed, each with the ids of the surrounding schemas that apply to the same value."""


def cases(terms: Terms) -> list[Case]:
    """Return the cases of the conjunction `terms`: for each combination of its alternatives, one case for each type or
    each listed value. Raise TooManyCases if there are more than MOST combinations.
    """
    found: list[Case] = []
    for count, state in enumerate(_unfolded(tuple((node, frozenset()) for node in terms.nodes), _State(), terms.scope)):
        if count >= MOST:
            raise TooManyCases
        found += _of_state(state, terms.scope)
    return found


def _unfolded(pending: _Pending, state: _State, scope: Scope) -> Iterator[_State]:
    while pending:
        scope.budget.spend(len(pending))
        (node, inside), *rest = pending
        pending = tuple(rest)
        if node is False:
            return
        if not isinstance(node, dict):
            continue
        if id(node) in inside:  # a recursive schema: do not expand it again, only note the loop in `conditions`
            state = replace(state, conditions=state.conditions | {f"loop {id(node)}"})
            continue
        if id(node) in state.seen:
            continue
        below = inside | {id(node)}
        state, further, choices = _looked_at(node, state, scope)
        pending = (*((each, below) for each in further), *pending)
        if choices:
            first, *others = choices
            for branch in first:
                left = [(scope.made({"anyOf": list(other)}), below) for other in others]
                chosen: _Pending = ((branch, below), *left, *pending)
                yield from _unfolded(chosen, state, scope)
            return
    yield state


def _looked_at(
    node: JsonObject, state: _State, scope: Scope
) -> tuple[_State, list[JsonValue], list[tuple[JsonValue, ...]]]:
    """Read one schema.

    Return three values: `state` with the keywords of `node` added; the schemas that a value must satisfy too (`allOf`,
    `$ref`); and the lists of alternatives in `node` (`anyOf`, `oneOf`).
    """
    seen = state.seen | {id(node)}
    further: list[JsonValue] = []
    lost: list[str] = []
    if isinstance(reference := node.get("$ref"), str):
        try:
            further.append(scope.resolve(reference))
        except KeyError:
            lost.append(f"nowhere {reference}")
        if scope.is_draft_7:
            return replace(state, seen=seen, conditions=state.conditions.union(lost)), further, []
    conditions = state.conditions.union(lost, _conditions(node, scope))
    atom, strange = _without_strange_patterns(node, scope)
    exclusive, choices = state.exclusive, []
    for keyword in ("anyOf", "oneOf"):
        if branches := tuple(as_list(node.get(keyword))):
            choices.append(branches)
            exclusive = (*exclusive, branches) if keyword == "oneOf" and len(branches) > 1 else exclusive
    state = _State(
        atoms=(*state.atoms, atom),
        conditions=conditions | strange,
        nots=(*state.nots, node["not"]) if "not" in node else state.nots,
        exclusive=exclusive,
        seen=seen,
    )
    return state, [*further, *as_list(node.get("allOf"))], choices


def _conditions(node: JsonObject, scope: Scope) -> Iterator[str]:
    for keyword in _CONDITIONS:
        if keyword in _OF_THE_WHOLE and node.get(keyword, True) is not True:
            yield scope.text(node)
        elif keyword in node and keyword not in _OF_THE_WHOLE:
            siblings = _OF_SIBLINGS.get(keyword, (keyword,))
            yield scope.text(scope.made({key: node[key] for key in siblings if key in node}))


def _without_strange_patterns(node: JsonObject, scope: Scope) -> tuple[JsonObject, frozenset[str]]:
    """Return `node` and no conditions if every pattern in `patternProperties` can be matched in linear time.

    Otherwise it is unknown which members match. Then return `node` without `patternProperties` and
    `additionalProperties`, and the text of the whole node as a condition (an assertion compared as text).
    """
    if all(map(is_linear, as_object(node.get("patternProperties")))):
        return node, frozenset()
    kept = {key: value for key, value in node.items() if key not in ("patternProperties", "additionalProperties")}
    return scope.made(kept), frozenset({scope.text(node)})


def _of_state(state: _State, scope: Scope) -> Iterator[Case]:
    kinds, integral = _kinds(state.atoms)
    base = Case("", state.atoms, scope, (), integral, state.conditions, state.nots, state.exclusive)
    listed = _listed(state.atoms)
    if listed is not None:
        scope.budget.spend(len(listed))
        for value in listed:
            kind = scalars.kind_of(value)
            if kind in kinds and scalars.fits(value, state.atoms, integral=integral) is not False:
                yield _of_value(base, kind, value)
        return
    for kind in KINDS:
        if kind not in kinds:
            continue
        if kind in ("null", "boolean"):
            for value in (None,) if kind == "null" else (False, True):
                yield _of_value(base, kind, value)
        elif kind == "string" and _is_empty_text(state.atoms):
            if scalars.fits("", state.atoms, integral=integral) is not False:
                yield _of_value(base, kind, "")
        else:
            yield replace(base, kind=kind)


def _is_empty_text(atoms: tuple[JsonObject, ...]) -> bool:
    """Return True if the schemas `atoms` together allow only the empty text.

    Model providers refuse "" in an enum, so mcpgen writes a pattern or a `maxLength` of 0 instead.
    """
    return scalars.limit(atoms, "maxLength") == 0 or any(atom.get("pattern") == "^$" for atom in atoms)


def _of_value(base: Case, kind: str, value: JsonValue) -> Case:
    """Return a case (alternative of a schema) that contains only `value`. The members of an object are written as
    `properties`, the items of a list as `prefixItems`, so that they are compared like those of a schema.
    """
    made = base.scope.made
    atoms = base.atoms
    if isinstance(value, dict):
        members: JsonObject = {key: made({"const": member}) for key, member in value.items()}
        atoms = (made({"properties": members, "required": list(value), "additionalProperties": False}),)
    elif isinstance(value, list):
        count = len(value)
        listed: list[JsonValue] = [made({"const": member}) for member in value]
        atoms = (made({"prefixItems": listed, "items": False, "minItems": count, "maxItems": count}),)
    return replace(base, kind=kind, values=(value,), atoms=atoms)


def _kinds(atoms: tuple[JsonObject, ...]) -> tuple[set[str], bool]:
    """Return the types that all schemas in `atoms` allow, and True if numbers must be integers."""
    kinds, integral = set(KINDS), False
    for atom in atoms:
        if "type" not in atom:
            continue
        named = {str(kind) for kind in (atom["type"] if isinstance(atom["type"], list) else [atom["type"]])}
        if "integer" in named and "number" not in named:
            integral = True
        kinds &= {"number" if kind == "integer" else kind for kind in named}
    return kinds, integral


def _listed(atoms: tuple[JsonObject, ...]) -> list[JsonValue] | None:
    """Return the values that all schemas in `atoms` with an `enum` or `const` share. Return None if no schema has one
    of these keywords.
    """
    found: dict[str, JsonValue] | None = None
    for atom in atoms:
        for values in ([atom["const"]] if "const" in atom else None, atom.get("enum")):
            if isinstance(values, list):
                named = {plain_text(value): value for value in values}
                found = named if found is None else {text: value for text, value in found.items() if text in named}
    return None if found is None else list(found.values())
