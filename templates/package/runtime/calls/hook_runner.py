# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Finds and calls what the user wrote in hooks.py of this package, by name: before_all, before_TOOL, request_TOOL,
request_all, instead_of_TOOL, after_TOOL, after_all, with `-` as `_`. Async, or plain and then in a thread of its own.

A hook may guard something, so nothing goes on without it: where one fails, takes too long, or hooks.py itself does not
load, the call is an error. The result then names the hook, and the log the place: what the exception says may hold
anything. What a hook says with Refuse is for the model.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import importlib
import json
import os
import threading
import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..core import log, spans
from ..core.wire_formats import Result
from ..request.argument_errors import HookFailed, Refuse, Unsendable
from ..text.sanitize import brief
from .hook_names import PARAMETERS, own_name

if TYPE_CHECKING:
    from ..core.budget import Budget
    from ..request.request import Request

Arguments = dict[str, Any]

LEAST = 1.0
"""Seconds that a hook after a call has in any case: it may be what tells of a call that took too long."""

LONGEST_REFUSAL = 500

MOST_THREADS = 64
"""Plain hooks at work at a time. None can be stopped: one that hangs, or whose call was cancelled, keeps its thread."""

_NO_THREAD = f"was not run: {MOST_THREADS} others that are no `async def` were at work for all of the"
_rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


# Decision 0099: hooks.py is loaded with the engine.
def load(tools: Iterable[str]) -> Hooks:
    """The hooks of this package, whose tools have these names."""
    try:
        module = importlib.import_module("...hooks", __package__)
    except BaseException as problem:  # it may raise anything, and nothing of that is meant for us
        return Hooks({}, (), _unloaded(problem))
    own = {name: each for name, each in vars(module).items() if not name.startswith("__") and callable(each)}
    return Hooks(own, tools)


def _unloaded(problem: BaseException) -> str:
    """Why hooks.py does not load: the kind of exception, what it is about, and the line. Not what it says."""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(problem.__traceback__)]
    if isinstance(problem, SyntaxError):
        places.append((problem.filename or "", problem.lineno))
    lines = [line for file, line in places if os.path.basename(file) == "hooks.py"]
    named = getattr(problem, "name", None) if isinstance(problem, (ImportError, NameError)) else None
    about = f" ({named})" if named else ""
    return f"hooks.py could not be loaded: {type(problem).__name__}{about}" + (
        f" in line {lines[-1]}." if lines else "."
    )


