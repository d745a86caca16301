"""Count the function calls of some work: a measure of cost that does not depend on the speed of the machine."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any


def function_calls(work: Callable[[], Any], events: tuple[str, ...] = ("call",)) -> Counter[str]:
    """Return the calls that `work` makes in this thread, by the file of the called function.

    With the event `c_call` of `sys.setprofile` also a call of a C function counts, for the file that calls.
    Nothing is collected meanwhile: a collection calls the finalizers of objects that earlier tests left.
    """
    found = Counter[str]()

    def called(frame: FrameType, event: str, argument: object) -> None:
        if event in events:
            found[frame.f_code.co_filename] += 1

    collected = gc.isenabled()
    gc.disable()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
        if collected:
            gc.enable()
    return found
