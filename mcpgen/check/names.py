"""Check names.

No alias of a tool may be the name or an alias of another tool. The names under `pin` in a tools file must be names of
tools; a server with a tool search always lists these tools, and no other tools of the API. Names that clients accept
are reported if the owner of the server may want to choose others: names of another script, and names that are too long
behind the prefix of a host.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.names import argument_name, clipped, is_readable, nearest
from mcpgen.model import Catalog, ToolSpec
from mcpgen.model.options import MOST_PINNED

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


def unique_aliases(tools: Sequence[ToolSpec], diagnostics: Diagnostics) -> tuple[ToolSpec, ...]:
    """Return `tools` without aliases that are the name or an alias of another tool. Report each removed alias, with its
    place.
    """
    owners = {tool.name: tool.name for tool in tools}
    found = []
    for tool in tools:
        kept = []
        for alias in tool.aliases:
            owner = owners.setdefault(alias, tool.name)
            if owner == tool.name:
                kept.append(alias)
                continue
            message = f"'{alias}' is already a name of {owner}, so it cannot be an alias of {tool.name}."
            diagnostics.add(
                "duplicate-name",
                message,
                tool.operation.decided.aliases.get(alias),
                "Remove the alias, or rename the tool.",
            )
        found.append(replace(tool, aliases=tuple(kept)))
    return tuple(found)


def check_pinned(
    tools: Sequence[ToolSpec], wanted: Iterable[tuple[str, Where]], diagnostics: Diagnostics
) -> tuple[str, ...]:
    """Return the first MOST_PINNED names in `wanted` that are names of tools. Report each unknown name, with its place,
    and report if further tools are left out.
    """
    known = [tool.name for tool in tools]
    found: dict[str, None] = {}
    last: Where | None = None
    for name, where in wanted:
        last = where
        if name in known:
            found[name] = None
        else:
            message = f"No tool is called '{clipped(name)}', so `pin` cannot list it."
            diagnostics.add("unused-selector", message, where, nearest(name, known))
    if len(found) > MOST_PINNED:
        message = (
            f"{len(found)} tools are listed under `pin`; only the first {MOST_PINNED} of them appear in the tool list."
        )
        diagnostics.add("unused-selector", message, last, "Under `pin`, list only tools that nearly every task needs.")
    return tuple(found)[:MOST_PINNED]
