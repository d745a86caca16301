# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run one tool call from its name and arguments to its result: read this file first.

The steps of a call stand in `steps.STEPS`, in their order. Each tool has a plan, which is made when the tool is first
called: the steps that its binding asks for. A plain call has six of them (plain_call.py):

    check the arguments, build the request, choose credentials, send, write the result, redact

The request is sent only after the arguments were checked and the call was confirmed, if that is required. Nothing is
returned without redaction. Any failure on the way is an error result for the model. A call raises only OtherOutcome (a
question to the user, an MCP task or a protocol error) and exceptions from bugs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import log
from ..core.wire_formats import OtherOutcome, Result
from ..request.argument_errors import HookFailed, Refuse, Refused
from ..settings.settings import NotReady
from .plain_call import SILENT, CallUnderWay, sentence, unheard
from .services import Lasting, Services
from .steps import PREPARING, Plan, some

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ..core.catalog import Catalog, Tool
    from ..core.effects import Dialogue, Fetch, GetPrompt, TaskRequest
    from ..core.limits import Budget
    from ..core.wire_formats import Ask, Contents, PromptMessages, Task
    from ..features.resource_versions import Version
    from ..http_server.handles import Handles
    from ..settings.settings import Settings
    from .plain_call import PreparedCall


# A call must not change its meaning while it runs, so reloaded tools get an executor of their own
# (docs/decisions/calls.md).
class ToolExecutor:
    """Executor of tool calls, for one version of the server's tools. Create it inside the event loop that uses it.

    `services`: the objects that the steps of calls share.
    """

    def __init__(
        self, catalog: Catalog, settings: Settings, handles: Handles | None = None, lasting: Lasting | None = None
    ) -> None:
        """Create the executor. `handles`: stores and issuers of ids that calls need only over HTTP, None over stdio.

        `lasting`: what the executor of the former tools has left, or None at the start.
        """
        if lasting is None:
            log.set_level(settings["LOG_LEVEL"])
        self.lasting = lasting or Lasting(catalog, settings, handles)
        self.services = Services(catalog, settings, self.lasting)
        self.services.calls = self
        self.resources, self.names = self.lasting.resources, self.lasting.names
        self._plans: dict[str, Plan] = {}

    def call(
        self,
        name: str,
        arguments: dict[str, Any],
        report: Callable[[str], None],
        dialogue: Dialogue = SILENT,
        ask: Ask | None = None,
    ) -> Coroutine[Any, Any, Result]:
        """Call the tool `name`, which must exist, and return its result.

        `report` is called with "sent", "headers" and "body" when the call has reached these phases. `dialogue`: how the
        client can ask the user. `ask`: function that asks the user while the call waits, None if that is impossible.
        Raise OtherOutcome if the call ends with a question to the user, an MCP task or a protocol error.
        """
        plan = self._plans.get(name) or self.plan(name)
        return self.run(CallUnderWay(plan.tool, arguments, report, dialogue, ask, plan.budget()))

    def plan(self, name: str) -> Plan:
        """Return the plan of the calls of the tool `name`. It is made at its first use."""
        if name not in self._plans:
            self._plans[name] = Plan(self.services, self.services.catalog.tool(name))
        return self._plans[name]

    async def run(self, call: CallUnderWay) -> Result:
        """Run the steps of a call until one of them sets the result, then those that every result goes through.

        Raise OtherOutcome as `call` does.
        """
        plan, redactor = self._plans[call.tool.name], self.lasting.redactor
        after, turn = plan.after, redactor.begin()
        try:
            try:
                try:
                    for step in plan.steps:
                        if (waiting := step(call)) is not None:
                            await waiting
                        if call.result is not None:
                            break
                except OtherOutcome as other:
                    raise call.with_answers(other) from None
            except HookFailed as failed:
                call.result, after = Result.error(sentence(call.tool.name, failed)), ()
            except (Refused, NotReady, Refuse) as reason:
                call.refuse(plan.refusal(call.tool.name, reason))
            finally:
                for asker in call.askers:
                    asker.end()
                if call.answer is not None:
                    self.services.writer.closed(call.answer)
            for step in (*after, *plan.last) if after else plan.last:
                if (waiting := step(call)) is not None:
                    await waiting
        finally:
            redactor.end(turn)  # until here, no secret that the call has learned is forgotten
        assert call.result is not None, "the step `send` or `result` sets it"
        return call.result

    async def finished(self, name: str, result: Result, budget: Budget) -> Result:
        """Run the hooks of the tool `name` on a result, and return the result without secrets."""
        plan = self.plan(name)
        call = CallUnderWay(plan.tool, {}, unheard, SILENT, None, budget)
        call.result = result
        for step in (*plan.after, plan.last[0]):
            if (waiting := step(call)) is not None:
                await waiting
        return call.result

    async def prepared(self, tool: Tool, arguments: dict[str, Any], budget: Budget) -> PreparedCall:
        """Prepare another request of a tool, such as that for the next page of a list.

        Raise one of the exceptions in plain_call.Unmade if the request cannot be made.
        """
        call = CallUnderWay(tool, arguments, unheard, SILENT, None, budget)
        for step in some(self.services, tool, *PREPARING):
            if (waiting := step(call)) is not None:
                await waiting
        assert call.ready is not None
        return call.ready

    @property
    def hooked(self) -> bool:
        """Return True if hooks.py defines hooks, or cannot be loaded."""
        return not self.services.preparation.hooks.idle

    def report(self) -> None:
        """Log the problems of the settings and of hooks.py."""
        for problem in self.services.settings.problems:
            log.event("error", "setting", reason=problem)
        for warning in self.services.settings.warnings:
            log.event("warning", "setting", reason=warning)
        self.services.preparation.hooks.report()

    def following(self, catalog: Catalog, settings: Settings) -> ToolExecutor:
        """Return an executor for a new version of the tools.

        It shares connections, limits, tokens, stored results, confirmations and secrets with this executor.
        """
        after = ToolExecutor(catalog, settings, lasting=self.lasting)
        after.services.preparation.hooks.report()
        for warning in settings.warnings:
            if warning not in self.services.settings.warnings:  # log only new warnings
                log.event("warning", "setting", reason=warning)
        return after

    async def task(self, wanted: TaskRequest) -> Task:
        """Return the answer to a request about an MCP task. No question is put to the user (elicitation).

        Raise wire_formats.OtherOutcome with a protocol error, for example if the task is unknown.
        """
        from ..jobs import task_calls  # imported late: few tools start jobs

        with self.lasting.redactor.during():
            return await self.services.once(task_calls.of_server).answer(wanted)

    async def fetch(self, wanted: Fetch) -> Contents | Result:
        """Fetch a resource from the upstream. Return its contents, or an error result. No hooks run."""
        from ..features import fetching  # imported late: most servers have no resources

        with self.lasting.redactor.during():
            return await fetching.fetched(wanted, self.services)

    async def version(self, wanted: Fetch, before: Version | None) -> Version | None:
        """Return the current version of a polled resource, or None if it cannot be determined."""
        from ..features import resource_versions  # imported late: few resources are polled

        with self.lasting.redactor.during():
            return await resource_versions.fetched(wanted, before, self.services)

    async def get_prompt(self, wanted: GetPrompt, ask: Ask | None) -> PromptMessages:
        """Return the messages of a prompt that asks the user questions. The messages contain the user's answers, and
        may embed resources of the upstream.

        Raise OtherOutcome if the request ends with a question to the user or with a protocol error.
        """
        from ..features import prompt_questions, prompt_resources  # imported late: few prompts ask the user

        wanted.arguments = await prompt_questions.answered(wanted, self.services, ask)
        return await prompt_resources.made(wanted, self.fetch)

    async def bring(self, uri: str) -> None:
        """Copy the result at `uri` from another replica to this replica, if the current client may read it."""
        await self.lasting.bring(uri)

    async def close(self) -> None:
        """Close the connections to the upstream and drop all stored results."""
        await self.lasting.close()
