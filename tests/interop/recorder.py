"""Run between a client and a server, and record every line in both directions.

The client starts the recorder instead of the server: `recorder.py FOLDER COMMAND...`. Bytes are passed on unchanged and
at once. A line is recorded before the other side can see its end, so the record has the order of events. There is one
file for each process, whose name begins with the time. Each line is a JSON object: `{"from": "client|server|stderr",
"line": TEXT}`, in Latin-1 so that any byte is kept, and at the end `{"exit": CODE}`.

Only the standard library is used, because the recorder runs in an isolated environment.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO


class Record:
    """The file with the recorded lines of one process. Several threads write to it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="ascii")
        self._lock = threading.Lock()

    def write(self, **entry: object) -> None:
        with self._lock:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()


def pump(record: Record, name: str, source: int, sink: int) -> None:
    """Pass all bytes from `source` to `sink` and record the lines. Close both once `source` is at its end or nobody
    reads `sink`.
    """
    rest = b""
    try:
        while chunk := os.read(source, 65536):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                record.write(**{"from": name, "line": (line + b"\n").decode("latin-1")})
            view = memoryview(chunk)
            while view:
                view = view[os.write(sink, view) :]
    except OSError:
        pass  # the reader of `sink` has ended; closing `source` tells this to the process that writes to it
    if rest:
        record.write(**{"from": name, "line": rest.decode("latin-1")})
    os.close(source)
    os.close(sink)


def descriptor(pipe: IO[bytes] | None) -> int:
    """Return a duplicate of a pipe's descriptor. No other object closes it."""
    assert pipe is not None
    with pipe:
        return os.dup(pipe.fileno())


def main() -> int:
    record = Record(Path(sys.argv[1]) / f"{time.monotonic_ns():020}-{os.getpid()}.jsonl")
    pipe = subprocess.PIPE
    server = subprocess.Popen(sys.argv[2:], stdin=pipe, stdout=pipe, stderr=pipe)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    ways = [
        ("client", 0, descriptor(server.stdin)),
        ("server", descriptor(server.stdout), 1),
        ("stderr", descriptor(server.stderr), 2),
    ]
    threads = [threading.Thread(target=pump, args=(record, *way), daemon=True) for way in ways]
    for thread in threads:
        thread.start()
    code = server.wait()
    for thread in threads[1:]:
        thread.join()
    record.write(exit=code)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    # os._exit and not sys.exit, which could wait for a thread that holds the lock of stdin. All output is flushed.
    os._exit(main())
