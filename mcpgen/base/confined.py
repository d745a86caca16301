"""Work of others that cannot be counted, done by a child process that the system limits.

A library that is given a hostile document may run for ever or take all memory, and nothing in its process can stop it.
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
    """The child was stopped: the message is how, as the rest of a sentence about the work."""


Tell = Callable[[JsonValue], None]


def run_confined(work: Callable[[Tell], None], seconds: int, mebibytes: int) -> Iterator[JsonValue]:
    """Yield what `work` tells, by the function that it is given. A child does it, which may take so many seconds of
    work, and so much memory beside what there is. Raises Stopped where that is not enough.

    A system that cannot fork does the work in this process, without a limit.
    """
    if not hasattr(os, "fork"):
        told: list[JsonValue] = []
        work(told.append)
        yield from told
        return
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # From Python 3.12 on, where there are other threads. None of ours holds a lock that the child would wait for.
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
                if line.endswith("\n"):  # else the child was stopped in the middle of it
                    yield json.loads(line)
        _, status = os.waitpid(child, 0)
    finally:
        if status is None:  # whoever reads has heard enough
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code in (_EXIT_MEMORY, -signal.SIGABRT):
        raise Stopped(f"takes more than {mebibytes:,} MiB of memory")
    if code in (-signal.SIGKILL, -signal.SIGXCPU):
        raise Stopped(f"takes more than {seconds:,} seconds of work")
    if code != 0:
        raise Stopped("breaks the program that does it")


def _be_child(work: Callable[[Tell], None], writing: int, seconds: int, mebibytes: int) -> NoReturn:
    """Do the work, write a line for each thing that is told, and end."""
    code = 70
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where a library would say that it aborts
        _limit(seconds, mebibytes)
        gc.freeze()  # what the parent has made is not looked through
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
    import resource  # not on Windows, which does not come here

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with contextlib.suppress(ValueError, OSError), open(_STATM, encoding="ascii") as sizes:
            most = int(sizes.read().split()[0]) * resource.getpagesize() + mebibytes * 1024 * 1024
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))
