# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run programs that the model wrote, in a sandbox. Each function call of a program is a call of the tool of that name.

Such a call is like any other call: arguments are checked, hooks run, users confirm, rate limits apply, and the audit
records the tool's name and the id of the run. The program gets the complete answer; the model gets only the program's
last value, as text.

If a user must be asked, the program is serialized and its worker process is released. If the question is asked while
the call runs, the program is restored once the answer is there. If the call ends with the question, the client gets a
state that stands for the program (`Handles.runs`). The repeated call restores the program and makes the confirmed call.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.effects import Call, Dialogue
from ..core.jsonrpc import NotJSON, loads
from ..core.wire_formats import ABSENT, Failure, OtherOutcome, Question, Result
from ..inner_calls import inner_calls, kept_runs
from ..questions.consent import not_called
from ..search import stubs
from ..search.nearest import nearest
from ..search.search_listing import RUN
from ..search.stems import stems
from ..search.stubs import as_json
from ..text.sanitize import Shortened, clean, written
from .record import MOST_CALLS, Record
from .sandbox import VERSION, Run, Sandbox, Stopped
from .worker_code import LARGE

if TYPE_CHECKING:
    from ..calls.services import Calls, Lasting
    from ..core.catalog import Catalog
    from ..core.wire_formats import Ask, Asked, Result, Task
    from ..http_server.handles import PausedRuns
    from ..search.stubs import Function


class ProgramFunctions:
    """Functions that one program of the model may call: one for each allowed tool whose name is in the program."""

    def __init__(self, tool: str, code: str, catalog: Catalog, offered: Catalog) -> None:
        """Collect the functions that the program `code` may call.

        `tool`: the tool that runs the program. `offered`: tools that the caller of `tool` may use.
        """
        kind, own = catalog.finders[tool], {*catalog.finders, catalog.reader, catalog.looker}
        self._others: dict[str, str] = {}
        self._all = stubs.functions({*catalog.names(), *catalog.hidden} - own)
        self.found: dict[str, Function] = {}
        self._offered = offered
        taken: set[str] = set()
        named = stubs.words(code)
        spelled = {called: name for name, called in self._all.items()}
        for name in named & catalog.aliases.keys() - self._all.keys():
            if offered.has(catalog.aliases[name]):
                self._others[name] = f"{name} is another name of {spelled[catalog.aliases[name]]}."
        for name in named & catalog.finders.keys() - self._all.keys():
            self._others[name] = f"{name} is not called by programs: each tool is a function with its own name."
        for name in sorted(named & self._all.keys()):
            called = self._all[name]
            if not offered.has(called):
                if called in offered.withheld:  # no advice on a tool for which `withheld` has no reason
                    self._others[name] = f"{called} is not offered: {offered.withheld[called]}."
            elif kind != RUN and offered.writes(called):
                self._others[name] = f"{called} writes, and {tool} calls only what reads."
            else:
                form = catalog.tool(called).binding.get("output", "")
                self.found[name] = stubs.Function(name, offered.described(called), form, taken)

    @property
    def stubs(self) -> str:
        """Return Python declarations of the functions that the model's program may call, for the type checker."""
        return stubs.HEAD + "\n".join(each.stub for each in self.found.values())

    def writes(self, tool: str) -> bool:
        """Return True if a tool may change something."""
        return self._offered.writes(tool)

    def advice(self, told: str) -> str:
        """Return advice on functions that the error message `told` names: why the program cannot call them, or their
        `def` lines. For an undefined name, return the nearest names.
        """
        named = stubs.words(told)
        lines = [self._others[name] for name in sorted(named & self._others.keys())]
        lines += [each.line for name, each in self.found.items() if name in named][:3]
        unknown = [name for name in sorted(named - self._all.keys() - self._others.keys()) if "_" in name][:3]
        for name in unknown if "used when not defined" in told else ():
            seen = [each for each, called in self._all.items() if self._offered.has(called)]
            near = [seen[place] for place in nearest(name, seen, [frozenset(stems(each)) for each in seen], (), 3)]
            lines += [f"There is no {name}. The nearest: {', '.join(near)}."] if near else []
        return "".join(f"\n{line}" for line in lines)


_NO_VALUE = "The program ended without a value. End it with the value that you want to see, or print it."
_TEXT = "_text"
"""Member of a structured result that holds text in addition to the value (result/response.py)."""

SECONDS = 300.0
"""Seconds that a model's program may take with all of its tool calls. Waiting for a user does not count."""

REST_SECONDS = 2.0
"""Seconds that a tool call of a program may take until the worker process is given back for other programs."""

LARGEST_AT_REST = 256 * 1024
"""Size in bytes of the largest program that gives its worker process back. So many waiting programs take little memory.
"""

_STAYS = " What the program did before it asked stays done."


