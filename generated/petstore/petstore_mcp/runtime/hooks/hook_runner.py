# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the hooks that the user wrote in this package's hooks.py. `hook_loading.py` loads this file.

Hooks are found by name: before_all, before_TOOL, request_TOOL, request_all, instead_of_TOOL, after_TOOL and after_all.
A `-` in a tool's name becomes `_`. An async hook runs in the event loop, any other in a thread of its own.
Hooks that would never be called, or that cannot be called, are found before any call.

A hook may enforce a rule, so no call goes on without it. If a hook fails or takes too long, or if hooks.py cannot be
loaded, the call is an error. The error names the hook, and the log says where it failed. Messages of exceptions are not
shown, since they may contain anything. Only the message of a `Refuse`, which a hook raises to refuse a call, is shown
to the model.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import json
import threading
import traceback
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..core import log, spans
from ..core.limits import FairPool
from ..core.wire_formats import Result
from ..request.argument_errors import CannotAsk, CannotReport, HookFailed, Refuse, Unsendable
from ..text.sanitize import brief
from . import hook_context
from .hook_names import FOR_ALL, PARAMETERS, own_name
from .hook_reports import HookReports

if TYPE_CHECKING:
    from ..core.limits import Budget
    from ..request.request import Request

_NEAR = 0.8

Arguments = dict[str, Any]

LEAST = 1.0
"""Seconds that an `after_` hook may take at least, even if the call's time is over."""

LONGEST_REFUSAL = 500

MOST_THREADS = 64
"""Largest number of threads for hooks that are not async. No thread can be stopped: a hanging hook keeps its thread."""

_TOO_LATE = "where it cannot: hooks ask within a call, before its request is sent"
_NO_THREAD = f"was not run: {MOST_THREADS} others that are no `async def` were at work for all of the"
_MOST_WAITING = 1000  # more than calls run at a time
_rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, FairPool] = WeakKeyDictionary()


class Hooks:
    """Hooks in hooks.py. `mistakes`: messages for its author. `idle`: True if hooks.py defines no hooks."""

    __slots__ = ("_found", "idle", "mistakes")

    def __init__(self, own: dict[str, Any], tools: Iterable[str]) -> None:
        """Find the hooks in `own`, the functions of hooks.py by name."""
        self._found = {name: function for name, function in own.items() if name.startswith(tuple(PARAMETERS))}
        self.idle = not self._found
        self.mistakes = mistakes(own, list(tools))

    def report(self) -> None:
        """Log the mistakes in hooks.py."""
        for sentence in self.mistakes:
            log.event("warning", "hooks", reason=sentence)

    async def before(self, tool: str, arguments: Arguments, budget: Budget) -> Arguments:
        """Run the `before_` hooks of a call. Return the arguments to check and send.

        Raise HookFailed if a hook fails, and Refuse if a hook refuses the call.
        """
        for name, first in (("before_all", (tool,)), (own_name("before_", tool), ())):
            changed = await self._call(tool, name, budget, *first, arguments)
            if changed is not None:
                arguments = _expect(name, changed, dict)
        return arguments

    async def request(self, tool: str, built: Request, budget: Budget) -> Request:
        """Run the `request_` hooks, and return the request to send.

        The hook for all tools runs last, so that it can sign the final request. Raise HookFailed if a hook fails, and
        Refuse if a hook refuses the call.
        """
        for name, first in ((own_name("request_", tool), ()), ("request_all", (tool,))):
            if name in self._found:
                from .. import hooks
                from . import hook_request  # both imported late: few hooks change requests

                changed = await self._call(tool, name, budget, *first, hook_request.shown(built))
                if changed is not None:
                    built = _rewritten(name, built, _expect(name, changed, hooks.Request))
        return built

    def replacing(self, tool: str) -> str:
        """Return the name of the `instead_of_` hook of a tool, which replaces the request; "" if there is none."""
        name = "" if self.idle else own_name("instead_of_", tool)
        return name if name in self._found else ""

    async def instead(self, tool: str, arguments: Arguments, budget: Budget) -> Result:
        """Run the hook that replaces the request (`replacing`) and return its result.

        Raise HookFailed if the hook fails, and Refuse if it refuses the call.
        """
        name = self.replacing(tool)
        made = await self._call(tool, name, budget, arguments)
        if isinstance(made, Result):
            return made
        try:
            return Result.text(made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))
        except (TypeError, ValueError):
            raise HookFailed(f"The hook {name} of this server returned what cannot be sent.") from None

    def follow(self, tool: str) -> bool:
        """Return True if any `after_` hook receives the results of this tool."""
        return not self.idle and not self._found.keys().isdisjoint((own_name("after_", tool), "after_all"))

    async def after(self, tool: str, result: Result, budget: Budget, done: str = "") -> Result:
        """Run the `after_` hooks on a result, and return the final result. Hooks receive error results too.

        Call this only if the method `follow` returns True for the tool. `done`: text to show if a hook
        withholds the result: a sentence that says what the call did, or "".
        """
        result.written = ""  # drop the cached JSON text, since hooks may change the result in place
        before = hook_context.enter(None)
        try:
            for name, first in ((own_name("after_", tool), ()), ("after_all", (tool,))):
                try:
                    changed = await self._call(tool, name, budget, *first, result, least=LEAST)
                except Refuse as reason:
                    changed = Result.error(withheld(tool, refusal(reason), done))
                if changed is not None:
                    result = _expect(name, changed, Result)
        finally:
            hook_context.leave(before)
        return result

    async def _call(self, tool: str, name: str, budget: Budget, *given: Any, least: float = 0.0) -> Any:
        """Run the hook `name` and return its value; None if there is no such hook. The hook gets at least `least`
        seconds.
        """
        function = self._found.get(name)
        if function is None:
            return None
        asker = hook_context.current()
        with budget as left, HookReports(tool, name):
            deadline = asyncio.timeout(max(left, least))
            if asker is not None:
                asker.enter(name, budget, deadline)
            try:
                async with deadline:
                    made = await _outcome(function, given)
            except BaseException as problem:  # a hook may raise anything, and only its own call fails
                if isinstance(problem, asyncio.CancelledError) and _is_cancelled():
                    raise
                if asker is not None:
                    asker.leave()
                raise _failure(name, function, given, problem, deadline.expired(), budget) from None
            if asker is not None:
                asker.leave()
            return made


