"""Derive the names that FastMCP 2.8 and later gives to tools. awslabs.openapi-mcp-server gives the same names, because
it calls FastMCP.

The rules come from `fastmcp/server/openapi/server.py` of 2.14.7 and `fastmcp/server/providers/openapi/provider.py` of
3.4.10.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from mcpgen.adopt.foreign import Component
from mcpgen.adopt.operations import RawOperation

LONGEST = 56


def assign(
    operations: Iterable[RawOperation], renames: Mapping[str, str], component: Callable[[RawOperation], Component]
) -> list[tuple[RawOperation, Component, str]]:
    """Return each operation with its kind of component (tool, resource, …) and a name that is unique within this kind.

    If a name is taken, a number is appended, counted in the order of the document.
    """
    used: dict[Component, Counter[str]] = {}
    found = []
    for operation in operations:
        kind = component(operation)
        name = _name(operation, renames)
        counts = used.setdefault(kind, Counter())
        counts[name] += 1
        found.append((operation, kind, name if counts[name] == 1 else f"{name}_{counts[name]}"))
    return found


def _name(operation: RawOperation, renames: Mapping[str, str]) -> str:
    if operation.id:
        name = renames.get(operation.id) or operation.id.split("__")[0]
    else:
        name = operation.summary or f"{operation.method}_{operation.path}"
    return _slug(name)[:LONGEST]


def _slug(text: str) -> str:
    slug = re.sub(r"[^a-zA-Z0-9_]", "", re.sub(r"[\s\-\.]+", "_", text))
    return re.sub(r"_+", "_", slug).strip("_")
