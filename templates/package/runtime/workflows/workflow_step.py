# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Steps of a call that runs a workflow: ask the user for the whole, then run its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..questions import consent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Catalog, Tool

PREFIX = "workflow."
"""Prefix of the `requestState` of a workflow that waits. Its user has confirmed the whole before, if that was needed."""


def confirm(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that lets the user confirm the whole workflow, with the list of the writes that may happen."""
    about = "\n".join(["It may make these calls:", *writes(services.catalog, tool)]), ""

    async def step(call: CallUnderWay) -> None:
        if not (call.dialogue.state or "").startswith(PREFIX):
            call.result = await services.once(consent.of_server).obtain(call, about)

    return step


def run(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that runs the steps of a workflow, whose calls this server makes."""

    async def step(call: CallUnderWay) -> None:
        from .execution import answer  # imported late: needed when the first workflow runs

        call.result = await answer(services, call)

    return step


def writes(catalog: Catalog, tool: Tool) -> list[str]:
    """Return a line for each write that a workflow may make, also in workflows that it calls."""
    return list(dict.fromkeys(_writes(catalog, tool)))


def _writes(catalog: Catalog, tool: Tool) -> Iterator[str]:
    for step in tool.binding["workflow"]["steps"]:
        for name in (step["tool"], *([step["undo"]["tool"]] if "undo" in step else [])):
            inner = catalog.tool(name)
            if "workflow" in inner.binding:
                yield from _writes(catalog, inner)
            elif catalog.writes(name):
                many = f", for each of at most {step['each']['most']} items" if "each" in step else ""
                undoes = " to undo a step that was done" if name != step["tool"] else ""
                yield f"{inner.title or name} ({catalog.request_of(name) or name}){many if not undoes else undoes}"
