# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the garbage collector less often, and let the memory of one response be reused for the next.

- Gain: reused memory saves an eighth of the time of a small call, and a fifth for a call with 1 MB. Rare collections
  suffice, because a call leaves few reference cycles.
- Risk: reference cycles that hooks leave are freed a little later. Without glibc, there is no gain by reused memory.
- Test: `tests/streamable/test_memory.py` and `tests/hostile/test_crowded.py` limit the memory of a server;
  `tests/runtime/test_tuning.py` checks that `MCPGEN_TUNING=0` disables this module.
"""

from __future__ import annotations

from . import ON

#: Thresholds for `gc.set_threshold`, which make collections rarer
_COLLECTED = 2000, 3, 33
# Reused buffers save an eighth of a small call's time, and a fifth of that of a call with 1 MB
# (docs/decisions/speed.md).
#: Bytes of a block that is allocated and freed once. Afterwards glibc reuses freed blocks up to this size. Otherwise
#: glibc would map each block above 128 KiB anew, and clear its pages: asyncio allocates 256 KiB for every read.
_KEPT = 4 * 1024 * 1024


def settle() -> None:
    """Exclude all present objects from garbage collection, since they live until the process ends.

    Also let the garbage collector run less often, and let glibc reuse freed memory.
    """
    if not ON:
        return
    import gc  # imported late: only a process that runs tool calls is tuned, unlike one for `--doctor`

    bytes(_KEPT)
    gc.freeze()
    gc.set_threshold(*_COLLECTED)
