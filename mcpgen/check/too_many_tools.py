"""Report servers with too many tools for models or clients, and suggest a selection.

Clients cut long lists (Cursor at 40 tools, VS Code at 128), and models choose worse from long lists.
"""

import posixpath
import shlex
from collections import Counter
from collections.abc import Callable

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.model import MOST_SEARCH_TOKENS, Catalog, Operation
from mcpgen.model.selection import select

MANY, TOO_MANY = 40, 100
MANY_TOKENS = 10_000
LONGEST_LIST = 9_900_000
"""Limit on the bytes of the tools array.

Official clients read lines of at most 10 MB, and the answer to `tools/list` is one line. Pagination would not help,
since a model would get the same millions of tokens.
"""

_SHOWN = 12
_TRIED = 60


def report(catalog: Catalog, size: int, tokens: int, diagnostics: Diagnostics) -> None:
    """Report more than MANY tools or MANY_TOKENS, and a tools array that is too long for clients.

    `size`: bytes of the tools array. `tokens`: estimate of what it costs a model.

    For more than TOO_MANY tools the hint contains selectors that keep fewer tools.
    """
    operations = [tool.operation for tool in catalog.tools]
    hint = "Select fewer operations with --include or --exclude."
    if len(operations) > TOO_MANY:
        hint = f"{_counts(operations)} {_line(operations)}".strip()
    hint = f"With --tools search the list takes at most {MOST_SEARCH_TOKENS} tokens instead of about {tokens:,}. {hint}"
    if size > LONGEST_LIST:
        message = (
            f"The list of {len(operations):,} tools takes {size / 1e6:,.1f} MB; clients accept messages of up to 10 MB."
        )
        diagnostics.add("list-too-large", message, hint=hint)
    elif len(operations) > MANY:
        message = f"The server has {len(operations):,} tools, which are too many for models to choose from well."
        diagnostics.add("many-tools", message, hint=hint)
    elif tokens > MANY_TOKENS:
        message = f"The list of {len(operations):,} tools takes about {tokens:,} tokens."
        diagnostics.add("many-tools", message, hint=hint)


def _can_be_typed(selector: str) -> bool:
    """Return True if a selector can be written on a command line without changing its meaning.

    A tag may contain any text, so some selectors cannot.
    """
    _, _, value = selector.partition(":")
    return value.isprintable() and value == value.strip() != "" and "," not in value and not set(value) & set("[]")


def _counts(operations: list[Operation]) -> str:
    counts = Counter(tag for operation in operations for tag in operation.tags)
    if not counts:
        return ""
    shown = ", ".join(f"{clipped(tag)} {count}" for tag, count in counts.most_common(_SHOWN))
    return f"Tools by tag: {shown}{', …' if len(counts) > _SHOWN else ''}."


def _line(operations: list[Operation]) -> str:
    """Return the hint: the `--include` flags of a selection within the limit, or general advice if `few` finds no
    selection.
    """
    total, chosen = few(operations)
    if not chosen:
        return "Select fewer operations with --include or --exclude."
    return f"This keeps {total}: " + " ".join(f"--include {shlex.quote(selector)}" for selector in chosen)


def few(operations: list[Operation]) -> tuple[int, list[str]]:
    """Return the number of tools that the best selection within TOO_MANY keeps, and its selectors; (0, []) if there is
    none.

    It tries tags, then beginnings of paths, last segments of paths, and methods. It stops at the first kind of selector
    that keeps more than half of TOO_MANY.
    """
    shared = len(posixpath.commonpath([operation.path for operation in operations]).rstrip("/")) + 1
    ways: tuple[Callable[[Operation], list[str]], ...] = (
        lambda operation: [f"tag:{tag}" for tag in operation.tags[:1]],
        lambda operation: [f"path:{operation.path[:shared]}{operation.path[shared:].partition('/')[0]}*"],
        lambda operation: [f"path:{operation.path[: shared + 1]}*"],
        lambda operation: [f"path:*/{operation.path.rpartition('/')[2]}"],
        lambda operation: [f"method:{operation.method}"],
    )
    best: tuple[int, list[str]] = (0, [])
    for way in ways:
        groups = Counter(selector for operation in operations for selector in way(operation) if _can_be_typed(selector))
        found = _chosen(operations, groups)
        best = max(best, found, key=lambda each: each[0])
        if best[0] > TOO_MANY // 2:
            break
    return best


def _chosen(operations: list[Operation], groups: Counter[str]) -> tuple[int, list[str]]:
    """Choose selectors greedily, the largest first, while the number of selected tools stays within TOO_MANY.

    Return the number of tools, and the selectors.
    """
    chosen: list[str] = []
    total, left = 0, operations
    for selector, count in groups.most_common(_TRIED):
        if total + count <= TOO_MANY and len(chosen) < _SHOWN:
            more = len(select(left, [selector], ()))
            if total + more <= TOO_MANY:
                chosen.append(selector)
                total, left = total + more, [*select(left, (), [selector])]
    return total, chosen
