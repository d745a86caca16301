# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Step of a call that runs a program which the model wrote. The sandbox is loaded when the first program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.wire_formats import Result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Tool


def run(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that runs the program of a call, whose tool calls this server makes."""

    async def step(call: CallUnderWay) -> None:
        try:
            from .program_runs import of_server  # imported late: some platforms cannot load the sandbox

            runs = services.lasting.once(of_server)
        except ImportError:
            told = f"{tool.name} was not called. The sandbox for programs cannot be loaded on this machine."
            call.result = Result.error(told)
            return
        around = services.calls, services.catalog, services.settings.sizes.shown
        call.result = await runs.answer(tool.name, str(call.arguments["code"]), around, call.dialogue, call.ask)

    return step