def _unheard(phase: str) -> None:
    """Ignore a phase (such as "sent") of a tool call by a model-written program: the client would take the phase for
    the program's progress.
    """


def of_server(lasting: Lasting) -> ProgramRuns:
    """Return the runner of programs of one server. New tools use it too when the tools are loaded again."""
    found = ProgramRuns(lasting.once(kept_runs.of_server))
    lasting.closing.append(found.close)
    return found


class ProgramRuns:
    """Runner of model-written programs for one server. `runs`: store of programs that wait for a user's answer."""

    def __init__(self, runs: PausedRuns) -> None:
        self._runs = runs
        self._sandbox = Sandbox()

    async def close(self) -> None:
        """End the worker processes."""
        await self._sandbox.close()

    async def answer(
        self, tool: str, code: str, around: tuple[Calls, Catalog, int], dialogue: Dialogue, ask: Ask | None
    ) -> Result:
        """Run a program that the model wrote, and return its result. `code`: the program's text.

        `tool`: name of the tool that runs programs. `around`: executor of the program's tool calls, catalog, and
        largest size in bytes of the result. Raise OtherOutcome if the call ends with a question to the user or with a
        protocol error.
        """
        executor, catalog, shown = around
        span = spans.current() or spans.Span()
        functions = ProgramFunctions(tool, code, catalog, span.offered or catalog)
        record, program = Record(span.call), b""
        about = (code, tool, VERSION, catalog.checksum())
        if dialogue.state is not None and dialogue.way == "result":
            written, void = await self._runs.take(dialogue.state)
            if void:
                return not_called(tool, void, dialogue.revision, _STAYS)
            try:
                record, program = Record.read(about, written)
            except kept_runs.OtherRun:
                return not_called(tool, "other", dialogue.revision, _STAYS)
            dialogue = _with(dialogue, record.state)
        else:
            dialogue = _with(dialogue, None)
        spans.note(program=record.run)
        running = RunningProgram(executor, self._sandbox, functions, record, span)
        try:
            return await running.result(code, program, dialogue, ask, shown)
        except OtherOutcome as ended:
            return await self._waiting(tool, running, about, ended)
        finally:
            spans.enter(span)
            await running.close()

    # A program that is too large to keep could not continue after the user's yes, so asking is useless
    # (docs/decisions/search.md).
    async def _waiting(self, tool: str, running: RunningProgram, about: tuple[str, ...], ended: OtherOutcome) -> Result:
        """Pause a model's program whose tool call ended with a question to the user: store the program, and raise
        OtherOutcome with the question. If the program is too large to store, return an error result.

        `ended`: exception of the tool call. If it is a protocol error, raise it again, or return an error result if
        the program has already called a tool that writes.
        """
        asked, record = ended.outcome, running.record
        if not isinstance(asked, Question):  # a tool call in Python code from a model never becomes an MCP task
            if not (isinstance(asked, Failure) and record.writes):
                raise ended
            return running.stopped(asked.sentence)
        record.state, record.printed = asked.state, running.printed
        try:
            written = await asyncio.to_thread(record.written, about, await running.dumped())
        except Stopped as reason:
            return running.stopped(str(reason))
        state = self._runs.keep(written)
        log.event("info", "program_waits", tool=tool, size=len(written), kept=bool(state))
        if not state:
            return running.stopped(
                f"It holds {len(written):,} bytes, too many to keep while the user is asked. Keep only what is needed"
                " after the question, or make the call that asks before the large reads."
            )
        raise OtherOutcome(Question(asked.message, state, asked.visit, asked.form))


