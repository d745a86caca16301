"""What earlier generations promised about tools: names that agents, prompts and permissions rely on.

A promise is made to an operation, by its key. `lower` keeps it, `lock` records it, and `regenerate` takes it along
where the operation moved.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Slot = tuple[str, str]
"""Where the value of an argument goes: the place in the request, and the name on the wire."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What is known of one tool: its `name`, the argument of each slot, and marks by which a moved operation is found
    again.

    A person may have named the tool (`by_hand`) or an argument (`renamed`) in a tools file. Such a name holds as long
    as it is written there.

    Marks, empty if missing: `id`; `shape`, a fingerprint of the request without prefix; `words`, a fingerprint of the
    description. `surface`: digest of all that clients see and of what is sent.

    `former`: earlier argument names, and, in the place `given`, names that a person uses for one. `constants`: path
    parameters with a single value, which are no arguments.
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
        """Return the names of its path parameters, sorted."""
        asked = (wire for place, wire in {**self.arguments, **self.renamed} if place == "path")
        return tuple(sorted({*asked, *self.constants}))

    @property
    def known(self) -> frozenset[str]:
        """Return every name of its arguments: in the tool, in requests, and former ones."""
        slots = (*self.arguments.items(), *self.renamed.items(), *self.former.items())
        return frozenset(text for (_, wire), name in slots for text in (wire, name) if text)


@dataclass(frozen=True, slots=True)
class Retired:
    """A name that its tool no longer has, kept for the operation `operation` with this `id`.

    The tool is gone, or a person gave the name to another tool. `by_hand`: a person had given it the name, so the
    operation can do without it.
    """

    operation: str
    id: str = ""
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Promises:
    """Promises by operation key, and names that are no longer in use, name → their last owner."""

    tools: Mapping[str, Promise] = field(default_factory=dict)
    retired: Mapping[str, Retired] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """Return operation key → name."""
        return {key: known.name for key, known in self.tools.items()}

    @property
    def kept(self) -> dict[str, str]:
        """Return operation key → the name that its tool must keep. Missing operations may be named freely."""
        retired = sorted(self.retired.items(), reverse=True)
        former = {each.operation: name for name, each in retired if not each.by_hand}
        return former | {key: known.name for key, known in self.tools.items() if not known.by_hand}

    @property
    def owners(self) -> dict[str, frozenset[str]]:
        """Return name in case-folded form → the operations that own it.

        A name has several owners if a person gave it to another operation.
        """
        found: dict[str, set[str]] = {}
        for name, key in (
            *((known.name, key) for key, known in self.tools.items()),
            *((name, former.operation) for name, former in self.retired.items()),
        ):
            found.setdefault(name.casefold(), set()).add(key)
        return {name: frozenset(keys) for name, keys in found.items()}

    def moved(self, keys: Mapping[str, str]) -> "Promises":
        """Return these promises with moved operations under their new keys. `keys`: new key → old key."""
        now = {former: key for key, former in keys.items()}
        tools = {now.get(key, key): known for key, known in self.tools.items()}
        retired = {
            name: replace(former, operation=now.get(former.operation, former.operation))
            for name, former in self.retired.items()
        }
        return Promises(tools, retired)


UNKNOWN = Promise("")
"""The promise of a tool that was never promised anything."""

NOTHING = Promises()
