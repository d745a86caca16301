"""Run work in a child process whose CPU time and memory the operating system limits.

A library may loop for ever or take all memory on a hostile document. Code in the same process could not stop it.
"""

import contextlib
import gc
import json
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import NoReturn, TextIO

from mcpgen.base.jsonvalue import JsonValue

_EXIT_MEMORY = 71
_STATM = "/proc/self/statm"


class Stopped(Exception):
    """The child process was stopped before its work was done.

    The message completes a sentence about the work: "takes more than 10 seconds of work".
    """


Tell = Callable[[JsonValue], None]


def run_confined(work: Callable[[Tell], None], seconds: int, mebibytes: int) -> Iterator[JsonValue]:
    """Run `work` in a child process, and yield each value that `work` passes to its callback.

    The child may use `seconds` of CPU time, and `mebibytes` of memory beyond what this process uses. Raises Stopped if
    the child exceeds a limit or crashes. Where the system cannot fork, `work` runs in this process without limits.
    """
    if not hasattr(os, "fork"):
        told: list[JsonValue] = []
        work(told.append)
        yield from told
        return
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Ignore the warning of Python 3.12 and later about a fork while other threads run: no thread of mcpgen holds a
        # lock that the child needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(work, writing, seconds, mebibytes)
    os.close(writing)
    status = None
    try:
        with open(reading, encoding="ascii") as lines:
            for line in lines:
                if line.endswith("\n"):  # An incomplete last line is dropped: the child was killed while writing it.
                    yield json.loads(line)
        _, status = os.waitpid(child, 0)
    finally:
        if status is None:  # The caller closed this generator early, so the child may still be running.
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code in (_EXIT_MEMORY, -signal.SIGABRT):
        raise Stopped(f"takes more than {mebibytes:,} MiB of memory")
    if code in (-signal.SIGKILL, -signal.SIGXCPU):
        raise Stopped(f"takes more than {seconds:,} seconds of work")
    if code != 0:
        raise Stopped("crashes the process that does the work")


def _be_child(work: Callable[[Tell], None], writing: int, seconds: int, mebibytes: int) -> NoReturn:
    """Run `work` in the child, write each reported value as a line of JSON, and end the process."""
    code = 70
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Discard stderr: a library may print there that it aborts.
        _limit(seconds, mebibytes)
        gc.freeze()  # Keep Python's garbage collector from searching the parent's objects.
        gc.enable()
        with open(writing, "w", encoding="ascii", buffering=1) as lines:
            work(lambda told: _tell(told, lines))
        code = 0
    except MemoryError:
        code = _EXIT_MEMORY
    except BrokenPipeError:
        code = 0
    finally:
        os._exit(code)


def _tell(told: JsonValue, lines: TextIO) -> None:
    lines.write(json.dumps(told) + "\n")


def _limit(seconds: int, mebibytes: int) -> None:
    import resource  # Windows lacks the module `resource`; it cannot fork either, so this line never runs there.

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with contextlib.suppress(ValueError, OSError), open(_STATM, encoding="ascii") as sizes:
            most = int(sizes.read().split()[0]) * resource.getpagesize() + mebibytes * 1024 * 1024
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))
