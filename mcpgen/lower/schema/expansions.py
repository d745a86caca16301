"""Cache the expansions of arguments and named schemas: their conversions to schemas that every client accepts. So a
schema is expanded once, however many tools use it.

An expansion depends on the surrounding schemas (those that contain it), since a schema inside itself is not expanded
again. So the cache stores which names the conversion looked for among the surrounding schemas, and which of these it
found. An expansion is reused only where this search finds the same names.

It also depends on the levels that may follow. An expansion from which no level was left out is the same wherever there
is room for its height; any other one is reused only where as many levels may follow. The limit on alternatives matters
only to the unions inside: an expansion is reused under each limit that folds the same ones.
"""

import sys
from collections.abc import Iterable
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.once import ValueCache
from mcpgen.lower.schema.budget import Limits
from mcpgen.lower.schema.patterns import HiddenPattern

_MOST_NODES = 600_000
"""Limit on the nodes of all cached expansions, without scalars that several share. They take up to 400 MiB.

Documents of ten megabytes whose entities lead to each other have as many; with a limit below, a compile takes quadratic
time.
"""


class Findings(NamedTuple):
    """Findings about composed schemas.

    `contradictions`: sentences about merges in which the two sides contradict. `missing`: diagnostics about references
    without a target. `unshown`: patterns that a tool does not show, or shows differently from the document.
    """

    contradictions: tuple[str, ...] = ()
    missing: tuple[Diagnostic, ...] = ()
    unshown: tuple[HiddenPattern, ...] = ()


NOTHING = Findings()


class ExpansionKey(NamedTuple):
    """Cache key of an expansion: the schema to expand (`source`), its description, and the settings of its conversion
    by `Portable`. The surrounding schemas, the levels that may follow and the limit on alternatives are not part of it.

    `text` and `inner_text` are limits: on the description of the schema itself, and on those inside it.
    """

    source: str
    keep_null: bool
    description: str
    removable: bool
    patched: bool
    text: int
    inner_text: int
    nulls: bool
    files: bool


ArgumentKey = tuple[int, bool, str, bool, bool]
"""Cache key of an argument: the identity of its schema, then `keep_null`, `description`, `removable` and `patched`."""


class Levels(NamedTuple):
    """A number of levels: of objects and lists (`depth`), and of all nesting, also by unions (`level`)."""

    depth: int
    level: int


class Unions(NamedTuple):
    """Sizes of the unions in an expansion: the largest number of alternatives that are all `shown`, and the smallest
    that was `folded` into fewer.
    """

    shown: int
    folded: int

    def with_one(self, alternatives: int, *, is_folded: bool) -> "Unions":
        if is_folded:
            return Unions(self.shown, min(self.folded, alternatives))
        return Unions(max(self.shown, alternatives), self.folded)

    def with_those(self, other: "Unions") -> "Unions":
        if other.shown <= self.shown and other.folded >= self.folded:
            return self
        return Unions(max(self.shown, other.shown), min(self.folded, other.folded))


UNIONS = Unions(0, sys.maxsize)
"""Sizes of no unions."""


class Leaf(NamedTuple):
    """Cached expansion of a scalar without a name. `source` is kept, since the cache finds it by its identity."""

    source: JsonObject
    emitted: JsonObject
    findings: Findings


class Expansion(NamedTuple):
    """Cached expansion: the schema that tools show (`emitted`), with `nodes` as its size.

    `cuts`: phrases for what was left out. `asked`: schema names that were looked for among the schemas that contain
    this one (recursion). `met`: those names in `asked` that were found there. `height`: the levels below this schema,
    or None if it is the same at every level. `unions`: sizes of the unions in it. `left`: the levels that could follow,
    or None if none was left out. `too_large`: True if writing stopped at `nodes` nodes, so that `emitted` is empty.
    """

    emitted: JsonObject
    nodes: int
    cuts: tuple[str, ...]
    findings: Findings
    asked: frozenset[str]
    met: frozenset[str]
    height: Levels | None
    unions: Unions
    left: Levels | None = None
    too_large: bool = False

    def serves(self, room: int, *, is_draft: bool) -> bool:
        """Return True if this expansion can be reused where `room` nodes are left.

        A complete expansion has fewer nodes. One that was too large stopped at `room` nodes or more, so it exceeds this
        limit as well. `is_draft`: True if a schema that exceeds the limit is thrown away, whatever its parts are.
        """
        return self.nodes >= room if self.too_large else self.nodes < room or is_draft


class Expansions:
    """Cache of the expansions (schemas in the form that tools show) of one `Composer`.

    - `large`: name of a schema → pair. The first item is True if the schema or a part of it has members: then leaving
      them out saves tokens. The second item is the `Findings` about the schemas that were examined to decide this.
    - `leaves`: expansions of scalars without names. The key is the schema's identity and the settings on which it
      depends.
    - `arguments`: expansions of arguments, by the settings of their writer, and by the identity of their schema and its
      settings. An argument is surrounded by no schema, so its expansion needs no search.
    - `once`: cache of facts about expanded schemas. It keeps those schemas in memory, so it is cleared together with
      the expansions.
    """

    def __init__(self, once: ValueCache) -> None:
        self._once = once
        self.large: dict[str, tuple[bool, Findings]] = {}
        self.leaves: dict[tuple[int, bool, bool, bool, int], Leaf] = {}
        self.arguments: dict[tuple[Limits, bool, bool], dict[ArgumentKey, tuple[JsonObject, Expansion]]] = {}
        self._known: dict[ExpansionKey, list[Expansion]] = {}
        self._names: dict[frozenset[str], frozenset[str]] = {}
        """Sets of names, each once, which saves a quarter of the memory: the expansions of a schema under several
        settings ask for the same names.
        """
        self._nodes = 0

    def names(self, names: Iterable[str]) -> frozenset[str]:
        """Return a set of names for an expansion to keep: the same object for equal sets."""
        found = frozenset(names)
        return self._names.setdefault(found, found)

    def find(
        self, setting: ExpansionKey, trail: Iterable[str], room: int, left: Levels, alternatives: int, *, is_draft: bool
    ) -> Expansion | None:
        """Return a cached expansion with the key `setting` that can be reused inside `trail`, `room`, `left` and
        `alternatives`, or None.

        `trail`: names of the surrounding schemas. The cached conversion looked for the names `asked` among the schemas
        around it, and found the names `met`. So it is reused only if the names of `asked` in `trail` are exactly `met`.
        `room`, `is_draft`: see `Expansion.serves`. `left`: the levels that may follow. `alternatives`: the limit on the
        alternatives of a union.
        """
        for known in self._known.get(setting, ()):
            if not known.unions.shown <= alternatives < known.unions.folded:
                continue
            if known.height is None:
                has_room = True
            elif known.left is None:
                has_room = known.height.depth < left.depth and known.height.level <= left.level
            else:
                has_room = known.left == left
            if has_room and known.serves(room, is_draft=is_draft) and known.asked.intersection(trail) == known.met:
                return known
        return None

    def keep(self, setting: ExpansionKey, expansion: Expansion, fresh: int) -> None:
        """Cache an expansion. `fresh`: number of its nodes that belong to no other cached expansion."""
        self._nodes += fresh
        if self._nodes > _MOST_NODES:
            self._known.clear()
            self._names.clear()
            self.leaves.clear()
            self.arguments.clear()
            self._once.forget()
            self._nodes = fresh
        self._known.setdefault(setting, []).append(expansion)
