"""Which tool is which: the same operation, whatever it is called and wherever it went.

By operation (method and path, names of path parameters blanked), then by operationId, then by name, and at last by what
it takes, under another path that ends alike. What could be two is none.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mcpgen.diff.surface import Listed, Surface
from mcpgen.diff.variance import Scope

Identify = Callable[[Listed], str]


@dataclass(frozen=True, slots=True)
class Matching:
    """`pairs` of old and new; what is `gone`, what was `added`."""

    pairs: tuple[tuple[Listed, Listed], ...]
    gone: tuple[Listed, ...]
    added: tuple[Listed, ...]


def match(old: Surface, new: Surface) -> Matching:
    """The tools of both, in pairs as far as they are the same."""
    pairs: list[tuple[Listed, Listed]] = []
    gone, added = list(old.tools), list(new.tools)
    for identify in (_key, _operation_id, _name, _shape):
        before, after = _unique(gone, identify), _unique(added, identify)
        found = [(before[each], after[each]) for each in before if each in after]
        pairs += found
        left = {id(tool) for tool, _ in found}, {id(tool) for _, tool in found}
        gone = [tool for tool in gone if id(tool) not in left[0]]
        added = [tool for tool in added if id(tool) not in left[1]]
    return Matching(tuple(sorted(pairs, key=lambda pair: pair[0].name)), tuple(gone), tuple(added))


def held(old: Surface, new: Surface) -> dict[str, str]:
    """The names that operations of `new` would have if they kept those of `old`, by operation key: what a lock promises
    where it knows of operations that moved.
    """
    return {after.key: before.name for before, after in match(old, new).pairs}


def _key(tool: Listed) -> str:
    return tool.key


def _operation_id(tool: Listed) -> str:
    return tool.operation_id


def _name(tool: Listed) -> str:
    return tool.name


def _shape(tool: Listed) -> str:
    """Method, end of the path and arguments; nothing for a tool without arguments, which is like too many others."""
    if not tool.schema.get("properties"):
        return ""
    ending = tool.path.rstrip("/").rpartition("/")[2]
    return f"{tool.binding.get('method')} {ending} {Scope(tool.schema).text(tool.schema)}"


def _unique(tools: Iterable[Listed], identify: Identify) -> dict[str, Listed]:
    """Identity → tool, without those that share theirs, or have none."""
    found: dict[str, Listed | None] = {}
    for tool in tools:
        identity = identify(tool)
        found[identity] = None if identity in found else tool
    return {identity: tool for identity, tool in found.items() if tool is not None and identity}
