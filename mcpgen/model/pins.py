"""Data types for the names that tools and arguments had in earlier versions of a project. Agents, prompts and
permissions rely on these names.

A `Pin` holds the names for one operation, which its key identifies. `lower` keeps the names, and `lock` records them.
When an operation moves to another path, `regenerate` gives its pin the new key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Slot = tuple[str, str]
"""Where an argument is sent: (place in the request, parameter name), such as `("query", "per_page")`."""


@dataclass(frozen=True, slots=True)
class Pin:
    """What the lock file records of one tool: names to be kept, and fingerprints that recognise the operation after a
    move.

    A slot is a pair (place in the request, parameter name). `arguments`: slot → derived argument name. `by_hand`: True
    if a person named the tool. `renamed`: slot → argument name given by a person, valid as long as the tools file
    gives this name.

    Fingerprints, "" if missing: `id`, the operationId; `shape`, of the request without a path prefix; `words`, of the
    description. `surface`: digest of all that clients see and of the request.

    `former`: slot → earlier argument name. For each NAME under `arguments` of an override, `former` also has the entry
    `("given", NAME)` → NAME. `constants`: path parameters with a single value, which are no arguments.
    """

    name: str
    arguments: Mapping[Slot, str] = field(default_factory=dict)
    renamed: Mapping[Slot, str] = field(default_factory=dict)
    id: str = ""
    shape: str = ""
    words: str = ""
    surface: str = ""
    by_hand: bool = False
    former: Mapping[Slot, str] = field(default_factory=dict)
    constants: tuple[str, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the names of the path parameters, sorted."""
        asked = (wire for place, wire in {**self.arguments, **self.renamed} if place == "path")
        return tuple(sorted({*asked, *self.constants}))

    @property
    def known(self) -> frozenset[str]:
        """Return all names of the tool's arguments and parameters, present and former."""
        slots = (*self.arguments.items(), *self.renamed.items(), *self.former.items())
        return frozenset(text for (_, wire), name in slots for text in (wire, name) if text)


@dataclass(frozen=True, slots=True)
class Retired:
    """A tool name that is no longer used, but stays reserved for its last `operation`, with the operationId `id`.

    The tool is gone, or a person gave the name to another tool. If the operation comes back, its tool gets the name
    again, unless `by_hand` is True: then a person had chosen the name, and mcpgen derives a new one.
    """

    operation: str
    id: str = ""
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Pins:
    """All names that a project must keep. `tools`: operation key → `Pin`. `retired`: unused name → the operation that
    had the name last.
    """

    tools: Mapping[str, Pin] = field(default_factory=dict)
    retired: Mapping[str, Retired] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """Return operation key → name of its tool."""
        return {key: known.name for key, known in self.tools.items()}

    @property
    def kept(self) -> dict[str, str]:
        """Return operation key → the name that its tool must keep.

        An operation without an entry may get any name.
        """
        retired = sorted(self.retired.items(), reverse=True)
        former = {each.operation: name for name, each in retired if not each.by_hand}
        return former | {key: known.name for key, known in self.tools.items() if not known.by_hand}

    @property
    def owners(self) -> dict[str, frozenset[str]]:
        """Return tool name in case-folded form → keys of the operations that have the name, or had it last.

        There are several keys if a person gave an operation a name that was already recorded for another one.
        """
        found: dict[str, set[str]] = {}
        for name, key in (
            *((known.name, key) for key, known in self.tools.items()),
            *((name, former.operation) for name, former in self.retired.items()),
        ):
            found.setdefault(name.casefold(), set()).add(key)
        return {name: frozenset(keys) for name, keys in found.items()}

    def moved(self, keys: Mapping[str, str]) -> "Pins":
        """Return a copy of these pinned tool names in which old operation keys are replaced by new ones.

        `keys`: new key → old key.
        """
        now = {former: key for key, former in keys.items()}
        tools = {now.get(key, key): known for key, known in self.tools.items()}
        retired = {
            name: replace(former, operation=now.get(former.operation, former.operation))
            for name, former in self.retired.items()
        }
        return Pins(tools, retired)


UNKNOWN = Pin("")
"""Pin of a tool that is new: empty name and fingerprints."""

NOTHING = Pins()
