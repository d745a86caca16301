# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Finds and calls what the user wrote in hooks.py of this package, by name: before_all, before_TOOL, instead_of_TOOL,
after_TOOL, after_all, with `-` as `_`. Plain or async.

A hook may guard something, so nothing goes on without it: where one fails, or hooks.py itself does not load, the call
is an error. The result then names the hook, and the log the place: what the exception says may hold anything.
"""

from __future__ import annotations

import importlib
import inspect
import json
import traceback
from collections.abc import Iterable
from typing import Any

from . import log
from .shapes import Result

_KINDS = ("before_", "instead_of_", "after_")

Arguments = dict[str, Any]


class HookFailed(Exception):
    """A hook raised, or returned what it may not. The message is a sentence that names it."""


class Hooks:
    """The user's hooks."""

    __slots__ = ("_found", "_unloaded")

    def __init__(self, found: dict[str, Any], tools: Iterable[str]) -> None:
        """`found` maps names to functions. A hook for a tool that does not exist is reported, once, on stderr."""
        self._found = {name: function for name, function in found.items() if name.startswith(_KINDS)}
        self._unloaded = ""
        known = {kind + tool.replace("-", "_") for kind in _KINDS for tool in [*tools, "all"]}
        for name in self._found:
            if name not in known:
                log.event("warning", "hook_without_tool", hook=name)

    @classmethod
    def load(cls, tools: Iterable[str]) -> Hooks:
        """The hooks of this package."""
        try:
            module = importlib.import_module("..hooks", __package__)
        except (Exception, SystemExit) as problem:
            log.event("error", "hooks_not_loaded", error=type(problem).__name__, reason=str(problem))
            broken = cls({}, ())
            broken._unloaded = "hooks.py of this server could not be loaded. Its log says why."
            return broken
        own = {name: each for name, each in vars(module).items() if callable(each)}
        return cls(own, tools)

    async def before(self, tool: str, arguments: Arguments) -> Arguments:
        """The arguments to check and to send."""
        if self._unloaded:
            raise HookFailed(self._unloaded)
        for name, first in (("before_all", (tool,)), (_name("before_", tool), ())):
            changed = await self._call(name, *first, arguments)
            if changed is not None:
                arguments = _expect(name, changed, dict)
        return arguments

    def replacing(self, tool: str) -> str:
        """The name of the hook that the user wrote in place of the request of a tool; "" where there is none."""
        name = _name("instead_of_", tool)
        return name if name in self._found else ""

    async def instead(self, tool: str, arguments: Arguments) -> Result:
        """The result of a tool that the user wrote in place of the request (`replacing`)."""
        name = self.replacing(tool)
        made = await self._call(name, arguments)
        if isinstance(made, Result):
            return made
        try:
            return Result.text(made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))
        except (TypeError, ValueError):
            raise HookFailed(f"The hook {name} of this server returned what cannot be sent.") from None

    async def after(self, tool: str, result: Result) -> Result:
        """The result to answer with. Errors pass through here too."""
        for name, first in ((_name("after_", tool), ()), ("after_all", (tool,))):
            changed = await self._call(name, *first, result)
            if changed is not None:
                result = _expect(name, changed, Result)
        return result

    async def _call(self, name: str, *given: Any) -> Any:
        """What the hook returns; None where there is no such hook."""
        function = self._found.get(name)
        if function is None:
            return None
        try:
            made = function(*given)
            return await made if inspect.isawaitable(made) else made
        except (Exception, SystemExit) as problem:
            # Where, and not what it says: that may hold arguments.
            inside = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename != __file__]
            at = f"{inside[-1].name}:{inside[-1].lineno}" if inside else f"{name} does not take {len(given)} arguments"
            log.event("error", "hook_failed", hook=name, error=type(problem).__name__, at=at)
            raise HookFailed(f"The hook {name} of this server failed. Its log says where.") from None


def _name(kind: str, tool: str) -> str:
    return kind + tool.replace("-", "_")


def _expect(name: str, value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise HookFailed(f"The hook {name} of this server returned something else than {kind.__name__} or None.")
    return value
