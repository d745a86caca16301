"""Read `result:` of a tool or an override: which parts of a successful response are returned."""

from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.model import Link, ResultView
from mcpgen.read.toolsfile import blocks, conditions
from mcpgen.read.toolsfile.pointers import is_pointer
from mcpgen.read.toolsfile.pointers import text as text_of


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> ResultView | None:
    """Return the `result` of `entry` (a tool or an override), or None if `entry` has none.

    A later pass checks that the arguments and resources named in `result` exist.
    """
    found = entry.get("result")
    if not isinstance(found, dict) or not found:
        return None
    place = where.inside("result")
    text = found.get("text")
    if isinstance(text, str) and entry.get("fields") is True:
        message = (
            "A tool whose result is a `text` cannot have `fields`, because `text` already says which parts are shown."
        )
        diagnostics.add("invalid-value", message, where.inside("fields"), "Leave out either `text` or `fields`.")
    return ResultView(
        place,
        conditions.read(found, "failed", place, diagnostics),
        False,
        tuple(_pointers(as_list(found.get("remove")), place.inside("remove"), diagnostics)),
        _selected(found.get("select"), place.inside("select"), diagnostics),
        text_of(text, place.inside("text"), diagnostics) if isinstance(text, str) else None,
        tuple(_links(as_list(found.get("links")), place.inside("links"), diagnostics)),
        tuple(blocks.read(as_list(found.get("blocks")), place.inside("blocks"), diagnostics)),
    )


def _pointers(values: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[str]:
    for index, value in enumerate(values):
        if isinstance(value, str) and is_pointer(value, where.inside(index), diagnostics):
            yield value


def _selected(value: JsonValue, where: Where, diagnostics: Diagnostics) -> str | dict[str, str] | None:
    if isinstance(value, str):
        return value if is_pointer(value, where, diagnostics) else None
    found = {
        name: pointer
        for name, pointer in as_object(value).items()
        if isinstance(pointer, str) and is_pointer(pointer, where.inside(name), diagnostics)
    }
    return found or None


def _links(values: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[Link]:
    found = (blocks.link(as_object(value), where.inside(index), diagnostics) for index, value in enumerate(values))
    return (link for link in found if link is not None)
