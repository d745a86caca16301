"""Select the operations that become tools, by selectors such as `tag:X`, `path:GLOB`, `method:M`, `id:GLOB`,
`deprecated`.

An operation is selected if it matches any of several selectors. A selector may have several criteria, joined by `,`; an
operation must match all of them. An exclusion wins over an inclusion.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeVar

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.model import Operation, Skipped

Selectable = Operation | Skipped
Selected = TypeVar("Selected", Operation, Skipped)

DEPRECATED = "deprecated"
HINT = "Write tag:X, path:GLOB, method:M, id:GLOB or deprecated; selectors joined by commas must all match."

_TESTS: dict[str, Callable[[Selectable, str], bool]] = {
    "tag": lambda operation, wanted: wanted.casefold() in (tag.casefold() for tag in operation.tags),
    "path": lambda operation, wanted: fnmatchcase(operation.path, wanted),
    "method": lambda operation, wanted: operation.method == wanted.upper(),
    "id": lambda operation, wanted: operation.id is not None and fnmatchcase(operation.id, wanted),
    DEPRECATED: lambda operation, _: operation.deprecated,
}


@dataclass(frozen=True, slots=True)
class Selector:
    """One selector. `parts`: criteria as pairs (kind, wanted value), all of which must match. `where`: its place in a
    tools file.
    """

    parts: tuple[tuple[str, str], ...]
    where: Where | None = None

    def selects(self, operation: Selectable) -> bool:
        """Return True if `operation` matches every criterion of this selector."""
        return all(_TESTS[kind](operation, wanted) for kind, wanted in self.parts)


def select(
    operations: Iterable[Selected], include: Iterable[str | Selector], exclude: Iterable[str | Selector]
) -> tuple[Selected, ...]:
    """Return the operations that match `include` (all if `include` is empty) and do not match `exclude`.

    Raises FatalError for a text that is no valid selector.
    """
    wanted, unwanted = [*map(selector_of, include)], [*map(selector_of, exclude)]
    return tuple(
        operation
        for operation in operations
        if (not wanted or any(each.selects(operation) for each in wanted))
        and not any(each.selects(operation) for each in unwanted)
    )


def parse(text: str, where: Where | None = None) -> Selector:
    """Parse a selector such as `tag:pets,method:GET`. Raises ValueError if `text` is no valid selector."""
    return Selector(tuple(_part(part.strip()) for part in text.split(",")), where)


def selector_of(selector: str | Selector) -> Selector:
    """Return the selector that a text means. Raises FatalError for a text that is no valid selector."""
    if isinstance(selector, Selector):
        return selector
    try:
        return parse(selector)
    except ValueError:
        raise FatalError("invalid-flag", f"{selector!r} is not a selector.", hint=HINT) from None


def _part(part: str) -> tuple[str, str]:
    kind, colon, wanted = part.partition(":")
    if part != DEPRECATED and (not colon or kind not in _TESTS or kind == DEPRECATED or not wanted):
        raise ValueError(part)
    return kind, wanted
