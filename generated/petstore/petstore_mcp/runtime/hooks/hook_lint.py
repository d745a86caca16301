# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find mistakes in hooks.py before any call: hooks that would never be called, or that cannot be called."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from .hook_names import FOR_ALL, PARAMETERS, own_name

_NEAR = 0.8


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
