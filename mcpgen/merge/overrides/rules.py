"""Apply overrides whose key matches several operations: a selector, or a glob over requests, ids and tool names.

If several overrides match an operation, the most specific wins. A single name is most specific, then a glob over a
request, an id or a name, then a selector. Among keys of one kind, the key with more literal characters wins.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from mcpgen.model import Change, Operation, selection
from mcpgen.model.selection import Selector

_WILD = re.compile(r"[*?\[]")
_REQUEST = re.compile(r"(\*|[A-Za-z-]+)\s+(/.*|\*)")
_SELECTOR, _GLOB = 1, 2


@dataclass(frozen=True, slots=True)
class Rule:
    """An override that applies to every operation that its key matches. An override with a greater `weight` is more
    specific and wins.
    """

    change: Change
    weight: tuple[int, int]
    selector: Selector | None = None

    def fits(self, operation: Operation, tool: str) -> bool:
        """Return True if the override's key matches `operation`, whose tool is named `tool`."""
        if self.selector is not None:
            return self.selector.selects(operation)
        key = self.change.key.strip()
        if request := _REQUEST.fullmatch(key):
            method, path = request[1].upper(), request[2]
            return fnmatchcase(operation.method, method) and fnmatchcase(operation.path, path)
        return fnmatchcase(operation.id or "", key) or fnmatchcase(tool, key)


def rule_of(change: Change) -> Rule | None:
    """Return an override as a rule for all operations that its key selects, or None if its key names one operation."""
    key = change.key.strip()
    literal = len(_WILD.sub("", key))
    try:
        return Rule(change, (_SELECTOR, literal), selection.parse(key))
    except ValueError:
        return Rule(change, (_GLOB if literal else 0, literal)) if _WILD.search(key) else None


def as_rule(change: Change) -> Change:
    """Return the override as it is applied to one operation that a rule matches.

    A rule sets no name and no aliases, and skips arguments that an operation does not have.
    """
    arguments = {name: replace(each, by_rule=True) for name, each in change.arguments.items()}
    return replace(change, name=None, aliases={}, arguments=arguments)


# An owner can set `hide: true` for a group of operations, and `hide: false` at one of them.
def by_operation(
    rules: list[Rule], operations: Mapping[str, Operation], tools: Mapping[str, str]
) -> dict[str, list[Change]]:
    """Return operation key → overrides that match it, the least specific first. `tools`: operation key → tool name."""
    ordered = sorted(rules, key=lambda each: each.weight)
    return {
        key: [each.change for each in ordered if each.fits(operation, tools.get(key, ""))]
        for key, operation in operations.items()
    }
