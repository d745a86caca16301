"""Where an id comes from: the tool that lists what a path parameter picks one of.

`/repos/{owner}/issues/{number}` picks one of what `GET /repos/{owner}/issues` lists. Models that are told so ask for an
id instead of making one up.
"""

import re
from collections.abc import Iterable, Mapping

from mcpgen.model import Operation

_VARIABLE = re.compile(r"\{[^{}]*\}")
_LISTING = ("", "/search")


def of_parameters(operations: Iterable[Operation], names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Operation key → path parameter → the name of the tool that lists its values. `names` are by operation key."""
    listings = {_blank(operation.path): operation for operation in operations if operation.method == "GET"}
    return {operation.key: dict(_of(operation, listings, names)) for operation in operations}


def _of(operation: Operation, listings: Mapping[str, Operation], names: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for variable in _VARIABLE.finditer(operation.path):
        before, after = operation.path[: variable.start()], operation.path[variable.end() :]
        collection = before.rstrip("/")
        if not before.endswith("/") or collection.endswith("}") or (after and after[0] not in "/:#?"):
            continue
        for ending in _LISTING:
            listing = listings.get(_blank(collection + ending))
            if collection and listing is not None and listing.key != operation.key and not listing.deprecated:
                yield variable[0][1:-1], names[listing.key]
                break


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path)
