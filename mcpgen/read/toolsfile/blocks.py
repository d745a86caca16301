"""Read `blocks:` of a result: several content blocks, each made from a part of the response.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Iterator
from typing import get_args

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.model import BlockKind, Link, Part, ResultBlock
from mcpgen.read.toolsfile import pointers

_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_AUDIENCE = ("user", "assistant")
_TEXTS = ("uri", "name", "title", "description", "mimeType")


def read(values: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[ResultBlock]:
    """Yield the content blocks that `values`, the list at `where`, describes. Report and leave out faulty blocks."""
    for index, value in enumerate(values):
        entry, place = as_object(value), where.inside(index)
        given = [kind for kind in _KINDS if kind in entry]
        if len(given) == 1:
            if (found := _block(given[0], entry, place, diagnostics)) is not None:
                yield found
        elif isinstance(value, dict):
            said = f"both '{given[0]}' and '{given[1]}'" if given else "no content"
            hint = f"Use one of these keys: {', '.join(_KINDS)}."
            diagnostics.add("invalid-value", f"The block has {said}.", place, hint)


def link(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Link | None:
    """Return a link to a resource, or None if it lacks its `uri` or its `name`."""
    if not all(isinstance(entry.get(key), str) for key in ("uri", "name")):
        return None  # invalid link, skipped: schema_check has already reported it
    texts = {key: as_text(entry.get(key)) for key in _TEXTS}
    return Link(*(pointers.text(text, where.inside(key), diagnostics) for key, text in texts.items()))


def _block(kind: BlockKind, entry: JsonObject, where: Where, diagnostics: Diagnostics) -> ResultBlock | None:
    each, pointer = as_text(entry.get("each")), ""
    if each and not pointers.is_pointer(each, where.inside("each"), diagnostics):
        return None
    text: tuple[Part, ...] = ()
    uri, media_type, to = text, text, None
    if kind == "answer" and each:
        message = "A content block of the kind `answer` contains the whole answer, so it cannot have `each`."
        diagnostics.add("invalid-value", message, where.inside("each"), "Leave `each` out.")
        return None
    if kind == "text":
        text = _text(entry, "text", where, diagnostics)
    elif kind in ("image", "audio"):
        pointer = _pointer(entry, kind, where, diagnostics)
    elif kind == "link":
        to = link(as_object(entry["link"]), where.inside("link"), diagnostics)
    elif kind == "resource":
        held, place = as_object(entry["resource"]), where.inside("resource")
        if ("text" in held) == ("blob" in held):
            said = "both a text and a blob" if "text" in held else "neither a text nor a blob"
            diagnostics.add("invalid-value", f"The resource has {said}.", place, "Write either 'text' or 'blob'.")
            return None
        uri, media_type, text = (_text(held, key, place, diagnostics) for key in ("uri", "mimeType", "text"))
        pointer = _pointer(held, "blob", place, diagnostics) if "blob" in held else ""
    if not (kind == "answer" or text or pointer or to) or (kind == "resource" and not uri):
        return None  # schema_check, or the function that reads the invalid member, has reported the error
    told, at = as_object(entry.get("annotations")), where.inside("annotations")
    priority = told.get("priority")
    return ResultBlock(
        kind,
        each,
        pointer,
        text,
        uri,
        media_type,
        to,
        tuple(str(each) for each in as_list(told.get("audience")) if each in _AUDIENCE),
        priority if isinstance(priority, (int, float)) and 0 <= priority <= 1 else None,
        _text(told, "lastModified", at, diagnostics),
    )


def _text(entry: JsonObject, key: str, where: Where, diagnostics: Diagnostics) -> tuple[Part, ...]:
    return pointers.text(as_text(entry.get(key)), where.inside(key), diagnostics)


def _pointer(entry: JsonObject, key: str, where: Where, diagnostics: Diagnostics) -> str:
    value = as_text(entry[key])
    return value if pointers.is_pointer(value, where.inside(key), diagnostics) else ""
