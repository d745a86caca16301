"""Report names that clients accept, but that the owner of the server may want to choose: names of another script, and
names that are too long behind the prefix of a host.
"""

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import argument_name, clipped, is_readable
from mcpgen.model import Catalog

LONGEST_PREFIXED = 64
"""Longest tool name of common model providers. Hosts such as Claude Code send `mcp__SERVER__TOOL`."""

_SHOWN = 3


def report(catalog: Catalog, diagnostics: Diagnostics) -> None:
    """Add a finding for each kind of name, if `catalog` has such names. Each finding shows a few of them."""
    _report_respelled(catalog, diagnostics)
    _report_long(catalog, diagnostics)


def _report_respelled(catalog: Catalog, diagnostics: Diagnostics) -> None:
    slots = {
        (wire, name): tool.operation.where
        for tool in catalog.tools
        for (_, wire), name in tool.arguments.items()
        if wire and name == argument_name(wire) and not is_readable(wire)
    }
    if not slots:
        return
    shown = ", ".join(f"{name} for {clipped(wire)}" for wire, name in list(slots)[:_SHOWN])
    message = (
        f"{_counted(len(slots), 'argument')} cannot have the name that the API has, because clients accept only ASCII "
        f"letters: {shown}{', …' if len(slots) > _SHOWN else ''}. Descriptions show, and calls accept, the API's name."
    )
    hint = "To choose a name, write `arguments: {NAME: {name: …}}` under `overrides`."
    diagnostics.add("respelled-name", message, next(iter(slots.values())), hint)


def _report_long(catalog: Catalog, diagnostics: Diagnostics) -> None:
    server = catalog.identity.name
    room = LONGEST_PREFIXED - len(f"mcp__{server}__")
    long = [tool for tool in catalog.tools if len(tool.name) > room]
    if not long or catalog.search is not None:
        return
    shown = ", ".join(tool.name for tool in long[:_SHOWN])
    longest = max(len(tool.name) for tool in long)
    message = (
        f"{_counted(len(long), 'tool')} would have more than {LONGEST_PREFIXED} characters with the prefix "
        f"mcp__{server}__, which some hosts add: {shown}{', …' if len(long) > _SHOWN else ''}. Such hosts may "
        "refuse all tools of the server."
    )
    fitting = len(server) + room - longest
    rename = (
        f"Give the server a name of at most {fitting} characters with --name, or rename" if fitting > 0 else "Rename"
    )
    diagnostics.add("long-name", message, long[0].operation.where, f"{rename} the tools under `overrides`.")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
