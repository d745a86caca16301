# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the steps of a workflow. Each step is a call of a tool of this server, like any other call: arguments are
checked, hooks run, rate limits apply, and the audit log has a line of its own for it.

A step that fails, and that no action of the workflow follows, ends the workflow: the calls in `undo` are made in
reverse order, and the result is a report. If a step ends with a question to the user, the record of the run is stored,
and the repeated call goes on at this step. So a workflow has no state in this process that its record lacks.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.jsonrpc import dumps
from ..core.limits import Budget
from ..core.wire_formats import ABSENT, Failure, OtherOutcome, Question, Result
from ..inner_calls import inner_calls, kept_runs
from ..questions.consent import GIVEN, not_called
from ..settings.settings import NotReady
from ..text.sanitize import Shortened, brief, written
from .criteria import holds
from .expressions import Scope, TooLarge, Unresolved, build, build_outputs
from .step_calls import LARGEST, StepCall
from .workflow_record import DONE, FAILED, LEFT, LONGEST_ARGUMENTS, PREFIX, UNDONE, UNKNOWN, Record, failure

if TYPE_CHECKING:
    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.effects import Dialogue
    from ..core.wire_formats import Ask, Asked
    from ..tables.workflow import Workflow, WorkflowAction, WorkflowStep

SECONDS = 300.0
"""Seconds that a workflow may take with all calls, unless it says otherwise. Waiting for users does not count."""

UNDO_SECONDS = 60.0
"""Seconds for the calls that undo what was done, after a workflow has failed."""

MOST_CALLS = 200
"""Maximum number of calls that one run of a workflow makes. Retries and the items of a loop count."""

MOST_BYTES = 2 * 1024 * 1024
"""Maximum size in bytes of the outputs that all steps of a run have together, as JSON."""

DEEPEST = 8
"""How many workflows may call each other. The compiler refuses cycles, but a table may have been edited."""

_STAYS = " What its steps did before it asked stays done."


class Stopped(Exception):
    """The workflow cannot go on. The message says why, for a model."""


class Attempt:
    """Outcome of one call of a step. `problem`: why the step failed, or "". `wait`: Retry-After of its answer."""

    __slots__ = ("outputs", "problem", "scope", "wait")

    def __init__(self, scope: Scope, problem: str, outputs: dict[str, Any], wait: int | None = None) -> None:
        self.wait = wait
        self.scope = scope
        self.problem = problem
        self.outputs = outputs


async def answer(services: Services, call: CallUnderWay) -> Result:
    """Run the workflow of a call from its beginning, or from the question at which it waited. Return its result.

    Raise OtherOutcome if the call ends with a question to the user or with a protocol error.
    """
    name, dialogue = call.tool.name, call.dialogue
    runs, span = services.lasting.once(kept_runs.of_server), spans.current() or spans.Span()
    if getattr(call, "depth", 0) >= DEEPEST:
        return Result.error(f"{name} was not called: more than {DEEPEST} workflows call each other.")
    about = ("workflow", name, dumps(call.arguments).decode(), services.catalog.checksum())
    record, is_agreed = Record(), call.consent == GIVEN or span.confirmation == "accept"
    if dialogue.state is not None and dialogue.state.startswith(PREFIX):
        kept, void = await runs.take(dialogue.state.removeprefix(PREFIX))
        if void:
            return not_called(name, void, dialogue.revision, _STAYS)
        try:
            record = Record.read(about, kept)
        except kept_runs.OtherRun:
            return not_called(name, "other", dialogue.revision, _STAYS)
    record.is_agreed = record.is_agreed or is_agreed
    record.run = record.run or _run_of(call)
    running = RunningWorkflow(services, call, record)
    try:
        return await running.result()
    except OtherOutcome as ended:
        asked = ended.outcome
        if not isinstance(asked, Question):
            if isinstance(asked, Failure) and any("arguments" in each for each in record.made):
                return running.failed(asked.sentence)
            raise
        record.state = asked.state
        state = runs.keep(record.written(about))
        log.event("info", "workflow_waits", tool=name, kept=bool(state))
        if not state:
            return running.failed("It holds too many bytes to wait for the user. Let its steps have fewer outputs.")
        raise OtherOutcome(Question(asked.message, PREFIX + state, asked.visit, asked.form)) from None


