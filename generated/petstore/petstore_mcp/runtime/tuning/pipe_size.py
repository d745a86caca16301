# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make the pipe to the client larger for long answers.

A default pipe holds 64 KiB. A long answer would need many writes, and calls would wait for the client in between.

- Figure: docs/decisions/0160-larger-pipes.md.
- Risk: Linux limits the pipe memory of a user to 64 MiB, so one server should not take more. Where the system refuses,
  the pipe stays as it is.
- Test: `tests/runtime/test_process.py`, and `tests/runtime/test_tuning.py` without it.
"""

from __future__ import annotations

from . import ON

# Decision 0160: The pipe for a long answer is enlarged to 256 KiB.
_LARGE = 256 * 1024


def enlarged(descriptor: int) -> int:
    """Return the capacity of an empty pipe in bytes, after enlarging a small one; 0 if unknown."""
    try:
        import fcntl  # not on every system, and only long answers need it

        capacity = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    except (ImportError, AttributeError, OSError):
        return 0
    if not ON or capacity >= _LARGE:
        return capacity
    try:
        return fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _LARGE)
    except OSError:  # the user's pipe memory is used up
        return capacity
