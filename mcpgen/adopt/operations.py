"""List the operations of a document in the order in which other programs than mcpgen read them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.model import Operation

Known = Mapping[tuple[str, str], Operation]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
"""Methods in the order in which FastMCP and openapi-mcp-generator read them within a path."""


@dataclass(frozen=True, slots=True)
class RawOperation:
    """An operation as its document writes it. `method` is in capitals. `position`: index among the keys of its path
    item.
    """

    path: str
    method: str
    id: str
    summary: str
    tags: tuple[str, ...]
    allowed: JsonValue = None
    position: int = 0

    @property
    def request(self) -> str:
        return f"{self.method} {self.path}"


def listed(document: JsonValue, known: Known) -> tuple[RawOperation, ...]:
    """Return the operations of a document: path by path in the document's order, and within a path in the order of
    METHODS.

    `allowed` is the value of `x-mcp` of the operation, else of its path, else of the document. `known`: operations as
    the compiler reads them, by path and method; used for operations behind a `$ref`.
    """
    root = as_object(document)
    paths = as_object(root.get("paths")).items()
    return tuple(found for path, item in paths for found in _of_path(path, as_object(item), root, known))


def in_written_order(operations: Iterable[RawOperation]) -> tuple[RawOperation, ...]:
    """Return the operations, with those of one path in the order in which the document writes them."""
    first: dict[str, int] = {}
    operations = list(operations)
    for index, each in enumerate(operations):
        first.setdefault(each.path, index)
    return tuple(sorted(operations, key=lambda each: (first[each.path], each.position)))


def _of_path(path: str, item: JsonObject, root: JsonObject, known: Known) -> Iterator[RawOperation]:
    keys = list(item)
    for method in METHODS:
        operation = item.get(method)
        behind = known.get((path, method.upper()))
        if behind is not None and ("$ref" in item or (isinstance(operation, dict) and "$ref" in operation)):
            position = keys.index(method) if method in keys else len(keys)
            yield RawOperation(path, method.upper(), behind.id or "", behind.summary, behind.tags, position=position)
            continue
        if not isinstance(operation, dict):
            continue
        marks = (operation.get("x-mcp"), item.get("x-mcp"), root.get("x-mcp"))
        yield RawOperation(
            path,
            method.upper(),
            as_text(operation.get("operationId")),
            as_text(operation.get("summary")),
            tuple(tag for tag in as_list(operation.get("tags")) if isinstance(tag, str)),
            next((found for found in map(_as_flag, marks) if found is not None), None),
            keys.index(method),
        )


def _as_flag(value: JsonValue) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in ("true", "1", "yes", "on") else False if word in ("false", "0", "no", "off") else None
