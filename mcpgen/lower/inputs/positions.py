"""Lay out multipart bodies whose parts have positions: a list is one argument, and each of its items is a part (OpenAPI
3.2, 4.14.5).
"""

from collections.abc import Iterator, Sequence

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.names import argument_name
from mcpgen.lower.inputs.slots import WHOLE, Input, part_slot
from mcpgen.lower.schema.compose import Composer, types
from mcpgen.lower.schema.portable import FILE_NOTE
from mcpgen.lower.text.prose import ended
from mcpgen.model import ITEMS, MediaType, PartKind


def has_positions(node: JsonObject, media_type: MediaType, is_object: bool) -> bool:
    """Return True if the parts of a multipart body have positions, since its schema is a list.

    The parts of a form need names, so the document must declare a header field with the name for each position.
    """
    if types(node) != ["array"] and (is_object or node.keys().isdisjoint(("items", "prefixItems"))):
        return False
    if media_type.name.partition(";")[0].strip().lower() != "multipart/form-data":
        return True
    declared = [{header.name.lower() for header in each.headers} for each in media_type.encoding.values()]
    return bool(declared) and all("content-disposition" in names for names in declared)


def positions(media_type: MediaType, composer: Composer) -> list[tuple[str, JsonObject]]:
    """Return the key in `MediaType.encoding` and the schema of each part. The last one is for all further items."""
    node, _ = composer.node(media_type.schema or {})
    items, prefix = as_object(node.get("items")), [*map(as_object, as_list(node.get("prefixItems")))]
    encoded = sum(key.isdigit() for key in media_type.encoding)
    prefix += [items] * (encoded - len(prefix))
    return [*((str(at), schema) for at, schema in enumerate(prefix)), (ITEMS, items)]


def inputs(
    media_type: MediaType, kinds: Sequence[PartKind | None], is_needed: bool, description: str, composer: Composer
) -> Iterator[Input]:
    """Yield the input for the list, and the inputs for header fields of its parts. `kinds`: those of the `positions`.

    A field of the last position, which is for all further items, takes a list: a value for each of these items.
    """
    schema: JsonObject = {"type": "array", **(media_type.schema or {})}
    yield Input(WHOLE, "body", schema, is_needed, f"{ended(description)} {_items(kinds)}".strip())
    fewest = composer.node(media_type.schema or {})[0].get("minItems")
    for at, (key, _) in enumerate(positions(media_type, composer)):
        is_sent = is_needed and isinstance(fewest, int) and at < fewest
        start, of = f"item_{at + 1}", f"item {at + 1}"
        if key == ITEMS:
            start, of = "items", f"each item{f' after item {at}' if at else ''}, in order"
        for header in media_type.headers_of(key):
            is_list = key == ITEMS and composer.only_value(header.schema) is None
            given: JsonObject = {"type": "array", "items": header.schema} if is_list else header.schema
            words = f"{ended(header.description)} The header field {header.name} of {of}.".strip()
            wanted = argument_name(f"{start}_{header.name.lower()}")
            yield Input(part_slot(key, header), wanted, given, is_sent and header.required, words)


def _items(kinds: Sequence[PartKind | None]) -> str:
    """Return sentences about a list whose items are parts of the body: which of them are files."""
    files = [f"Item {at + 1}" for at, kind in enumerate(kinds[:-1]) if kind == "file"]
    if kinds[-1] == "file":
        files.append("Each item" if len(kinds) == 1 else "Each further item")
    told = f" {', '.join(files)} is a file: {FILE_NOTE[0].lower()}{FILE_NOTE[1:]}" if files else ""
    return f"Each item is a part of the body.{told}"
