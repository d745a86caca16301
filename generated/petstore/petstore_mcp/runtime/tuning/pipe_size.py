# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Enlarge the pipe through which the client reads stdout, for long answers.

A default pipe holds 64 KiB. A long answer would need many writes, and calls would wait for the client in between.

- Gain: running calls wait less for the client while it reads a long answer (docs/decisions/speed.md).
- Risk: Linux limits the pipe memory of all processes of a user to 64 MiB. Enlarged pipes use up this memory sooner
  than default pipes. If the system refuses, the pipe keeps its size.
- Test: `tests/runtime/test_process.py`. `tests/runtime/test_tuning.py` checks that `MCPGEN_TUNING=0` disables this
  module.
"""

from __future__ import annotations

from . import ON

_LARGE = 256 * 1024


def enlarged(descriptor: int) -> int:
    """Enlarge a pipe if it is small, and return its capacity in bytes; 0 if the capacity is unknown."""
    try:
        import fcntl  # imported here: not every system has this module, and only long answers need it

        capacity = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    except (ImportError, AttributeError, OSError):
        return 0
    if not ON or capacity >= _LARGE:
        return capacity
    try:
        return fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _LARGE)
    except OSError:  # the system refuses, since the user's limit on pipe memory is reached
        return capacity
