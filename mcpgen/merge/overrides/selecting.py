"""Select the operations of an API by the selectors of a tools file, and remove hidden operations."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.merge.overrides.naming import is_written
from mcpgen.model import Api, Operation, Skipped
from mcpgen.model.selection import Selector, select, selector_of


def chosen(
    api: Api, include: Sequence[Selector], exclude: Sequence[Selector], diagnostics: Diagnostics
) -> tuple[Api, tuple[Operation, ...]]:
    """Return `api` with the operations that the selectors keep, and a tuple of the excluded operations.

    Handwritten tools always stay.
    """
    report_unused(api, (*include, *exclude), diagnostics)
    kept = {operation.key for operation in select(api.operations, include, exclude)}
    kept |= {operation.key for operation in api.operations if is_written(operation)}
    left_out = tuple(operation for operation in api.operations if operation.key not in kept)
    operations = tuple(operation for operation in api.operations if operation.key in kept)
    return replace(api, operations=operations, skipped=select(api.skipped, include, exclude)), left_out


def report_unused(api: Api, selectors: Iterable[str | Selector], diagnostics: Diagnostics) -> None:
    """Report each selector of a tools file or of the command line that selects no operation of `api`."""
    everything: tuple[Operation | Skipped, ...] = (*api.operations, *api.skipped)
    for each in selectors:
        selector = selector_of(each)
        if not any(selector.selects(operation) for operation in everything):
            named = f"The selector '{clipped(each)}'" if isinstance(each, str) else "This selector"
            diagnostics.add("unused-selector", f"{named} selects nothing.", selector.where, _selectable(api))


def _selectable(api: Api) -> str:
    tags = dict.fromkeys(tag for operation in api.operations for tag in operation.tags)
    return (
        f"The tags of the document are {clipped(', '.join(tags), 120)}."
        if tags
        else "Correct the selector, or remove it."
    )


def visible(api: Api, diagnostics: Diagnostics) -> Api:
    """Return `api` without hidden operations. Report operations that the document itself hides."""
    hidden = [operation for operation in api.operations if operation.decided.hidden]
    by_document = [operation for operation in hidden if operation.extension.get("hidden") is True]
    if by_document:
        some = ", ".join(f"{each.method} {each.path}" for each in by_document[:3])
        more = f" and {len(by_document) - 3} more" if len(by_document) > 3 else ""
        message = f"The document marks {some}{more} as hidden."
        diagnostics.add(
            "hidden-operation",
            message,
            by_document[0].where,
            "To make a tool of such an operation, write an override with `hide: false`.",
        )
    return replace(api, operations=tuple(each for each in api.operations if not each.decided.hidden)) if hidden else api
