"""Read `result:` of a tool or an override: which parts of a successful response are returned."""

from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import clipped
from mcpgen.model import Link, Part, ResultView
from mcpgen.read.toolsfile import templates

_TEXTS = ("uri", "name", "title", "description", "mimeType")


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> ResultView | None:
    """Return the `result` of the tool or override `entry`, or None.

    Whether the arguments and resources exist that it names is checked later.
    """
    found = entry.get("result")
    if not isinstance(found, dict) or not found:
        return None
    place = where.inside("result")
    text = found.get("text")
    if isinstance(text, str) and entry.get("fields") is True:
        message = "A tool whose result is a `text` cannot have `fields`: the text says which parts are shown."
        diagnostics.add("invalid-value", message, where.inside("fields"), "Leave one of the two out.")
    return ResultView(
        place,
        tuple(_pointers(as_list(found.get("remove")), place.inside("remove"), diagnostics)),
        _selected(found.get("select"), place.inside("select"), diagnostics),
        _text(text, place.inside("text"), diagnostics) if isinstance(text, str) else None,
        tuple(_links(as_list(found.get("links")), place.inside("links"), diagnostics)),
    )


def _pointers(values: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[str]:
    for index, value in enumerate(values):
        if isinstance(value, str) and _is_pointer(value, where.inside(index), diagnostics):
            yield value


def _is_pointer(value: str, where: Where, diagnostics: Diagnostics) -> bool:
    """Return True for a JSON Pointer. `schema_check` has already reported texts that do not begin with `/`."""
    if "~" in value.replace("~0", "").replace("~1", ""):
        message = f"'{clipped(value)}' is no JSON Pointer: a ~ in it stands alone."
        diagnostics.add("invalid-value", message, where, "Write ~0 for ~, and ~1 for a / in a name.")
        return False
    return value.startswith("/")


def _selected(value: JsonValue, where: Where, diagnostics: Diagnostics) -> str | dict[str, str] | None:
    if isinstance(value, str):
        return value if _is_pointer(value, where, diagnostics) else None
    found = {
        name: pointer
        for name, pointer in as_object(value).items()
        if isinstance(pointer, str) and _is_pointer(pointer, where.inside(name), diagnostics)
    }
    return found or None


def _text(value: str, where: Where, diagnostics: Diagnostics) -> tuple[Part, ...]:
    parts = templates.text(value, where, diagnostics, pointers=True)
    for pointer in templates.places(parts, "pointer"):
        _is_pointer(pointer, where, diagnostics)
    return parts


def _links(values: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[Link]:
    for index, value in enumerate(values):
        link, place = as_object(value), where.inside(index)
        if not all(isinstance(link.get(key), str) for key in ("uri", "name")):
            continue  # schema_check has reported this error
        texts = {key: str(link.get(key, "")) for key in _TEXTS}
        yield Link(*(_text(text, place.inside(key), diagnostics) for key, text in texts.items()))