def _failure(
    name: str, function: Any, given: tuple[Any, ...], problem: BaseException, late: bool, budget: Budget
) -> Exception:
    """Return the exception that the call raises if its hook raised `problem`, and log the failure. `late`: True if the
    hook had used up its time.
    """
    if isinstance(problem, Refuse):
        log.event("info", "hook_refused", hook=name)
        return problem
    # If the time ran out, the CancelledError shows the line at which the hook was. It is the `__cause__` of the
    # TimeoutError; in Python 3.11.2, it is only the `__context__`.
    cause = problem.__cause__ or (problem.__context__ if late else None)
    reason = cause if cause is not None and (late or isinstance(cause, StopIteration)) else problem
    unfit = "" if late else f"{name} does not take {len(given)} argument{'s' * (len(given) != 1)}"
    at = _place(reason, function) or unfit
    why = {"reason": str(problem)} if isinstance(problem, CannotReport) else {}
    log.event("error", "hook_failed", hook=name, error=type(problem).__name__, at=at, **why)
    if isinstance(problem, CannotReport):
        return HookFailed(f"The hook {name} of this server cannot report: {problem}.")
    if isinstance(problem, CannotAsk):
        return HookFailed(f"The hook {name} of this server asked the user {_TOO_LATE}.")
    if late:
        did = _NO_THREAD if _NO_THREAD in reason.args else "did not end within the"
        limit = f"{budget.total:g} second{'s' * (budget.total != 1)}"
        setting = f" ({budget.setting})" if budget.setting else ""
        return HookFailed(f"The hook {name} of this server {did} {limit} of a call{setting}.")
    return HookFailed(f"The hook {name} of this server failed. Its log says where.")


def refusal(reason: Refuse) -> str:
    """Return the message of an exception `Refuse` that a hook raised, redacted and shortened for the model.

    If the message is empty, return a general sentence.
    """
    return brief(log.redacted(str(reason)), LONGEST_REFUSAL) or "A rule of this server does not allow it."


def withheld(tool: str, reason: str, done: str) -> str:
    """Return the text shown in place of a withheld result. `done`: a sentence that says what the call did, or ""."""
    return f"The result of {tool} is withheld. {reason} {done}".rstrip()


