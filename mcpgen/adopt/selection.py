"""Decide which operations are tools of an existing MCP server that mcpgen did not make, and under which names.

The names of FastMCP follow `fastmcp/server/openapi/server.py` of 2.14.7 and
`fastmcp/server/providers/openapi/provider.py` of 3.4.10. awslabs.openapi-mcp-server gives the same names, because it
calls FastMCP.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.adopt import operations
from mcpgen.adopt.foreign import Component, Described, ForeignServer, Remark, Route
from mcpgen.adopt.operations import RawOperation
from mcpgen.adopt.programs import generator, ivotoby
from mcpgen.base.names import clipped
from mcpgen.lower.schema import patterns

_LONGEST_OF_FASTMCP = 56


@dataclass(frozen=True, slots=True)
class Served:
    """An operation that the existing MCP server offers as a tool or resource (`component`), and the names of this tool
    or resource.
    """

    operation: RawOperation
    component: Component
    name: str
    aliases: tuple[str, ...] = ()


def served(
    server: ForeignServer, described: Described, found: Sequence[RawOperation], remarks: list[Remark]
) -> list[Served]:
    """Return those operations of a document that `server`, an existing MCP server, offers as tools or resources."""
    match server.program:
        case "openapi-mcp-generator":
            return list(_of_generator(server, found))
        case "ivotoby":
            return list(_of_ivotoby(server, found))
        case _:
            return list(_of_fastmcp(server, described, found, remarks))


def _of_generator(server: ForeignServer, found: Sequence[RawOperation]) -> Iterator[Served]:
    included = [each for each in found if (server.filters.by_default if each.allowed is None else each.allowed)]
    former = {each.request: name for each, name in generator.assign_former(included)}
    for operation, name in generator.assign(included, server.naming.longest):
        before = former[operation.request]
        yield Served(operation, "tool", name, () if before == name else (before,))


def _of_ivotoby(server: ForeignServer, found: Sequence[RawOperation]) -> Iterator[Served]:
    ordered = operations.in_written_order(found)
    names: set[str] = set()
    for operation, key, name in ivotoby.assign(ordered, abbreviates=server.naming.abbreviates):
        if _is_offered(server, operation, key, name):
            # if two tools have the same name, a client can call the second only by its tool id (`ivotoby.tool_id`)
            yield Served(operation, "tool", key if name in names else name)
            names.add(name)


def _is_offered(server: ForeignServer, operation: RawOperation, key: str, name: str) -> bool:
    wanted = server.filters
    tags = {tag.lower() for tag in operation.tags}
    if tags & wanted.exclude_tags:
        return False
    if wanted.tools is not None:
        return bool({key.lower(), name.lower()} & wanted.tools)
    return (
        (wanted.methods is None or operation.method.lower() in wanted.methods)
        and (wanted.resources is None or ivotoby.resource(operation).lower() in wanted.resources)
        and (wanted.include_tags is None or bool(tags & wanted.include_tags))
    )


def _of_fastmcp(
    server: ForeignServer, described: Described, found: Sequence[RawOperation], remarks: list[Remark]
) -> Iterator[Served]:
    searches = [(route, _search(route, described, remarks)) for route in described.routes]

    def route_of(operation: RawOperation) -> Route:
        fitting = (route for route, search in searches if search is not None and _fits(route, search, operation))
        return next(fitting, Route("tool"))

    wanted = server.filters
    for operation, component, name in fastmcp_names(found, described.renames, lambda each: route_of(each).component):
        tags = {*operation.tags, *route_of(operation).adds, *described.tags}
        shown = (wanted.include_tags is None or bool(tags & wanted.include_tags)) and not tags & wanted.exclude_tags
        if component != "none" and shown and name not in wanted.removed:
            yield Served(operation, component, name)


def _fits(route: Route, search: Callable[[str], bool], operation: RawOperation) -> bool:
    return (
        (not route.methods or operation.method in route.methods)
        and search(operation.path)
        and route.tags <= set(operation.tags)
    )


def _search(route: Route, described: Described, remarks: list[Remark]) -> Callable[[str], bool] | None:
    """Return a function that searches a path for the pattern of a route map in linear time. If the pattern is
    invalid or too slow, add a remark to `remarks` and return None.
    """
    pattern = route.pattern
    if pattern in ("", ".*", r"^.*$", "^.*"):
        return lambda path: True
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        pattern = ""
    if pattern and patterns.is_linear(pattern):
        return lambda path: patterns.matches(pattern, path)
    said = f"The pattern '{clipped(route.pattern)}' of a route map is invalid or too slow; the route map was left out."
    remarks.append(Remark(said, described.where))
    return None


# -- names of FastMCP --------------------------------------------------------------------------------------------------


def fastmcp_names(
    operations: Iterable[RawOperation], renames: Mapping[str, str], component: Callable[[RawOperation], Component]
) -> list[tuple[RawOperation, Component, str]]:
    """Return each operation with its kind of component (tool, resource, …) and a name that is unique within this kind.

    If a name is taken, a number is appended, counted in the order of the document.
    """
    used: dict[Component, Counter[str]] = {}
    found = []
    for operation in operations:
        kind = component(operation)
        name = _fastmcp_name(operation, renames)
        counts = used.setdefault(kind, Counter())
        counts[name] += 1
        found.append((operation, kind, name if counts[name] == 1 else f"{name}_{counts[name]}"))
    return found


def _fastmcp_name(operation: RawOperation, renames: Mapping[str, str]) -> str:
    if operation.id:
        name = renames.get(operation.id) or operation.id.split("__")[0]
    else:
        name = operation.summary or f"{operation.method}_{operation.path}"
    return _fastmcp_slug(name)[:_LONGEST_OF_FASTMCP]


def _fastmcp_slug(text: str) -> str:
    slug = re.sub(r"[^a-zA-Z0-9_]", "", re.sub(r"[\s\-\.]+", "_", text))
    return re.sub(r"_+", "_", slug).strip("_")
