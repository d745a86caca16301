"""Expansions of schemas that have a name: each is made once in a compile, however many tools show it.

What a schema becomes depends on where it stands: how deep, inside which other schemas, within which limits. So an
expansion is kept with the names that were looked for around it, and taken again wherever as many of them are there.
"""

from collections.abc import Iterable
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact
from mcpgen.lower.schema.budget import Limits
from mcpgen.lower.schema.patterns import Unshown

_MOST_NODES = 200_000
"""Nodes of all expansions that are kept: up to 100 MiB. Published documents of ten megabytes have fewer."""


class Findings(NamedTuple):
    """What was found while schemas were composed: see the fields of `Composer` of these names."""

    contradictions: tuple[str, ...] = ()
    missing: tuple[Diagnostic, ...] = ()
    unshown: tuple[Unshown, ...] = ()


NOTHING = Findings()


class Setting(NamedTuple):
    """What an expansion depends on, beside the schemas around it: the schema as it is referred to, its place, the words
    that describe it, and what its writer was told.
    """

    source: str
    keep_null: bool
    description: str
    removable: bool
    patched: bool
    depth: int
    level: int
    limits: Limits
    nulls: bool
    files: bool


class Expansion(NamedTuple):
    """A schema as it is shown, in how many nodes, what it leaves out, and what was found. `asked` are the schemas that
    were looked for around it, `met` those of them that were there. One that is `too_large` has that many nodes or more.
    """

    emitted: JsonObject
    nodes: int
    cuts: tuple[str, ...]
    findings: Findings
    asked: frozenset[str]
    met: frozenset[str]
    too_large: bool = False


class Expansions:
    """The expansions of one compile. `large` says of schemas whether they have members, and what that look found."""

    def __init__(self) -> None:
        self.large: dict[str, tuple[bool, Findings]] = {}
        self._known: dict[Setting, list[Expansion]] = {}
        self._nodes = 0
        self._sizes: dict[int, int] = {}
        """Bytes of what was emitted and is kept, by its identity; 0 where nobody asked yet."""

    def find(self, setting: Setting, trail: Iterable[str], room: int) -> Expansion | None:
        """Return the expansion in that setting, inside the schemas of `trail`, if it has fewer than `room` nodes, or
        is known to have more.
        """
        for known in self._known.get(setting, ()):
            is_told = known.nodes >= room if known.too_large else known.nodes < room
            if is_told and known.asked.intersection(trail) == known.met:
                return known
        return None

    def keep(self, setting: Setting, expansion: Expansion, fresh: int) -> None:
        """Keep an expansion of which so many nodes are not part of another one that is kept."""
        self._nodes += fresh
        if self._nodes > _MOST_NODES:
            self._known.clear()
            self._sizes.clear()
            self._nodes = fresh
        self._known.setdefault(setting, []).append(expansion)
        self._sizes[id(expansion.emitted)] = 0

    def size(self, value: JsonValue) -> int:
        """Return the bytes of `value` in compact JSON, measuring what is kept once."""
        known = self._sizes.get(id(value))
        if known:
            return known
        found = self._size(value)
        if known is not None:
            self._sizes[id(value)] = found
        return found

    def _size(self, value: JsonValue) -> int:
        if isinstance(value, dict) and value:
            return 1 + sum(len(compact(key)) + 2 + self.size(member) for key, member in value.items())
        if isinstance(value, list) and value:
            return 1 + sum(1 + self.size(member) for member in value)
        return len(compact(value))
