"""What was promised of tools: names that agents, prompts and permissions know, and what tells a tool again.

A promise is made to an operation, by its key. It is kept by `lower`, recorded by `lock`, and taken along by
`regenerate` where the operation moved.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Slot = tuple[str, str]
"""Where the value of an argument goes: the place in a request and the wire name there."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What one tool is known by: its `name`, and the argument of each slot. A person may have named either in a tools
    file (`by_hand`, `renamed`): that holds as long as it is written there.

    The operation is told again by `id`, by `shape` (the request, under any prefix) and by `words` (what the document
    says of it); empty where it has none. `surface` is a digest of all that clients see and of what is sent. `former`
    are arguments that it had once, and, in the place `given`, names by which a person means one. `constants` are the
    path parameters that are no arguments, because each has one value.
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
        """The names of its path parameters, sorted."""
        asked = (wire for place, wire in {**self.arguments, **self.renamed} if place == "path")
        return tuple(sorted({*asked, *self.constants}))

    @property
    def known(self) -> frozenset[str]:
        """What its arguments are called, here and in requests, and were called before."""
        slots = (*self.arguments.items(), *self.renamed.items(), *self.former.items())
        return frozenset(text for (_, wire), name in slots for text in (wire, name) if text)


@dataclass(frozen=True, slots=True)
class Retired:
    """A name that is no longer in use, or by another tool because a person said so, kept for the operation that had it:
    its key, and its id. It had the name from a person, and can do without it, if that was given `by_hand`.
    """

    operation: str
    id: str = ""
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Promises:
    """Operation key → what was promised of its tool; and name → what had it, for names that are no longer in use."""

    tools: Mapping[str, Promise] = field(default_factory=dict)
    retired: Mapping[str, Retired] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """Operation key → name."""
        return {key: known.name for key, known in self.tools.items()}

    @property
    def kept(self) -> dict[str, str]:
        """Operation key → the name that it must have. An operation that is not there is free."""
        retired = sorted(self.retired.items(), reverse=True)
        former = {each.operation: name for name, each in retired if not each.by_hand}
        return former | {key: known.name for key, known in self.tools.items() if not known.by_hand}

    @property
    def owners(self) -> dict[str, frozenset[str]]:
        """Name, ignoring case, → the operations that it belongs to; more than one where a person gave it to another."""
        found: dict[str, set[str]] = {}
        for name, key in (
            *((known.name, key) for key, known in self.tools.items()),
            *((name, former.operation) for name, former in self.retired.items()),
        ):
            found.setdefault(name.casefold(), set()).add(key)
        return {name: frozenset(keys) for name, keys in found.items()}

    def moved(self, keys: Mapping[str, str]) -> "Promises":
        """The same where operations are under another key: new key → old key."""
        now = {former: key for key, former in keys.items()}
        tools = {now.get(key, key): known for key, known in self.tools.items()}
        retired = {
            name: replace(former, operation=now.get(former.operation, former.operation))
            for name, former in self.retired.items()
        }
        return Promises(tools, retired)


UNKNOWN = Promise("")
"""Of a tool that was never promised anything."""

NOTHING = Promises()