class RunningProgram:
    """Run of a model's program to its end: from its beginning, or from the question to the user at which it paused."""

    def __init__(
        self, executor: Calls, sandbox: Sandbox, functions: ProgramFunctions, record: Record, span: spans.Span
    ) -> None:
        self.record = record
        self._executor = executor
        self._sandbox = sandbox
        self._functions = functions
        self._span = span
        self._run: Run | None = None
        self._dump = b""
        self._resting: asyncio.Task[None] | None = None
        self._limit = asyncio.timeout(None)

    @property
    def printed(self) -> str:
        """Return all text that the model's program has printed so far, before and after any pause for the user."""
        return self.record.printed + (self._run.printed if self._run is not None else "")

    async def dumped(self) -> bytes:
        """Return the language model's program, paused at a tool call, as bytes. Raise Stopped if it is too large."""
        return await self._run.dump() if self._run is not None else self._dump

    async def close(self) -> None:
        """Return the worker process of the model's program to the pool, if the program has one."""
        if self._resting is not None:
            await asyncio.wait({self._resting})
        await self._close()

    async def _close(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            await run.close()

    async def result(self, code: str, program: bytes, dialogue: Dialogue, ask: Ask | None, shown: int) -> Result:
        """Run the program to its end and return the result for the model, of about `shown` bytes at most.

        `program`: the serialized program to continue, or b"" to begin with `code`. Raise OtherOutcome if a tool call
        of the program ends with a question to the user or with a protocol error.
        """
        limit = self._limit = asyncio.timeout(SECONDS)
        self._dump = program
        try:
            async with limit:
                run = await (self._restored() if program else self._begun(code))
                while run.call is not None:
                    await self._step(run, dialogue, ask)
                    dialogue = _with(dialogue, None)
                    assert self._run is not None
                    run = self._run
                value, more, count = await run.value(shown + shown // 4)
        except TimeoutError:
            if not limit.expired():
                raise
            return self.stopped(f"It took longer than {SECONDS:g} seconds with its calls.")
        except Stopped as reason:
            return self._not_run(str(reason)) if reason.checked and not program else self.stopped(str(reason))
        notes = "".join(f"\n[{note}]" for note in self.record.notes)
        told = await asyncio.to_thread(_shown, value, self.printed, shown, more, count)
        return Result.text(told + notes)

    def stopped(self, why: str) -> Result:
        """Return the error result for a model's program that ended early: why it ended, and which writes were made."""
        done = self.record.done() or "Nothing was changed."
        parts = ["The program stopped.", why, done]
        if self.printed.strip():
            parts.append(f"It had printed:\n{_shown(None, self.printed, 4000)}")
        return Result.error("\n".join(parts))

    def _not_run(self, why: str) -> Result:
        spans.note(refused=True)
        return Result.error(f"The program was not run, and nothing was called.\n{why}{self._functions.advice(why)}")

    async def _begun(self, code: str) -> Run:
        self._run = await self._sandbox.worker(self._functions.found, self._functions.stubs)
        await self._run.begin(code)
        return self._run

    async def _restored(self) -> Run:
        """Restore the paused program in a new worker process. Return the `Run` that continues the program."""
        self._run = await self._sandbox.worker(self._functions.found)
        await self._run.restore(self._dump)
        return self._run

    async def _step(self, run: Run, dialogue: Dialogue, ask: Ask | None) -> None:
        """Make the tool call for which the model's program waits, and give the program the answer.

        Raise Stopped if the program must end. Raise OtherOutcome if the call ends with a question to the user or with a
        protocol error.
        """
        assert run.call is not None
        name, given, named = run.call
        function = self._functions.found[name]
        if dialogue.state is None:
            self.record.calls += 1
        if self.record.calls > MOST_CALLS:
            raise Stopped(f"It made {MOST_CALLS} calls, which is the most that one program makes.")
        try:
            arguments = function.arguments(given, named)
        except TypeError as problem:
            await run.fail(problem)
            return
        resting = asyncio.get_running_loop().call_later(REST_SECONDS, self._begin_to_rest)
        try:
            result = await self._called(function.tool, arguments, dialogue, self._asking(ask, resting))
        finally:
            resting.cancel()
        if self._resting is not None:
            await asyncio.wait({self._resting})
        if self._run is None:  # the worker was released while the call waited, so a new one is needed
            run = await self._restored()
        if result.is_error:
            await run.fail(RuntimeError(str(result)))
            return
        value, told = _value_of(result, function.form)
        if told:
            self.record.note(function.tool, told)
        await run.answer(value)

    def _begin_to_rest(self) -> None:
        self._resting = asyncio.get_running_loop().create_task(self._rest())

    async def _rest(self) -> None:
        """Serialize the program, which waits for a tool call, and give its worker process back to the pool.

        A program whose data is large keeps its worker process.
        """
        if self._run is None:
            return
        try:
            written = await self._run.dump()
        except Stopped:
            return
        if len(written) <= LARGEST_AT_REST:
            self._dump, self.record.printed = written, self.printed
            await self._close()

    def _asking(self, ask: Ask | None, resting: asyncio.TimerHandle) -> Ask | None:
        """Return a function that asks the user, or None if `ask` is None.

        Before the function asks, it serializes the paused program (Python code from a model) and releases the worker
        process. The program's time limit is paused until the answer. `resting`: timer that would do the same.
        """
        if ask is None:
            return None

        async def asked(question: Asked) -> object:
            resting.cancel()
            if self._resting is not None:
                await asyncio.wait({self._resting})
            self._dump = await self.dumped()
            self.record.printed = self.printed
            await self.close()
            loop, until = asyncio.get_running_loop(), self._limit.when()
            since = loop.time()
            self._limit.reschedule(None)
            try:
                return await ask(question)
            finally:
                self._limit.reschedule(None if until is None else until + loop.time() - since)

        return asked

    async def _called(self, tool: str, arguments: dict[str, Any], dialogue: Dialogue, ask: Ask | None) -> Result:
        """Call `tool` for the language model's program, record this call in the audit log, and return its result.

        Raise Stopped if the program must end. Raise OtherOutcome if the call ends with a question to the user or with a
        protocol error.
        """
        call = Call(next(inner_calls.KEYS), tool, arguments, None, dialogue)
        span = call.span = spans.Span(self._span.origin)
        span.program, span.whole = self.record.run, True
        span.offered, span.client_log = self._span.offered, self._span.client_log
        span.progress = self._span.progress
        audit = self._executor.lasting.record
        if audit is not None and (refusal := audit.begin(call)):
            raise Stopped(str(refusal))
        ended: Result | Failure | Question | Task | str = "cut"
        spans.enter(span)
        try:
            ended = result = await self._executor.call(tool, arguments, _unheard, dialogue, ask)
        except OtherOutcome as other:
            ended = other.outcome
            raise
        except asyncio.CancelledError:
            ended = "cancelled"
            raise
        finally:
            spans.enter(self._span)
            if audit is not None:
                audit.end(call.key, ended)
        if span.acted and self._functions.writes(tool):
            self.record.writes.append(f"{tool} (failed)" if result.is_error else tool)
        if span.confirmation not in ("", "accept") or span.unanswered:
            raise Stopped(str(result))
        if span.cut:
            return Result.error(
                f"{tool}: the answer has more than {spans.WHOLE:,} bytes. Ask for less of it at a time."
            )
        return result


def _with(dialogue: Dialogue, state: str | None) -> Dialogue:
    """Return the dialogue (how to ask the user) for one tool call of a model's program. `state`: state of the call that
    asked the user, None for other calls.

    Only the call that asked gets the user's answer. No call becomes an MCP task: if a call starts an upstream job, the
    program waits for the job.
    """
    responses = dialogue.responses if state is not None else {}
    return Dialogue(dialogue.way, dialogue.revision, state, responses, dialogue.urls, dialogue.declares)


# -- outcome -----------------------------------------------------------------------------------------------------------


def _value_of(result: Result, form: str) -> tuple[Any, str]:
    """Return the value that a tool call returns inside a program, and further texts of the result.

    The value is the whole JSON of the response without the wrapper object, or the response's text. `form` says how a
    tool with an output schema wraps its value. Long JSON is returned as a tuple that contains its text
    (`worker_code.py`), which the worker parses.
    """
    texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
    others = [str(block["type"]) for block in result.content if block["type"] not in ("text", "resource_link")]
    if result.structured is not ABSENT:
        value, told = _unwrapped(result.structured, form)
        return ((texts[0],) if texts and _is_large(texts[0]) else value), told
    first = texts[0] if texts else f"The answer is of the type {', '.join(others)}, which a program cannot read."
    if _is_large(first):
        return (first,), "\n".join(texts[1:])
    try:
        return loads(first)[0], "\n".join(texts[1:])
    except NotJSON:
        return first, "\n".join(texts[1:])


def _is_large(text: str) -> bool:
    return len(text) >= LARGE and text.lstrip()[:1] in ("[", "{")


def _unwrapped(value: Any, form: str) -> tuple[Any, str]:
    if not isinstance(value, dict):
        return value, ""
    told = str(value[_TEXT]) if form != "written" and len(value) > 1 and _TEXT in value else ""
    bare = {key: member for key, member in value.items() if key != _TEXT} if told else value
    wrapper = form if form in ("items", "value") else ""
    return bare.get(wrapper, bare), told


def _shown(value: Any, printed: str, most: int, more: bool = False, count: int = -1) -> str:
    """Return the text for the model: the printed text and the final value, in about `most` bytes.

    `more` is True if `value` is only the beginning of the final value. `count` is how many items the whole value has.
    """
    parts = [_cut(printed.rstrip("\n"), most // 2)] if printed.strip() else []
    if value is not None:
        parts.append(_value(value, most - sum(len(part.encode(errors="replace")) for part in parts), more, count))
    text = clean("\n".join(parts))[0]
    return text or _NO_VALUE


def _value(value: Any, most: int, more: bool, count: int) -> str:
    """Return a value as JSON, shortened to about `most` bytes."""
    if isinstance(value, str):
        return _cut(value, most)
    try:
        plain = as_json(value)
    except TypeError:
        return _cut(str(value), most)
    text = written(plain)
    if not more and len(text.encode(errors="replace")) <= most:
        return text
    items = f" of {count:,} items" if count >= 0 else ""
    told = f"[Cut: the first part{items} is shown. Return less: pick, count or join in the program.]"
    return f"{written(Shortened(plain, most).value)}\n{told}"


def _cut(text: str, most: int) -> str:
    content = text.encode(errors="replace")
    if len(content) <= most:
        return text
    start = content[:most].decode(errors="ignore")
    return f"{start}\n[Cut: the first {most:,} of {len(content):,} bytes are shown. Print or return less.]"
