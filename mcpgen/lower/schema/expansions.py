"""Cache expansions of arguments and named schemas: each is made once in a compile, however many tools show it.

An expansion depends on its place: depth, surrounding schemas, limits. So it is cached with the names that were looked
up among the surrounding schemas, and reused where the same ones of these are present.
"""

from collections.abc import Iterable
from typing import NamedTuple

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.once import Once
from mcpgen.lower.schema.budget import Limits
from mcpgen.lower.schema.patterns import Unshown

_MOST_NODES = 200_000
"""Limit on the nodes of all cached expansions: up to 100 MiB. Published documents of ten megabytes need fewer."""


class Findings(NamedTuple):
    """Findings of composing schemas; `Composer` describes the fields."""

    contradictions: tuple[str, ...] = ()
    missing: tuple[Diagnostic, ...] = ()
    unshown: tuple[Unshown, ...] = ()


NOTHING = Findings()


class Setting(NamedTuple):
    """Everything that an expansion depends on besides the surrounding schemas: the reference, its place, its
    description, and the settings of the writer.
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
    """A schema as it is shown.

    `nodes`: its size. `cuts` and `findings`: what is left out, and what was found. `asked`: schemas that were looked up
    among the surrounding ones; `met`: those that were present. `too_large`: it has at least `nodes` nodes and was not
    finished.
    """

    emitted: JsonObject
    nodes: int
    cuts: tuple[str, ...]
    findings: Findings
    asked: frozenset[str]
    met: frozenset[str]
    too_large: bool = False


class Expansions:
    """Cache of the schemas that one compile has expanded.

    - `large`: key of a schema → whether the schema has members, and what the check of it found.
    - `once`: cache of facts about expanded schemas. It keeps those schemas in memory, so both caches are cleared
      together.
    """

    def __init__(self, once: Once) -> None:
        self._once = once
        self.large: dict[str, tuple[bool, Findings]] = {}
        self._known: dict[Setting, list[Expansion]] = {}
        self._nodes = 0

    def find(self, setting: Setting, trail: Iterable[str], room: int) -> Expansion | None:
        """Return a cached expansion, or None.

        It must have been made with the same setting, and see the same named schemas around it (`trail`). It must have
        fewer than `room` nodes, or be known to be larger.
        """
        for known in self._known.get(setting, ()):
            is_told = known.nodes >= room if known.too_large else known.nodes < room
            if is_told and known.asked.intersection(trail) == known.met:
                return known
        return None

    def keep(self, setting: Setting, expansion: Expansion, fresh: int) -> None:
        """Cache an expansion. `fresh`: its nodes that belong to no other cached expansion."""
        self._nodes += fresh
        if self._nodes > _MOST_NODES:
            self._known.clear()
            self._once.forget()
            self._nodes = fresh
        self._known.setdefault(setting, []).append(expansion)
