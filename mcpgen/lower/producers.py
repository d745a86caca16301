"""Where an id comes from: the tool that lists what a path parameter picks one of.

`/repos/{owner}/issues/{number}` picks one of what `GET /repos/{owner}/issues` lists. Models that are told so ask for an
id instead of making one up.
"""

import re
from collections.abc import Container, Iterable, Mapping

from mcpgen.model import Operation

_VARIABLE = re.compile(r"\{[^{}]*\}")
_LISTING = ("", "/search", ".json")


def of_parameters(operations: Iterable[Operation], listed: Container[str]) -> dict[str, dict[str, str]]:
    """Key of an operation → path parameter → key of the operation that lists its values, which is one of `listed`."""
    reading = (each for each in operations if each.method == "GET" and each.key in listed)
    listings = {(each.document, _blank(each.path)): each for each in reading}
    return {operation.key: dict(_of(operation, listings)) for operation in operations}


def _of(operation: Operation, listings: Mapping[tuple[str, str], Operation]) -> Iterable[tuple[str, str]]:
    for variable in _VARIABLE.finditer(operation.path):
        before, after = operation.path[: variable.start()], operation.path[variable.end() :]
        collection = before.rstrip("/")
        if not before.endswith("/") or collection.endswith("}") or (after and after[0] not in "/:#?."):
            continue
        if not _is_picked(operation, variable[0][1:-1]):
            continue
        for ending in _LISTING:
            listing = listings.get((operation.document, _blank(collection + ending)))
            if listing is not None and listing.key != operation.key and _lists(listing, collection + ending):
                yield variable[0][1:-1], listing.key
                break


def _lists(listing: Operation, path: str) -> bool:
    """Whether the answer can be what one picks from: a path that ends in a plural or in a search."""
    last = path.rpartition("/")[2].partition(".")[0]
    return not listing.deprecated and (last == "search" or last.lower().endswith("s"))


def _is_picked(operation: Operation, name: str) -> bool:
    """Whether a parameter is an id, and no value that its schema lists or describes itself."""
    schema = next((each.schema for each in operation.parameters if (each.location, each.name) == ("path", name)), {})
    return not schema.keys() & {"enum", "const"} and not str(schema.get("format")).startswith("date")


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path)
