# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Steps of calls in which the user's hooks take part (see `calls/steps.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..calls.plain_call import sentence
from ..core import spans
from ..core.wire_formats import Result
from ..request.argument_errors import HookFailed, Refuse, Unanswered
from ..settings.credential_env import SHORTEST_REDACTED
from .hook_questions import HookQuestions
from .hook_runner import Hooks, withheld

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..request.request import Request

    Step = Callable[[CallUnderWay], Awaitable[None]]


def questions(services: Services, tool: Tool) -> Step:
    """Return the step from which on the hooks of the call may ask the user."""

    async def step(call: CallUnderWay) -> None:
        await HookQuestions(call, call.arguments, services.lasting.states, services.lasting.redactor).open()

    return _answered(step)


def before(services: Services, tool: Tool) -> Step:
    """Return the step that runs the `before_` hooks, which may change the arguments."""
    hooks = _hooks(services)

    async def step(call: CallUnderWay) -> None:
        call.arguments = await hooks.before(tool.name, call.arguments, call.budget)

    return _answered(step)


def request(services: Services, tool: Tool) -> Step:
    """Return the step that runs the `request_` hooks, which may change the request."""
    hooks = _hooks(services)

    async def step(call: CallUnderWay) -> None:
        assert call.ready is not None
        built = call.ready.request
        call.ready.request = hooked = await hooks.request(tool.name, built, call.budget)
        if hooked is not built:
            call.ready.private = _private(hooked)

    return _answered(step)


def instead(services: Services, tool: Tool) -> Step:
    """Return the step that runs the `instead_of_` hook in place of the request."""
    hooks = _hooks(services)

    async def step(call: CallUnderWay) -> None:
        if not spans.act():
            raise Refuse("The server was stopped.")
        result = await hooks.instead(tool.name, call.arguments, call.budget)
        _asker(call).close()
        call.result, call.done = result, f"{hooks.replacing(tool.name)} had answered the call."

    return _answered(step)


def close(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step from which on hooks may not ask. It raises HookFailed if they did not ask again all questions to
    which the client has brought answers.
    """

    def step(call: CallUnderWay) -> None:
        _asker(call).close()

    return step


def after(services: Services, tool: Tool) -> Step:
    """Return the step that runs the `after_` hooks, which may change the result."""
    hooks = _hooks(services)

    async def step(call: CallUnderWay) -> None:
        assert call.result is not None
        done = call.done
        if not done and call.answer is not None and call.sent is not None:
            from ..result import failures  # imported late: few servers have hooks on results

            done = failures.answered(call.answer, call.sent)
        try:
            call.result = await hooks.after(tool.name, call.result, call.budget, done)
        except HookFailed as failed:
            call.result = Result.error(withheld(tool.name, str(failed), done) if done else sentence(tool.name, failed))

    return step


def _hooks(services: Services) -> Hooks:
    hooks = services.preparation.hooks
    assert isinstance(hooks, Hooks), "steps.py asks for these steps only if hooks.py has hooks"
    return hooks


def _asker(call: CallUnderWay) -> HookQuestions:
    asker = call.askers[-1]
    assert isinstance(asker, HookQuestions)
    return asker


def _answered(step: Step) -> Step:
    """Return a step that runs `step`. If a question to the user gets no answer in it, the call ends with a result that
    says so.
    """

    async def run(call: CallUnderWay) -> None:
        try:
            await step(call)
        except Unanswered as ended:
            call.result = _asker(call).unanswered(ended)

    return run


def _private(built: Request) -> list[str]:
    """Return the credentials that hooks have written into the Authorization header field of a request. The server's own
    credentials are attached later.
    """
    values = [value for name, value in built.headers if name.lower() == "authorization"]
    parts = [part for value in values for part in (value, value.rpartition(" ")[2])]
    return [part for part in parts if len(part) >= SHORTEST_REDACTED]
