"""Compare two servers from the view of a model that uses their tools, and of an operator who runs them.

Every change has a grade. `breaking`: a call that worked, or code that read a result, may fail. `additive`: something
was added that breaks nothing. `cosmetic`: only people who read texts notice the change.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mcpgen.base.jsonvalue import as_object
from mcpgen.base.work import Budget
from mcpgen.lock import match_operations
from mcpgen.model.pins import Pin
from mcpgen.regenerate.diff.change import GRADES, Change, Difference, Grade, next_version, ordered, release
from mcpgen.regenerate.diff.surface import TABLES, Listed, Surface, of_catalog, of_project, of_tables

_Pairs = list[tuple[Listed, Listed]]


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


__all__ = [
    "GRADES", "TABLES", "Change", "Difference", "Grade", "Surface", "compare", "next_version", "of_catalog",
    "of_project", "of_tables", "release",
]  # fmt: skip


def compare(old: Surface, new: Surface, *, moves: bool = True) -> Difference:
    """Return every change from `old` to `new`.

    `moves`: recognise an operation whose method or path changed. If False, the tool of such an operation counts as
    removed, and a new tool as added.
    """
    # imported here, since these modules are needed only for a comparison
    from mcpgen.regenerate.diff import authorization, objections, rules, server, tools
    from mcpgen.regenerate.diff.variance.scope import PART, RUN  # imported here: only comparisons need it

    matched = _match(old, new, follow=moves)
    schemes = authorization.renamed_schemes(
        as_object(old.header.get("security")), as_object(new.header.get("security"))
    )
    found = server.compared(old, new, list(matched.pairs), schemes)
    found += [rules.of_tool("tool-removed", tool.name, before=tool.request) for tool in matched.gone]
    found += [rules.of_tool("tool-added", tool.name, after=tool.request) for tool in matched.added]
    found += [change for tool in matched.added for change in objections.of_tool(None, tool)]
    budget = Budget(RUN, PART)
    elsewhere = {tool.operation_id: tool for tool in new.tools if tool.operation_id}
    for before, after in matched.pairs:
        now = elsewhere.get(before.operation_id, after)
        found += tools.compared(before, after, schemes, now, budget, guessed=after.key in matched.guessed)
    return ordered(found)


# -- matching of tools -------------------------------------------------------------------------------------------------


# The criteria are in the order of their reliability (docs/decisions/differences.md).
def _match(old: Surface, new: Surface, *, follow: bool = True) -> Matching:
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


def _of_one_key(gone: list[Listed], added: list[Listed]) -> _Pairs:
    return _alike(gone, added, lambda tool: tool.key)


def _moved(gone: list[Listed], added: list[Listed]) -> _Pairs:
    before, after = _unique(gone, lambda tool: tool.key), _unique(added, lambda tool: tool.key)
    found = match_operations.moved(_promises(before), _promises(after))
    return [(before[former], after[key]) for key, former in found.items()]


def _of_one_name(gone: list[Listed], added: list[Listed]) -> _Pairs:
    return _alike(gone, added, lambda tool: tool.name)


def _promises(tools: dict[str, Listed]) -> dict[str, Pin]:
    """Return operation key → pin (stored names of the tool and its arguments), for each tool."""
    return {key: tool.known for key, tool in tools.items()}


def _alike(gone: list[Listed], added: list[Listed], identify: Callable[[Listed], str]) -> _Pairs:
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
