"""Express a set of operations as `include` and `exclude` selectors of a tools file, with few selectors."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from mcpgen.model import Operation
from mcpgen.model.selection import Selector, select

Selectors = list[dict[str, str]]


def selectors(
    known: Sequence[Operation], wanted: Sequence[Operation], *, includes: bool
) -> tuple[Selectors, Selectors]:
    """Return the lists of `include` and `exclude` selectors that select exactly the operations `wanted` out of `known`.

    `includes`: True if the server that is adopted lists operations to include. Then `exclude` is empty, so that
    operations added later are left out. Otherwise, and if nothing is wanted, `include` is empty. Selectors by tag are
    preferred, then those by method (only for `include`), then one selector for each operation.
    """
    kept = {operation.key for operation in wanted}
    left_out = [operation for operation in known if operation.key not in kept]
    if not left_out:
        return [], []
    if not kept:  # nothing is wanted, but an empty `include` would select everything: exclude every method
        return [], [{"method": value} for value in _values(known, "method")]
    chosen = wanted if includes else left_out
    for kind in ("tag", "method") if includes else ("tag",):
        found = [{kind: value} for value in _values(chosen, kind)]
        include, exclude = (found, []) if includes else ([], found)
        if len(found) <= len(chosen) and _keys(known, include, exclude) == kept:
            return include, exclude
    return (_single(known, wanted), []) if includes else ([], _single(known, left_out))


def _values(operations: Sequence[Operation], kind: str) -> list[str]:
    """Return values of `kind` (`tag` or `method`) that together select all of `operations`.

    For `tag`, return [] if one of `operations` has no tag.
    """
    if kind == "method":
        return sorted({operation.method for operation in operations})
    if not all(operation.tags for operation in operations):
        return []
    common = Counter(tag for operation in operations for tag in operation.tags)
    return sorted({max(operation.tags, key=lambda tag: common[tag]) for operation in operations})


def _single(known: Sequence[Operation], operations: Sequence[Operation]) -> Selectors:
    ids = Counter(operation.id for operation in known)
    return [
        {"id": _literal(operation.id)}
        if operation.id and ids[operation.id] == 1
        else {"method": operation.method, "path": _literal(operation.path)}
        for operation in operations
    ]


def _literal(text: str) -> str:
    """Return a glob that matches `text` alone."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _keys(known: Sequence[Operation], include: Selectors, exclude: Selectors) -> set[str]:
    """Return the keys of the operations that the selectors choose; an empty set if there are no selectors."""
    if not include and not exclude:
        return set()
    return {operation.key for operation in select(known, list(_made(include)), list(_made(exclude)))}


def _made(found: Selectors) -> Iterator[Selector]:
    return (Selector(tuple(each.items())) for each in found)
