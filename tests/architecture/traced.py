"""Run a generated server, and tell which of its files it has passed since it was last asked.

    python traced.py DESCRIPTOR PACKAGE [FLAG...]

On SIGUSR1, write a line to the file DESCRIPTOR, and forget what was traced. The line is a JSON object with two members:
`files`, the files whose functions were called, and `changes`, how often a function of one file was called after a
function of another file, by the same thread.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import threading
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from types import FrameType

if __name__ == "__main__":
    out, package, *flags = sys.argv[1:]
    top = str(Path(package).resolve() / "runtime")
    passed: defaultdict[int, list[str]] = defaultdict(list)  # by thread: the file of each called function, in order

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(top):
            passed[threading.get_ident()].append(frame.f_code.co_filename)

    def asked(*_: object) -> None:
        ways = [*passed.values()]
        passed.clear()
        files = sorted({os.path.relpath(name, top) for way in ways for name in way})
        changes = sum(one != other for way in ways for one, other in pairwise(way))
        os.write(int(out), json.dumps({"files": files, "changes": changes}).encode() + b"\n")

    signal.signal(signal.SIGUSR1, asked)
    threading.setprofile(called)
    sys.setprofile(called)
    sys.path.insert(0, os.getcwd())
    sys.argv = [package, *flags]
    runpy.run_module(package, run_name="__main__", alter_sys=True)
