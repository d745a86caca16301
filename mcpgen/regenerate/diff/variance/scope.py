"""Resolve the references in a schema document, and write the assertions of its parts as text.

Parts with equal texts accept the same values. The text of a part does not contain titles, descriptions and defaults. It
contains the text of all schemas to which the part refers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from mcpgen.base.jsonvalue import JsonObject, JsonValue, lookup, plain_text, tokens
from mcpgen.base.work import Budget

_ONE_SCHEMA = frozenset(
    (
        *("items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains"),
        *("propertyNames", "unevaluatedProperties", "unevaluatedItems"),
    )
)
_SCHEMA_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})
_SETS = frozenset({"type", "required", "enum"})
_VALUES = frozenset(
    (
        *("const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength"),
        *("maxLength", "pattern", "format", "contentEncoding", "minItems", "maxItems", "uniqueItems", "minContains"),
        *("maxContains", "minProperties", "maxProperties", "dependentRequired", "$ref", "$dynamicRef", "$recursiveRef"),
    )
)


PART, RUN = 400_000, 3_000_000
"""Limits on the steps for comparing two schemas, and for all comparisons of a run. They are ten times what published
documents take.
"""

_CHARACTERS = 50
"""How many characters of text cost one step of the budget."""


class Scope:
    """One schema document, in which references are resolved, with cached lookups. Work is charged to `budget`."""

    def __init__(self, root: JsonObject, budget: Budget | None = None) -> None:
        self.root = root
        self.budget = budget or Budget(RUN, PART)
        self.is_draft_7 = "draft-07" in str(root.get("$schema", ""))
        self._texts: dict[int, tuple[str, frozenset[str]]] = {}
        self._closed: dict[int, str] = {}
        self._made: dict[str, JsonObject] = {}
        self._anchors: dict[str, JsonValue] | None = None

    def terms(self, *nodes: JsonValue) -> "Terms":
        """Return the conjunction of `nodes`, which are schemas of this document. Schemas that accept everything are
        left out.
        """
        kept = {id(node): node for node in nodes if node is not True and node != {}}
        return Terms(tuple(kept.values()), self)

    def resolve(self, reference: str) -> JsonValue:
        """Return the target of a reference in this schema.

        Raises KeyError if there is no target, or if it is in another schema resource (`$id`).
        """
        if not reference.startswith("#"):
            raise KeyError(reference)
        if reference == "#" or reference.startswith("#/"):
            return lookup(self.root, [_unquoted(token) for token in tokens(reference[1:])])
        if self._anchors is None:
            self._anchors = dict(_anchors(self.root))
        return self._anchors[reference[1:]]

    def made(self, node: JsonObject) -> JsonObject:
        """Return `node`, a schema that was derived and is not in the document.

        For equal schemas the same object is returned, so that schemas can be compared by identity (`id()`).
        """
        text = plain_text(node)
        self.budget.spend(1 + len(text) // _CHARACTERS)
        return self._made.setdefault(text, node)

    def text(self, node: JsonValue) -> str:
        """Return the assertions of `node` as text, including those of all schemas to which it refers."""
        if id(node) not in self._closed:
            known: dict[str, str] = {}
            own, waiting = self.local(node)
            pending = set(waiting)
            while pending:
                reference = pending.pop()
                known[reference], further = self._referred(reference)
                pending |= further - known.keys()
            closed = own + "".join(f"\n{name}={known[name]}" for name in sorted(known))
            self.budget.spend(len(closed) // _CHARACTERS)
            self._closed[id(node)] = closed
        return self._closed[id(node)]

    def _referred(self, reference: str) -> tuple[str, frozenset[str]]:
        try:
            return self.local(self.resolve(reference))
        except KeyError:
            return "?", frozenset()

    def local(self, node: JsonValue) -> tuple[str, frozenset[str]]:
        """Return the assertions of `node` as text without following references, and the set of its references."""
        if id(node) not in self._texts:
            references: set[str] = set()
            text = plain_text(_asserted(node, references))
            self.budget.spend(1 + len(text) // _CHARACTERS)
            self._texts[id(node)] = text, frozenset(references)
        return self._texts[id(node)]


@dataclass(frozen=True, eq=False)  # not `slots=True`, since `cached_property` needs a `__dict__`
class Terms:
    """A conjunction of schemas in one `scope`: a value must satisfy all `nodes`. Without nodes, every value satisfies
    it.
    """

    nodes: tuple[JsonValue, ...]
    scope: Scope

    @cached_property
    def key(self) -> frozenset[int]:
        """Return the Python ids (`id()`) of the schemas, as a key for caches."""
        return frozenset(map(id, self.nodes))

    @cached_property
    def text(self) -> str:
        """Return all assertions as text, including those of schemas to which references point.

        This text can be long. So try `is_plainly` first, a quick test for schemas that contain no references.
        """
        return "\n&\n".join(sorted(map(self.scope.text, self.nodes)))

    @cached_property
    def plain(self) -> str:
        """Return the assertions as text, or "" if there are references, since then the text would be incomplete."""
        found = [self.scope.local(node) for node in self.nodes]
        return "" if any(references for _, references in found) else "\n&\n".join(sorted(text for text, _ in found))

    def is_plainly(self, other: "Terms") -> bool:
        """Return True if this conjunction and `other` are certainly equal, since their assertions have the same text.

        False is no proof that they differ: this quick test always returns False for schemas with references.
        """
        return self.plain == other.plain and (self.plain != "" or not (self.nodes or other.nodes))


def _asserted(node: JsonValue, references: set[str]) -> JsonValue:
    """Return `node` without titles, descriptions and defaults. Its references are added to `references`."""
    if not isinstance(node, dict):
        return node
    if node == {}:
        return True
    found: JsonObject = {}
    for keyword, value in node.items():
        if keyword in _SCHEMA_LISTS and isinstance(value, list):
            found[keyword] = [_asserted(member, references) for member in value]
        elif keyword in _ONE_SCHEMA:
            found[keyword] = _asserted(value, references)
        elif keyword in _SCHEMA_MAPS and isinstance(value, dict):
            found[keyword] = {name: _asserted(member, references) for name, member in value.items()}
        elif keyword in _SETS:
            members = value if isinstance(value, list) else [value]
            found[keyword] = sorted({plain_text(member): member for member in members}.items())  # type: ignore[assignment]
        elif keyword in _VALUES:
            found[keyword] = value
            if keyword == "$ref" and isinstance(value, str):
                references.add(value)
    return found or True


def _anchors(value: JsonValue) -> Iterable[tuple[str, JsonValue]]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if isinstance(name := node.get("$anchor"), str):
                yield name, node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _unquoted(token: str) -> str:
    from urllib.parse import unquote  # imported late: only schemas with references need it

    return unquote(token) if "%" in token else token
