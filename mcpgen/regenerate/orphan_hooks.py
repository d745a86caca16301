"""Find hooks that are never called: functions of hooks.py whose tool does not exist, or no longer exists.

The runtime finds a hook by its name, so a hook is silently no longer called if its tool was removed. hooks.py is parsed
and never run: it comes with a repository, and mcpgen does not execute code of others.
"""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Collection, Iterable, Iterator

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.names import clipped, did_you_mean, near
from mcpgen.base.plurals import counted
from mcpgen.base.runtime import hook_names

_KINDS = tuple(hook_names.PARAMETERS)
"""Prefixes of hook names."""

LARGEST = 1 << 18
"""Largest hooks.py that is read, in bytes: some six thousand lines."""

MOST = 50
"""Limit on the hooks that are reported one by one; further hooks are only counted."""

_LONGEST = 80
"""Longest name for which similar names are searched, in characters; tool names have up to 64."""

_ENCODINGS = frozenset({"utf-8", "utf-8-sig", "ascii", "us-ascii", "iso-8859-1", "iso-8859-15", "cp1252"})
"""Encodings whose decoder takes linear time. Python supports some encodings whose decoder does not."""

_PLAIN = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Compare, ast.BinOp)
"""Expressions whose values are not callable."""

_HELD = (ast.stmt, ast.excepthandler, ast.match_case)
"""Types of syntax nodes whose contents run when the module is loaded, unlike the bodies of functions and classes."""

_MEND = "Correct hooks.py: a server that cannot load this file refuses every call."


class _Unreadable(Exception):
    """Raised if hooks.py cannot be read as Python. The exception contains the reason, as part of a sentence, and the
    place in the file.
    """

    def __init__(self, reason: str, line: int = 1, column: int = 1, hint: str = _MEND) -> None:
        super().__init__(reason)
        self.line, self.column, self.hint = line, column, hint


# Parsed and never run: running the user's code here could have any effect.
def hooks(data: bytes, file: str, names: Collection[str], retired: Collection[str] = ()) -> Iterable[Diagnostic]:
    """Return a warning for each hook in `data`, the contents of hooks.py, that belongs to none of the tools `names`.

    `file`: path of this hooks.py. `retired`: former names of tools. A file that is not valid Python gives a single
    warning at the line of the error.
    """
    try:
        text = _decoded(data)
        module = _parsed(text)
    except _Unreadable as problem:
        message = f"hooks.py cannot be read: {problem}."
        place = Where(file, line=problem.line, column=problem.column)
        return [Diagnostic("unreadable-hooks", message, problem.hint, place)]
    return list(_orphaned(module, text, file, names, retired))


# -- Reading of hooks.py -----------------------------------------------------------------------------------------------


def _decoded(data: bytes) -> str:
    """Return `data` decoded from the encoding that it declares (PEP 263)."""
    if len(data) > LARGEST:
        hint = "Move parts of hooks.py to other modules, and import these in hooks.py."
        raise _Unreadable(f"the file is larger than {LARGEST // 1024} KiB", hint=hint)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if encoding not in _ENCODINGS:
            raise _Unreadable(f"they are written in {clipped(encoding)}", hint="Write the file in UTF-8.")
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = 1 + data.count(b"\n", 0, problem.start)
        raise _Unreadable(f"byte {problem.start} is no {problem.encoding}", line) from None
    except (SyntaxError, LookupError, ValueError):
        raise _Unreadable("they are neither UTF-8 nor in an encoding that Python knows") from None


def _parsed(text: str) -> ast.Module:
    if "\0" in text:
        raise _Unreadable("there is a null character", 1 + text.count("\n", 0, text.index("\0")))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ignore warnings about style: only names are looked for
            return ast.parse(text)
    except SyntaxError as problem:
        reason = clipped(problem.msg, 120)
        raise _Unreadable(reason, max(problem.lineno or 1, 1), max(problem.offset or 1, 1)) from None
    except (RecursionError, MemoryError, ValueError):
        raise _Unreadable("they nest deeper than Python reads") from None


def _defined(module: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Yield (name, line, byte offset), in order, for each top-level name that has the prefix of a hook and may be
    callable.
    """
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        for name, place in _names_of(node):
            if name.startswith(_KINDS):
                yield name, place.lineno, place.col_offset
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, _HELD)][::-1]


def _names_of(node: ast.AST) -> Iterator[tuple[str, ast.stmt | ast.expr | ast.alias]]:
    """Yield (name, node) for each name that one statement defines, imports or assigns, if its value may be callable."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, node
    elif isinstance(node, ast.ImportFrom):
        yield from ((alias.asname or alias.name, alias) for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value and not isinstance(node.value, _PLAIN):
        for target in node.targets if isinstance(node, ast.Assign) else (node.target,):
            if isinstance(target, ast.Name):
                yield target.id, target


# -- Warnings ----------------------------------------------------------------------------------------------------------


def _orphaned(
    module: ast.Module, text: str, file: str, names: Collection[str], retired: Collection[str]
) -> Iterator[Diagnostic]:
    served = {*hook_names.FOR_ALL, *(hook_names.own_name(kind, name) for name in names for kind in _KINDS)}
    lines = re.split(r"\r\n|\r|\n", text)
    orphans = [each for each in _defined(module) if each[0] not in served]
    for name, line, offset in orphans[:MOST]:
        column = 1 + len(lines[line - 1].encode()[:offset].decode(errors="ignore"))
        yield _orphan(name, Where(file, line=line, column=column), served, retired)
    if more := orphans[MOST:]:
        where = Where(file, line=more[0][1], column=1)
        message = f"{counted(len(more), 'more hook')} {'is' if len(more) == 1 else 'are'} for tools that do not exist."
        yield Diagnostic(
            "orphaned-hook", message, "Remove these functions, or rename them after existing tools.", where
        )


def _orphan(hook: str, where: Where, served: Collection[str], retired: Collection[str]) -> Diagnostic:
    """Return the warning that the function `hook` is never called.

    `served`: names of hooks for existing tools. `retired`: former names of tools.
    """
    kind = next(kind for kind in _KINDS if hook.startswith(kind))
    shown = clipped(hook, _LONGEST)
    gone = next((name for name in retired if hook_names.own_name(kind, name) == hook), None)
    known = sorted(name.removeprefix(kind) for name in served if name.startswith(kind))
    found = [kind + name for name in near(hook.removeprefix(kind), known)] if len(hook) <= _LONGEST else []
    if gone is not None:
        message = f"{shown} is never called: the tool {gone} was removed, because the API no longer has its operation."
        others = f", or rename it to {' or '.join(found)}" if found else ""
        return Diagnostic("orphaned-hook", message, f"mcpgen keeps the function. Remove it{others}.", where)
    message = f"{shown} is never called: there is no tool of that name."
    hint = did_you_mean(found) or (
        "Rename the function after an existing tool, or remove it; `mcpgen inspect` lists the tools."
    )
    return Diagnostic("orphaned-hook", message, hint, where)
