"""Which tool is which: the same operation, whatever it is called and wherever it went.

By operation (method and path, names of path parameters blanked), then, for operations that moved, by what tells them
again (`fingerprint`), and at last by name. What could be two is none.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mcpgen.lock import match_operations
from mcpgen.model.pins import Promise
from mcpgen.regenerate.diff.surface import Listed, Surface

Pairs = list[tuple[Listed, Listed]]


@dataclass(frozen=True, slots=True)
class Matching:
    """`pairs` of old and new; what is `gone`, what was `added`; the keys of pairs that are only `guessed` to be one."""

    pairs: tuple[tuple[Listed, Listed], ...]
    gone: tuple[Listed, ...]
    added: tuple[Listed, ...]
    guessed: frozenset[str]


# Decision 0142: A tool is known by its operation first.
def match(old: Surface, new: Surface, *, follow: bool = True) -> Matching:
    """The tools of both, in pairs as far as they are the same; what is elsewhere is another one unless we `follow`."""
    pairs: list[tuple[Listed, Listed]] = []
    gone, added = list(old.tools), list(new.tools)
    for pairing in (_of_one_key, _moved, _of_one_name) if follow else (_of_one_key, _of_one_name):
        found = pairing(gone, added)
        pairs += found
        left = {id(tool) for tool, _ in found}, {id(tool) for _, tool in found}
        gone = [tool for tool in gone if id(tool) not in left[0]]
        added = [tool for tool in added if id(tool) not in left[1]]
    elsewhere = [((one.key, one.known), (other.key, other.known)) for one, other in pairs if one.key != other.key]
    ordered = sorted(pairs, key=lambda pair: pair[0].name)
    return Matching(tuple(ordered), tuple(gone), tuple(added), frozenset(match_operations.guessed(elsewhere)))


def _of_one_key(gone: list[Listed], added: list[Listed]) -> Pairs:
    return _alike(gone, added, lambda tool: tool.key)


def _moved(gone: list[Listed], added: list[Listed]) -> Pairs:
    before, after = _unique(gone, lambda tool: tool.key), _unique(added, lambda tool: tool.key)
    found = match_operations.moved(_promises(before), _promises(after))
    return [(before[former], after[key]) for key, former in found.items()]


def _of_one_name(gone: list[Listed], added: list[Listed]) -> Pairs:
    return _alike(gone, added, lambda tool: tool.name)


def _promises(tools: dict[str, Listed]) -> dict[str, Promise]:
    """What each is recognised by: what its lock says, or what can be told from the tables."""
    return {key: tool.known for key, tool in tools.items()}


def _alike(gone: list[Listed], added: list[Listed], identify: Callable[[Listed], str]) -> Pairs:
    before, after = _unique(gone, identify), _unique(added, identify)
    return [(before[each], after[each]) for each in before if each in after]


def _unique(tools: Iterable[Listed], identify: Callable[[Listed], str]) -> dict[str, Listed]:
    """Identity → tool, without those that share theirs, or have none."""
    found: dict[str, Listed | None] = {}
    for tool in tools:
        identity = identify(tool)
        found[identity] = None if identity in found else tool
    return {identity: tool for identity, tool in found.items() if tool is not None and identity}