class RunningWorkflow:
    """Run of a workflow to its end: from its beginning, or from where its record says that it waits."""

    def __init__(self, services: Services, call: CallUnderWay, record: Record) -> None:
        self._services = services
        self._call = call
        self._record = record
        binding = call.tool.binding
        self._workflow: Workflow = binding["workflow"]
        self._steps = self._workflow["steps"]
        self._places = {step["id"]: place for place, step in enumerate(self._steps)}
        self._each = binding.get("confirm", "") if self._workflow.get("consent") == "each" else ""
        names = self._workflow.get("inputs", {})
        given = call.tool.given(call.arguments)
        self._inputs = {names.get(name, name): value for name, value in given.items()}
        self._limit = asyncio.timeout(None)
        self._dialogue = _following(call.dialogue, record.state)

    async def result(self) -> Result:
        """Run the workflow to its end. Raise OtherOutcome if a call of it ends with a question to the user."""
        if not self._record.failed:
            try:
                found: Result = await self._within(self._workflow.get("seconds", SECONDS), self._to_the_end())
                return found
            except Stopped as reason:
                self._record.failed = str(reason)
                self._record.spent = 0.0
        try:
            await self._within(UNDO_SECONDS, self._undone())
        except Stopped as reason:
            self._record.failed = f"{self._record.failed} {reason}"
        return self.failed(self._record.failed)

    def failed(self, reason: str) -> Result:
        """Return the report of the workflow that failed, as an error result."""
        if isinstance(self._call, StepCall):
            self._call.failed = reason, self._record.made
        left = [step for step in self._steps[self._record.place :] if step["id"] not in self._record.steps]
        return Result.error(failure(self._call.tool.name, reason, self._record.made, left))

    async def _within(self, seconds: float, running: Any) -> Any:
        """Return what `running` returns. Raise Stopped if it takes too long."""
        loop = asyncio.get_running_loop()
        since = loop.time() - self._record.spent
        self._limit = limit = asyncio.timeout_at(since + seconds)
        try:
            async with limit:
                return await running
        except TimeoutError:
            if not limit.expired():
                raise
            raise Stopped(f"It took longer than {seconds:g} seconds with its calls.") from None
        finally:
            until = limit.when()
            self._record.spent = 0.0 if until is None else seconds - (until - loop.time())

    async def _to_the_end(self) -> Result:
        """Run the steps, and return the result of the workflow. Raise Stopped if it fails."""
        record = self._record
        while record.place < len(self._steps) and not record.transfer:
            step = self._steps[record.place]
            self._call.report(f"step {record.place + 1} of {len(self._steps)}, {step['id']}")
            try:
                target = await self._follow(step)
            except Unresolved as reason:
                raise Stopped(f"The step {step['id']} could not go on. {reason}") from None
            record.items, record.retries = [], {}
            record.place = target
        if record.transfer:
            return await self._other(record.transfer, "which follows")
        try:
            found = build_outputs(self._workflow.get("outputs", {}), self._scope())
        except TooLarge as reason:
            raise Stopped(f"All steps are done, but there is no result. {reason}") from None
        return self._shown(found)

    # -- one step ------------------------------------------------------------------------------------------------------

    async def _follow(self, step: WorkflowStep) -> int:
        """Run a step, again if it is retried. Return the place of the next step.

        Raise Stopped if the workflow fails, and Unresolved if a value is missing.
        """
        record, scope, after = self._record, self._scope(), self._record.place + 1
        missing = [each for each in step.get("after", ()) if each not in record.steps]
        if missing:
            raise Stopped(f"The step {step['id']} needs {', '.join(missing)}, which did not succeed.")
        if not all(holds(each, scope) for each in step.get("when", ())):
            return after
        items = self._items(step, scope)
        if not items:
            record.steps[step["id"]] = {name: [] for name in step.get("outputs", {})}
            return after
        while len(record.items) < len(items):
            await self._before_retry()
            attempt = await self._attempt(step, items[len(record.items)])
            if not attempt.problem:
                record.items.append(attempt.outputs)
                record.retries = {}
                if len(record.items) < len(items):
                    continue
            action = self._action(step, attempt)
            if action is None and attempt.problem:
                raise Stopped(f"The step {step['id']} failed: {attempt.problem}")
            if action is not None and action["kind"] == "retry":
                record.before = self._led(action, attempt)
                # Retry-After overrules the action (Arazzo 1.1, 4.8.8)
                await self._pause(step, attempt, action.get("seconds", 0) if attempt.wait is None else attempt.wait)
                continue
            if not attempt.problem:
                self._succeed(step)
            return after if action is None else self._target(step, action, attempt)
        return after

    async def _pause(self, step: WorkflowStep, attempt: Attempt, seconds: float) -> None:
        """Wait before a step is retried. Raise Stopped at once if the workflow may not take that long."""
        until, now = self._limit.when(), asyncio.get_running_loop().time()
        if until is not None and now + seconds > until:
            more = f"It can be tried again after {seconds:g} seconds, which is longer than the workflow may take."
            raise Stopped(f"The step {step['id']} failed: {attempt.problem} {more}")
        await asyncio.sleep(seconds)

    def _items(self, step: WorkflowStep, scope: Scope) -> list[Any]:
        """Return the items that a step is repeated for, or one ABSENT for a step that is made once."""
        if "each" not in step:
            return [ABSENT]
        found, most = build(step["each"]["in"], scope), step["each"]["most"]
        if not isinstance(found, list):
            raise Stopped(f"The step {step['id']} is made for each item of a list, and there is no list.")
        if len(found) > most:
            raise Stopped(f"The step {step['id']} is made for at most {most} items, and there are {len(found):,}.")
        return found

    def _succeed(self, step: WorkflowStep) -> None:
        """Record the outputs of a step: for a loop, lists with one value for each item."""
        found = self._record.items
        if "each" not in step:
            outputs = found[0]
        else:
            outputs = {name: [each.get(name) for each in found] for name in step.get("outputs", {})}
        self._record.size += len(dumps(outputs))
        if self._record.size > MOST_BYTES:
            raise Stopped(f"Its steps hold more than {MOST_BYTES:,} bytes of outputs.")
        self._record.steps[step["id"]] = outputs

    async def _attempt(self, step: WorkflowStep, item: Any) -> Attempt:
        """Make the call of a step once, for an item or ABSENT, and decide whether it succeeded."""
        record, scope = self._record, self._scope()
        if item is not ABSENT:
            scope.index, scope.item = len(record.items), item
        arguments = build(step["arguments"], scope)
        if not isinstance(arguments, dict):
            raise Stopped(f"The arguments of the step {step['id']} are no object.")
        inner, result, span = await self._made(step["id"], step["tool"], arguments, step.get("seconds"))
        self._observe(inner, result, scope)
        problem = self._problem(step, inner, result, scope)
        entry = self._entry(step["id"], step["tool"], arguments, inner, span, problem)
        if problem:
            return Attempt(scope, problem, {}, inner.wait if inner is not None else None)
        try:
            outputs = build_outputs(step.get("outputs", {}), scope)
            if "undo" in step:
                undo = {"tool": step["undo"]["tool"], "arguments": build(step["undo"]["arguments"], scope)}
                record.undo.append({"step": step["id"], **undo})
        except Unresolved as reason:
            if "arguments" in entry:
                entry["told"] = brief(str(result), LONGEST_ARGUMENTS)
            raise Stopped(f"The step {step['id']} is done, but its answer lacks a part. {reason}") from None
        return Attempt(scope, "", outputs)

    def _entry(
        self,
        step: str,
        tool: str,
        arguments: dict[str, Any],
        inner: StepCall | None,
        span: spans.Span,
        problem: str,
    ) -> dict[str, Any]:
        """Record a call for the report, and return its entry. A workflow that failed is recorded by its own calls."""
        if problem and inner is not None and inner.failed is not None:
            self._record.made += [{**each, "step": f"{step}/{each['step']}"} for each in inner.failed[1]]
            return {}
        is_sent = span.acted or (inner is not None and "workflow" in inner.tool.binding and not span.refused)
        entry: dict[str, Any] = {"step": step, "tool": tool, "state": DONE}
        if is_sent and self._services.catalog.writes(tool):
            entry["arguments"] = arguments
        if problem:
            has_answer = inner is not None and inner.observed is not None and span.status < 500
            entry |= {"state": UNKNOWN if "arguments" in entry and not has_answer else FAILED, "told": problem}
        self._record.made.append(entry)
        return entry

    @staticmethod
    def _observe(inner: StepCall | None, result: Result, scope: Scope) -> None:
        """Let expressions refer to a call that was made, and to its answer."""
        if inner is None:
            return
        scope.request, scope.response = inner.request, inner.answered(result)
        if "workflow" in inner.tool.binding and isinstance(result.structured, dict):
            scope.outputs = result.structured

    def _problem(self, step: WorkflowStep, inner: StepCall | None, result: Result, scope: Scope) -> str:
        """Return why a call of a step is no success, or ""."""
        told = _told(inner, result) if result.is_error else ""
        if scope.response is None:
            return told or "there is no answer."
        if inner is not None and inner.too_large:
            return f"the answer has more than {LARGEST:,} bytes."
        if "success" not in step:
            return told or (f"the status is {scope.response.status}." if scope.response.status >= 400 else "")
        missed = next((each for each in step["success"] if not holds(each, scope)), None)
        return "" if missed is None else told or f"the answer does not meet {brief(missed['condition'], 200)}."

    # -- actions -------------------------------------------------------------------------------------------------------

    def _action(self, step: WorkflowStep, attempt: Attempt) -> WorkflowAction | None:
        """Return the first action whose criteria hold, or None. A retry counts only while it may be made again."""
        retries = self._record.retries
        for place, action in enumerate(step.get("onFailure", ()) if attempt.problem else step.get("onSuccess", ())):
            made = retries.get(str(place), 0)
            if action["kind"] == "retry" and made >= action.get("most", 1):
                continue
            if all(holds(each, attempt.scope) for each in action.get("criteria", ())):
                retries[str(place)] = made + 1
                return action
        return None

    def _led(self, action: WorkflowAction, attempt: Attempt) -> dict[str, Any]:
        """Return where an action leads, as the record keeps it: to a step, to a workflow with its arguments, or {}."""
        if "tool" not in action:
            return {"step": action["step"]} if "step" in action else {}
        given = build(action["arguments"], attempt.scope) if "arguments" in action else self._inputs
        return {"tool": action["tool"], "arguments": given}

    async def _before_retry(self) -> None:
        """Make the call that the action of a failed step wants before the step is retried."""
        before = self._record.before
        if "step" in before:
            step = self._steps[self._places[before["step"]]]
            attempt = await self._attempt(step, ABSENT)
            if attempt.problem:
                raise Stopped(f"The step {step['id']}, to be made before a retry, failed: {attempt.problem}")
            self._record.steps[step["id"]] = attempt.outputs
        elif "tool" in before:
            await self._other(before, "to be called before a retry")
        self._record.before = {}

    def _target(self, step: WorkflowStep, action: WorkflowAction, attempt: Attempt) -> int:
        """Return the place of the step to which an action leads."""
        if action["kind"] == "end" and attempt.problem:
            raise Stopped(f"The step {step['id']} failed: {attempt.problem}")
        if action["kind"] == "end":
            return len(self._steps)
        if "tool" in action:
            self._record.transfer = self._led(action, attempt)
        return self._places[action["step"]] if "step" in action else self._record.place

    async def _other(self, led: dict[str, Any], why: str) -> Result:
        """Call another workflow, and return its result. Raise Stopped if that fails."""
        tool = led["tool"]
        inner, result, span = await self._made(tool, tool, led["arguments"])
        problem = _told(inner, result) if result.is_error else ""
        self._entry(tool, tool, led["arguments"], inner, span, problem)
        if problem:
            raise Stopped(f"{tool}, {why}, failed: {problem}")
        return result

    async def _undone(self) -> None:
        """Make the calls that take back what was done, the last one first. If one fails, the others are made too."""
        record = self._record
        while record.undo:
            entry = record.undo[-1]
            self._call.report(f"undoing {entry['step']}")
            problem = ""
            try:
                inner, result, _ = await self._made(entry["step"], entry["tool"], entry["arguments"])
                if inner is None or result.is_error or (inner.observed is not None and inner.observed.status >= 400):
                    problem = str(result)
            except Stopped as reason:
                problem = str(reason)
            record.undo.pop()
            done = [each for each in record.made if each["step"] == entry["step"] and each["state"] == DONE]
            for each in done[-1:]:
                each["state"] = LEFT if problem else UNDONE
                each["told"] = f"{entry['tool']} failed. {problem}" if problem else ""

    # -- calls ---------------------------------------------------------------------------------------------------------

    async def _made(
        self, step: str, tool: str, arguments: dict[str, Any], seconds: float | None = None
    ) -> tuple[StepCall | None, Result, spans.Span]:
        """Call a tool for a step. Return the call, None if it was refused by the audit log, its result, and its facts.

        Raise Stopped if the tool is not offered, or if the user does not want the call. Raise OtherOutcome if the call
        ends with a question to the user or with a protocol error.
        """
        services, dialogue, made = self._services, self._dialogue, None
        span = spans.Span()
        if dialogue.state is None:
            self._record.calls += 1
        if self._record.calls > MOST_CALLS and not self._record.failed:
            raise Stopped(f"It made {MOST_CALLS} calls, which is the most that a workflow makes.")

        async def run() -> Result:
            nonlocal made, span
            span = spans.current() or span
            plan = services.calls.plan(tool)
            depth = getattr(self._call, "depth", 0) + 1
            budget = (
                plan.budget() if seconds is None else Budget(seconds, time.monotonic, setting=f"`timeout` of {step}")
            )
            run = f"{self._record.run}/{self._record.calls}"
            made = StepCall(plan.tool, arguments, dialogue, self._asking(), budget, depth, run)
            made.consent = self._consent(tool, plan.tool.binding.get("confirm", ""))
            return await services.calls.run(made)

        record = services.lasting.record
        try:
            result = await inner_calls.made(tool, arguments, run, services.catalog, record, dialogue)
        except NotReady as reason:
            raise Stopped(f"The step {step} was not made. {reason}") from None
        self._dialogue = _following(self._call.dialogue, "")  # a later call must not take this call's answer
        if span.confirmation not in ("", "accept") or span.unanswered:
            raise Stopped(f"The step {step} was not made. {result}")
        if made is not None and "workflow" in made.tool.binding and isinstance(result.structured, dict):
            self._record.workflows[tool] = {"inputs": arguments, "outputs": result.structured}
        return made, result, span

    def _consent(self, tool: str, own: str) -> str:
        """Return how the user must agree to a call of a step: the rule of the workflow, or "" for the tool's own."""
        if self._record.is_agreed:
            return GIVEN
        if not self._each or not self._services.catalog.writes(tool):
            return ""
        return "always" if own == "always" else self._each

    def _asking(self) -> Ask | None:
        """Return a function that asks the user while the time limit of the workflow is paused; None without a user."""
        ask = self._call.ask
        if ask is None:
            return None

        async def asked(question: Asked) -> object:
            loop, limit, until = asyncio.get_running_loop(), self._limit, self._limit.when()
            since = loop.time()
            limit.reschedule(None)
            try:
                return await ask(question)
            finally:
                limit.reschedule(None if until is None else until + loop.time() - since)

        return asked

    def _scope(self) -> Scope:
        scope = Scope(self._inputs)
        scope.steps, scope.workflows = self._record.steps, self._record.workflows
        return scope

    def _shown(self, outputs: dict[str, Any]) -> Result:
        """Return the outputs as the result for the model: text, and structured content."""
        most, text = self._call.shown or self._services.settings.sizes.shown, written(outputs)
        if len(text.encode(errors="replace")) > most:
            cut = Shortened(outputs, most)
            text = f"{written(cut.value)}\n[Cut: {', '.join(cut.left_out)}.]"
            outputs = cut.value
        return Result([{"type": "text", "text": text}], outputs)


def _run_of(call: CallUnderWay) -> str:
    """Return a text that identifies a run. If the client sends its message to another replica again, it is the same."""
    if isinstance(call, StepCall):
        return call.run
    return hashlib.sha256(call.dialogue.state.encode()).hexdigest() if call.dialogue.state else os.urandom(16).hex()


def _told(inner: StepCall | None, result: Result) -> str:
    """Return the text of an error. That of a workflow is only its reason, since the report lists its calls."""
    return str(result) if inner is None or inner.failed is None else inner.failed[0]


def _following(dialogue: Dialogue, state: str) -> Dialogue:
    """Return how a call of a step can ask the user. `state`: of the question that the call has asked before, or "".

    No call becomes an MCP task: the workflow waits for the job that a call starts.
    """
    found = dialogue.with_answers(state or None, dialogue.responses if state else {})
    found.tasks = False
    return found
