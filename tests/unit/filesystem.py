"""Count mcpgen's calls to the file system, let any of them fail, or kill the process before any of them.

Calls that only read (stat, reading a file) are not counted, except listing a directory, which needs a descriptor. The
process is killed only before calls that change files: other calls change nothing on disk. Syncs to disk are skipped.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from unittest import mock

from mcpgen.regenerate.publish import exchange

KILLED = 137
Calls = dict[ModuleType, tuple[str, ...]]
_CHANGES: Calls = {
    os: ("mkdir", "open", "write", "link", "symlink", "unlink", "rmdir", "rename", "replace", "chmod"),
    exchange: ("_rename",),
}
SWAPS: Calls = {exchange: ("_rename",)}
_OTHERS: Calls = {os: ("fsync", "scandir", "listdir"), fcntl: ("flock",)}

Before = Callable[[int], None]
"""Function called before each counted call, with its number from 0 on."""


@contextlib.contextmanager
def watched(before: Before, *which: Calls) -> Iterator[None]:
    """Within the `with` block, call `before` ahead of each call of a function that `which` names."""
    numbers = iter(range(10**6))

    def counted(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            before(next(numbers))
            return function(*arguments, **options)

        return call

    with contextlib.ExitStack() as stack:
        stack.enter_context(quick())
        for module, names in (pair for calls in which for pair in calls.items()):
            for name in names:
                stack.enter_context(mock.patch.object(module, name, counted(getattr(module, name))))
        yield


@contextlib.contextmanager
def quick() -> Iterator[None]:
    """Skip syncs to disk, since tests kill the process and not the machine."""
    with mock.patch.object(os, "fsync", return_value=None):
        yield


def killed_at(number: int, action: Callable[[], object], which: Calls = _CHANGES) -> bool:
    """Run `action` in a child process that is killed before call number `number` of the functions in `which`.

    Return True if there was such a call.
    """
    child = os.fork()
    if child == 0:
        try:
            with watched(lambda now: os._exit(KILLED) if now == number else None, which):
                action()
            os._exit(0)
        except BaseException:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED)
    return code == KILLED


def unprivileged(action: Callable[[], object]) -> int:
    """Run `action` in a child process without root's rights, so that file modes apply.

    Return 0, or 1 if `action` raised an error.
    """
    child = os.fork()
    if child == 0:
        try:
            library = ctypes.CDLL(None)
            version_3, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
            if library.capset(version_3, none) == 0:
                action()
                os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextlib.contextmanager
def failing_at(number: int, reason: int, *, from_then_on: bool) -> Iterator[list[int]]:
    """Count the file system calls of mcpgen from 0 on, and let call `number` fail with the error number `reason`.

    With `from_then_on`, all later calls fail, too. Yield a list that receives the number of each call.
    """
    seen: list[int] = []

    def before(now: int) -> None:
        seen.append(now)
        if now == number or (from_then_on and now > number):
            raise OSError(reason, os.strerror(reason))

    with watched(before, _CHANGES, _OTHERS):
        yield seen


def contents(directory: Path) -> dict[str, bytes] | None:
    """Return a mapping from path to bytes for every file below `directory`, or None if the directory is missing.

    Links are followed.
    """
    if not directory.exists():
        return None
    found = {}
    for folder, _, names in os.walk(directory, followlinks=True):
        for name in names:
            path = Path(folder, name)
            found[path.relative_to(directory).as_posix()] = path.read_bytes()
    return found
