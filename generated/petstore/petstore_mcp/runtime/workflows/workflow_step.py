# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Steps of a call that runs a workflow: ask the user for the whole, then run its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..inner_calls.inner_calls import check_offered
from ..questions import consent
from .workflow_record import PREFIX

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Catalog, Tool
    from ..tables.workflow import WorkflowStep


def confirm(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that lets the user confirm the whole workflow, with the list of the writes that may happen.

    Before the question, it raises NotReady if the caller may not call a tool that the workflow calls.
    """
    is_each = tool.binding["workflow"].get("consent") == "each"  # then the calls of its steps ask

    async def step(call: CallUnderWay) -> None:
        about = "\n".join(["It may make these calls:", *writes(services.catalog, tool)]), ""
        if not (is_each or (call.dialogue.state or "").startswith(PREFIX)):
            call.result = await services.once(consent.of_server).obtain(call, about)

    return step


def run(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that runs the steps of a workflow, whose calls this server makes."""

    async def step(call: CallUnderWay) -> None:
        from .workflow_runs import answer  # imported late: needed when the first workflow runs

        call.result = await answer(services, call)

    return step


def explained(catalog: Catalog, tool: Tool) -> str:
    """Return the sentence that tells the operator what a workflow calls, in the order of its steps."""
    calls = [f"{step['id']}: {step['tool']}" for step in tool.binding["workflow"]["steps"]]
    asked = writes(catalog, tool) if "confirm" in tool.binding else []
    return f"It sends nothing itself. Its steps are {', '.join(calls)}." + (
        f" The user is asked about {'; '.join(asked)}." if asked else ""
    )


def writes(catalog: Catalog, tool: Tool) -> list[str]:
    """Return a line for each write that a workflow may make, also in workflows that it calls.

    Raise NotReady if the caller may not call one of the tools.
    """
    return list(dict.fromkeys(_writes(catalog, tool)))


def _writes(catalog: Catalog, tool: Tool) -> Iterator[str]:
    for step in tool.binding["workflow"]["steps"]:
        for name, more in _called(step):
            check_offered(name, catalog)
            inner = catalog.tool(name)
            if "workflow" in inner.binding:
                yield from _writes(catalog, inner)
            elif catalog.writes(name):
                yield f"{inner.title or name} ({catalog.request_of(name) or name}){more}"


def _called(step: WorkflowStep) -> Iterator[tuple[str, str]]:
    """Yield the name of each tool that a step may call, and when or how often it calls the tool."""
    yield step["tool"], f", for each of at most {step['each']['most']} items" if "each" in step else ""
    if "undo" in step:
        yield step["undo"]["tool"], " to undo a step that was done"
    for action in (*step.get("onSuccess", ()), *step.get("onFailure", ())):
        if "tool" in action:
            yield action["tool"], f" after the step {step['id']}"