def _is_cancelled() -> bool:
    """Return True if the call itself is cancelled, and not only a coroutine that a hook awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _outcome(function: Any, given: tuple[Any, ...]) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(*given)
    made = await _in_thread(function, given)
    return await made if inspect.isawaitable(made) else made


async def _in_thread(function: Any, given: tuple[Any, ...]) -> Any:
    """Run a function that is not async in a new thread and return its value.

    The event loop's thread pool is not used: hanging hooks could block all its threads, which also look up host names.
    """
    loop, caller = asyncio.get_running_loop(), spans.caller()
    room = _rooms.setdefault(loop, FairPool(MOST_THREADS, _MOST_WAITING))
    try:
        await room.enter(caller, None)
    except asyncio.CancelledError:
        # If a deadline ended the wait, this CancelledError is the cause of a TimeoutError, and `_failure` looks for the
        # text `_NO_THREAD` in the cause.
        raise asyncio.CancelledError(_NO_THREAD) from None
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(made: Any, problem: BaseException | None) -> None:
        room.leave(caller)
        if not done.done():
            done.set_result((made, problem))

    def run() -> None:
        made, problem = None, None
        try:
            made = function(*given)
        except BaseException as raised:
            problem = raised
        with contextlib.suppress(RuntimeError):  # the loop ended before the hook did
            loop.call_soon_threadsafe(settle, made, problem)

    try:
        threading.Thread(target=contextvars.copy_context().run, args=(run,), name="hook", daemon=True).start()
    except RuntimeError:  # the system cannot start another thread
        room.leave(caller)
        raise
    made, problem = await done
    if problem is not None:
        raise problem
    return made


def _place(problem: BaseException, function: Any) -> str:
    """Return `FUNCTION:LINE` of the last line that ran, before the exception, in the file of the hook `function`.

    If no code of this file ran, return the last line that ran in another file, or "" if only this module ran.
    """
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename != __file__]
    file = getattr(getattr(function, "__code__", None), "co_filename", "")
    inside = [frame for frame in frames if frame.filename == file] or frames
    return f"{inside[-1].name}:{inside[-1].lineno}" if inside else ""


def _rewritten(name: str, built: Request, wanted: Any) -> Request:
    from .hook_request import rewritten  # imported late: few hooks change requests

    try:
        made = rewritten(built, wanted)
    except Unsendable as reason:
        raise HookFailed(f"The hook {name} of this server made a request that cannot be sent: {reason}.") from None
    made.rewritten = built.rewritten
    if made.path != built.path:
        made.rewritten = name
        spans.note(rewritten=name)
    return made


def _expect(name: str, value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise HookFailed(f"The hook {name} of this server returned something else than {kind.__name__} or None.")
    return value


# -- mistakes in hooks.py ----------------------------------------------------------------------------------------------


def mistakes(own: dict[str, Any], tools: list[str]) -> list[str]:
    """Return a sentence on each mistake. `own`: all functions of hooks.py by name, even those that are no hooks."""
    served: dict[str, list[str]] = {name: [] for name in FOR_ALL}
    for tool in tools:
        for kind in PARAMETERS:
            served.setdefault(own_name(kind, tool), []).append(tool)
    served.pop("", None)
    found = (_mistakes_of(name, function, served, own) for name, function in own.items())
    return [f"{sentence} (hooks.py)" for sentences in found for sentence in sentences]


def _mistakes_of(name: str, function: Any, served: dict[str, list[str]], own: dict[str, Any]) -> Iterator[str]:
    if name not in served:
        if kind := _kind(name):
            # A tool that has this hook already is not meant: the hook is for a tool that was removed or renamed.
            free = [each.removeprefix(kind) for each in served if _kind(each) == kind and each not in own]
            near = _nearest(name.removeprefix(kind), free, _NEAR)
            hint = f"Did you mean {kind}{near}?" if near else "Delete it if its tool was removed."
            yield f"{name} is for no tool, so it is never called. {hint}"
        elif _is_misspelt(name) and (near := _nearest(name, served, _NEAR)):
            yield f"{name} is no hook, so it is never called. Did you mean {near}?"
        return
    if len(served[name]) > 1:
        yield f"{name} is called for {' and '.join(served[name])}: both make this name."
    given = PARAMETERS[_kind(name)]
    wanted = ["tool", given] if name in FOR_ALL else [given]
    if not _takes(function, len(wanted)):
        yield f"{name} must take {'two parameters' if len(wanted) == 2 else 'one parameter'}: {', '.join(wanted)}."
    if _asks(function) and _kind(name) == "after_":
        yield f"{name} asks the user after the call, which only a hook before the request can (context.ask)."
    elif _asks(function) and not inspect.iscoroutinefunction(function):
        yield f"{name} asks the user, so it must be an `async def` that awaits context.ask."


def _kind(name: str) -> str:
    """Return the prefix of a hook's name, such as `before_`; "" if the name has no such prefix."""
    return next((kind for kind in PARAMETERS if name.startswith(kind)), "")


def _is_misspelt(name: str) -> bool:
    """Return True if a name begins almost like a hook's name. This quick test saves a comparison with all names."""
    return bool(_nearest(name.partition("_")[0], [kind.partition("_")[0] for kind in PARAMETERS], _NEAR))


def _nearest(name: str, known: Iterable[str], near: float) -> str:
    return next(iter(get_close_matches(name, known, 1, near)), "")


def _asks(function: Any) -> bool:
    """Return True if a function's own code, not that of functions it calls, mentions `context` and `ask`."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and {"context", "ask"} <= {*code.co_names}


def _takes(function: Any, count: int) -> bool:
    """Return True if a function can be called with `count` values, or if Python cannot tell."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True
