# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Load the hooks that the user wrote in this package's hooks.py. In most servers this file defines nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NoReturn

from ..core import absent_parts, log
from ..request.argument_errors import HookFailed

if TYPE_CHECKING:
    from ..hooks.hook_runner import Hooks


class NoHooks:
    """Stands for `hook_runner.Hooks` if hooks.py defines nothing, or if it cannot be loaded: then every call fails.

    `mistakes`: messages for the author of hooks.py. `idle`: True if hooks.py loads.
    """

    __slots__ = ("idle", "mistakes")

    def __init__(self, unloaded: str = "") -> None:
        """Create the object. `unloaded`: why hooks.py does not load, or ""."""
        self.idle = not unloaded
        self.mistakes = [unloaded] if unloaded else []

    def report(self) -> None:
        """Log why hooks.py does not load."""
        for sentence in self.mistakes:
            log.event("error", "hooks", reason=sentence)

    def replacing(self, tool: str) -> str:
        """Return "", since no hook replaces the request."""
        return ""


# Called right after the first answer to `tools/list`: no answer is delayed, and mistakes are logged before a call.
def load(tools: Iterable[str]) -> Hooks | NoHooks:
    """Load the hooks of this package. `tools` are the names of its tools."""
    try:
        module = importlib.import_module("...hooks", __package__)
        own = {name: each for name, each in vars(module).items() if not name.startswith("__") and callable(each)}
        if not own:
            return NoHooks()
        from ..hooks.hook_runner import Hooks  # imported late: in most servers hooks.py is empty
    except BaseException as problem:  # user code may raise anything, even SystemExit
        return NoHooks(absent_parts.advise(problem) or _unloaded(problem))
    return Hooks(own, tools)


def refuse(*_: object) -> Callable[[object], NoReturn]:
    """Return the step of each call if hooks.py could not be loaded: it raises HookFailed, because a hook that was not
    loaded may forbid the call.
    """

    def fail(call: object) -> NoReturn:
        raise HookFailed("hooks.py of this server could not be loaded. Its log says why.")

    return fail


def _unloaded(problem: BaseException) -> str:
    """Return a sentence that says why hooks.py does not load: kind of exception, missing name, and line.

    The exception's text is left out, since it may contain secrets.
    """
    import os  # imported late: most files load
    import traceback

    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(problem.__traceback__)]
    if isinstance(problem, SyntaxError):
        places.append((problem.filename or "", problem.lineno))
    lines = [line for file, line in places if os.path.basename(file) == "hooks.py"]
    named = getattr(problem, "name", None) if isinstance(problem, (ImportError, NameError)) else None
    about = f" ({named})" if named else ""
    return f"hooks.py could not be loaded: {type(problem).__name__}{about}" + (
        f" in line {lines[-1]}." if lines else "."
    )
