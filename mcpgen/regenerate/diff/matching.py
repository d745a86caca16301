"""Match the tools of two servers that call the same operation, even if names or paths have changed.

Tools are matched by operation (method and path without parameter names). Then operations with a new method or path are
matched by fingerprint, a digest of their contents. Last, tools are matched by name. An ambiguous match does not count.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mcpgen.lock import match_operations
from mcpgen.model.pins import Pin
from mcpgen.regenerate.diff.surface import Listed, Surface

Pairs = list[tuple[Listed, Listed]]


@dataclass(frozen=True, slots=True)
class Matching:
    """The tools of two servers, matched.

    `pairs`: (tool before, the same tool after). `gone`, `added`: tools without a match. `guessed`: keys of new tools
    whose match rests only on equal descriptions and arguments.
    """

    pairs: tuple[tuple[Listed, Listed], ...]
    gone: tuple[Listed, ...]
    added: tuple[Listed, ...]
    guessed: frozenset[str]


# The criteria are in the order of their reliability (docs/decisions/differences.md).
def match(old: Surface, new: Surface, *, follow: bool = True) -> Matching:
    """Return the matching of the tools of the servers `old` and `new`.

    Without `follow`, operations with a new method or path are not matched.
    """
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


def _promises(tools: dict[str, Listed]) -> dict[str, Pin]:
    """Return operation key → pin (stored names of the tool and its arguments), for each tool."""
    return {key: tool.known for key, tool in tools.items()}


def _alike(gone: list[Listed], added: list[Listed], identify: Callable[[Listed], str]) -> Pairs:
    before, after = _unique(gone, identify), _unique(added, identify)
    return [(before[each], after[each]) for each in before if each in after]


def _unique(tools: Iterable[Listed], identify: Callable[[Listed], str]) -> dict[str, Listed]:
    """Return a dictionary: text that `identify` returns for a tool → tool. Empty texts, and texts of several tools, are
    left out.
    """
    found: dict[str, Listed | None] = {}
    for tool in tools:
        identity = identify(tool)
        found[identity] = None if identity in found else tool
    return {identity: tool for identity, tool in found.items() if tool is not None and identity}
