# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Collect garbage less often, and keep the memory of one answer for the next.

- Figure: an eighth of a small call and a fifth of a call of 1 MB, by the memory that is kept. Collections are rarer,
  because a call leaves few reference cycles.
- Risk: cycles that hooks leave stay a little longer. Elsewhere than with glibc the block changes nothing.
- Test: `tests/streamable/test_memory.py` and `tests/hostile/test_crowded.py` hold what a server may take;
  `tests/runtime/test_tuning.py` runs without it.
"""

from __future__ import annotations

from . import ON

#: Thresholds for `gc.set_threshold`.
_COLLECTED = 2000, 10, 10
# Decision 0154: A freed block of 4 MiB makes glibc reuse buffers.
#: Size of the block that is allocated and freed once. Afterwards glibc reuses freed blocks up to this size; larger ones
#: it would map anew each time and clear their pages. asyncio allocates 256 KiB for every read.
_KEPT = 4 * 1024 * 1024


def settle() -> None:
    """Leave all that is loaded now out of collections, since it lives until the end. Collect less often, and keep freed
    memory.
    """
    if not ON:
        return
    import gc  # imported here, since tuning pays only once there are calls

    bytes(_KEPT)
    gc.freeze()
    gc.set_threshold(*_COLLECTED)