class Hooks:
    """The user's hooks. `mistakes` are sentences on what is wrong with hooks.py, for whoever wrote it; `idle` is
    whether there is nothing to ask them, as in most servers.
    """

    __slots__ = ("_found", "_unloaded", "idle", "mistakes")

    def __init__(self, own: dict[str, Any], tools: Iterable[str], unloaded: str = "") -> None:
        """`own` maps the names of hooks.py to functions; `unloaded` says why there are none."""
        self._found = {name: function for name, function in own.items() if name.startswith(tuple(PARAMETERS))}
        self._unloaded = unloaded
        self.idle = not self._found and not unloaded
        self.mistakes = [unloaded] if unloaded else []
        if own:
            from .hook_lint import mistakes  # in most servers hooks.py is as it was made

            self.mistakes = mistakes(own, list(tools))

    def report(self) -> None:
        """Say in the log what is wrong."""
        for sentence in self.mistakes:
            log.event("error" if self._unloaded else "warning", "hooks", reason=sentence)

    async def before(self, tool: str, arguments: Arguments, budget: Budget) -> Arguments:
        """The arguments to check and to send. Raises HookFailed or Refuse, as all of these do."""
        if self._unloaded:
            raise HookFailed("hooks.py of this server could not be loaded. Its log says why.")
        for name, first in (("before_all", (tool,)), (own_name("before_", tool), ())):
            changed = await self._call(name, budget, *first, arguments)
            if changed is not None:
                arguments = _expect(name, changed, dict)
        return arguments

    async def request(self, tool: str, built: Request, budget: Budget) -> Request:
        """The request to send. The hook for all tools comes last: it may sign what is sent."""
        for name, first in ((own_name("request_", tool), ()), ("request_all", (tool,))):
            if name in self._found:
                from .. import hooks  # few hooks are about requests
                from . import hook_request  # few hooks are about requests

                changed = await self._call(name, budget, *first, hook_request.shown(built))
                if changed is not None:
                    built = _rewritten(name, built, _expect(name, changed, hooks.Request))
        return built

    def replacing(self, tool: str) -> str:
        """The name of the hook that the user wrote in place of the request of a tool; "" where there is none."""
        name = "" if self.idle else own_name("instead_of_", tool)
        return name if name in self._found else ""

    async def instead(self, tool: str, arguments: Arguments, budget: Budget) -> Result:
        """The result of a tool that the user wrote in place of the request (`replacing`)."""
        name = self.replacing(tool)
        made = await self._call(name, budget, arguments)
        if isinstance(made, Result):
            return made
        try:
            return Result.text(made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))
        except (TypeError, ValueError):
            raise HookFailed(f"The hook {name} of this server returned what cannot be sent.") from None

    def follow(self, tool: str) -> bool:
        """Whether a hook is given the results of a tool."""
        return not self.idle and not self._found.keys().isdisjoint((own_name("after_", tool), "after_all"))

    async def after(self, tool: str, result: Result, budget: Budget, done: str = "") -> Result:
        """The result to answer with, where a hook is given it (`follow`). Errors pass through here too. `done` is what
        stays true where it is withheld."""
        result.written = ""  # they may change the value in place
        for name, first in ((own_name("after_", tool), ()), ("after_all", (tool,))):
            try:
                changed = await self._call(name, budget, *first, result, least=LEAST)
            except Refuse as reason:
                changed = Result.error(withheld(tool, refusal(reason), done))
            if changed is not None:
                result = _expect(name, changed, Result)
        return result

    async def _call(self, name: str, budget: Budget, *given: Any, least: float = 0.0) -> Any:
        """What the hook returns; None where there is no such hook."""
        function = self._found.get(name)
        if function is None:
            return None
        with budget as left:
            deadline = asyncio.timeout(max(left, least))
            try:
                async with deadline:
                    return await _outcome(function, given)
            except Refuse:
                log.event("info", "hook_refused", hook=name)
                raise
            except BaseException as problem:  # a hook may raise anything; none of that ends more than its call
                if isinstance(problem, asyncio.CancelledError) and _is_cancelled():
                    raise
                hidden = deadline.expired() or isinstance(problem.__cause__, StopIteration)
                reason = problem.__cause__ if hidden and problem.__cause__ else problem
                unfit = "" if deadline.expired() else f"{name} does not take {len(given)} arguments"
                at = _place(reason, function) or unfit
                log.event("error", "hook_failed", hook=name, error=type(problem).__name__, at=at)
                if deadline.expired():
                    late = _NO_THREAD if _NO_THREAD in reason.args else "did not end within the"
                    raise HookFailed(
                        f"The hook {name} of this server {late} {budget.total:g} seconds of a call."
                    ) from None
                raise HookFailed(f"The hook {name} of this server failed. Its log says where.") from None


def refusal(reason: Refuse) -> str:
    """What a hook says to the model."""
    return brief(log.redacted(str(reason)), LONGEST_REFUSAL) or "A rule of this server does not allow it."


def withheld(tool: str, reason: str, done: str) -> str:
    """What is said in place of the result of a call that was made: why, and what became of the call."""
    return f"The result of {tool} is withheld. {reason} {done}".rstrip()


def _is_cancelled() -> bool:
    """Whether the call is to end, and not only something that a hook waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _outcome(function: Any, given: tuple[Any, ...]) -> Any:
    import inspect  # most servers have no hooks

    if inspect.iscoroutinefunction(function):
        return await function(*given)
    made = await _in_thread(function, given)
    return await made if inspect.isawaitable(made) else made


# Decision 0098: A plain hook runs in a thread of its own.
async def _in_thread(function: Any, given: tuple[Any, ...]) -> Any:
    """What a plain function returns. Its thread is its own: names of hosts are looked up in those of the loop's pool,
    which hooks that hang could all hold."""
    loop = asyncio.get_running_loop()
    room = _rooms.setdefault(loop, asyncio.Semaphore(MOST_THREADS))
    try:
        await room.acquire()
    except asyncio.CancelledError:
        raise asyncio.CancelledError(_NO_THREAD) from None  # where that is the deadline, it becomes its cause
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(made: Any, problem: BaseException | None) -> None:
        room.release()
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
    except RuntimeError:  # the system has no more of them
        room.release()
        raise
    made, problem = await done
    if problem is not None:
        raise problem
    return made


def _place(problem: BaseException, function: Any) -> str:
    """Where in the code of the user it was raised, or under it; "" where none of that was reached."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename != __file__]
    file = getattr(getattr(function, "__code__", None), "co_filename", "")
    inside = [frame for frame in frames if frame.filename == file] or frames
    return f"{inside[-1].name}:{inside[-1].lineno}" if inside else ""


def _rewritten(name: str, built: Request, wanted: Any) -> Request:
    from .hook_request import rewritten  # it was loaded for the hook

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
