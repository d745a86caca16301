# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--reload`: watch the generated JSON files (`tools.json` and others), called tables. Serve new tables
without a restart.

The watch compares the file status of the tables and of the runtime's folders. New tables are read after two checks in a
row found the same status. So several quick changes count as one, and half-written files are not read. Tables that are
damaged, or with which the server could not start, are not served. The former tables then stay, and the log says why.

Only the tables are replaced. Python code that runs is not replaced, hooks.py included. If files of the runtime have
changed too, the new tables may need the new runtime. Then a restart is required. A folder that was added or removed as
a whole requires none: it is a part of the server, which loads the part's modules when a call first needs them.
"""

from __future__ import annotations

import os
import threading
import time
from binascii import crc32
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from typing import TYPE_CHECKING

from ..core import log
from ..core.catalog import Catalog, CatalogError
from ..files.safe_open import open_regular

if TYPE_CHECKING:
    from ..settings.settings import Again, Settings

    Renew = Callable[[Catalog, Settings], None]

# Polling needs no library and works on every system. Waiting for one further check joins many changes into one reload.
SECONDS = 0.5
"""Seconds between two checks."""

_WATCHED = ("tools.json", "bindings.json", "resources.json", "prompts.json", "search.json")


class _NotTaken(Exception):
    """Raised if newly generated JSON files cannot be served. The message is a sentence that says why."""


# A table that was written for a newer runtime may contain a key that this runtime would ignore
# (docs/decisions/calls.md).
class Watch:
    """Watcher of the generated JSON files of one server."""

    def __init__(self, package: str, served: Catalog, again: Again, renew: Renew) -> None:
        """Create a watcher.

        `package`: directory of the generated JSON files. `served`: catalog (all tools) at the start. `again(catalog)`
        reads the settings again, and returns those for a new catalog. `renew(catalog, settings)` begins to serve it.
        """
        self._package = package
        self._served = served
        self._again = again
        self._renew = renew
        self._runtime = _runtime(package)
        self._seen: object = None
        self._examined: object = None

    def start(self) -> None:
        """Start a daemon thread that repeatedly checks whether the generated files have changed."""
        threading.Thread(target=self._watch, name="reload", daemon=True).start()

    def look(self) -> None:
        """Check the files once. Serve changed files only if the previous check found them in the same state."""
        before, self._seen = self._seen, _seen(self._package)
        if self._seen != before or self._seen == self._examined:
            return
        self._examined = self._seen
        try:
            self._examine()
        except (CatalogError, _NotTaken) as reason:
            log.event("error", "table_not_taken", reason=str(reason))
        except Exception as problem:  # no error may end the watch: the old files can still be served
            log.event("error", "table_not_taken", error=type(problem).__name__)

    def _watch(self) -> None:
        while True:
            time.sleep(SECONDS)
            self.look()

    def _examine(self) -> None:
        """Load the generated JSON files, and serve them if they are new.

        Raise CatalogError if they are damaged, and _NotTaken if they cannot be served.
        """
        catalog = Catalog.load(self._package, held=True)
        runtime = _runtime(self._package)
        if any(runtime.get(folder, files) != files for folder, files in self._runtime.items()):
            raise _NotTaken("The server was generated with another runtime. Start it again.")
        self._runtime |= runtime
        invalidate_caches()  # Python remembers for a moment which files a folder has
        if catalog.is_same(self._served):
            return
        if (catalog.name, catalog.prefix) != (self._served.name, self._served.prefix):
            raise _NotTaken("The new table is of another server. Start this one again.")
        settings = self._again(catalog)
        if settings.problems:
            raise _NotTaken(" ".join(settings.problems))
        settings.apply(catalog)
        self._renew(catalog, settings)
        self._served = catalog
        log.event("info", "table_taken", version=catalog.version, tools=len(catalog.names()))


def _seen(package: str) -> object:
    """Return the file status (inode, size, times) of all watched files. The value changes when a file is written."""
    found: list[tuple[int, ...]] = []
    for name in (*_WATCHED, *_rooms(package)):
        try:
            status = os.stat(f"{package}/{name}")
            found.append((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
        except OSError:
            found.append(())
    return found


def _runtime(package: str) -> dict[str, dict[str, int]]:
    """Return folder of the runtime -> module -> checksum, as they are on disk."""
    return {folder: dict(_checksums(f"{package}/{folder}")) for folder in _rooms(package)}


def _checksums(folder: str) -> Iterator[tuple[str, int]]:
    for name in os.listdir(folder):
        if name.endswith(".py"):
            with open(open_regular(f"{folder}/{name}"), "rb") as file:
                yield name, crc32(file.read())


def _rooms(package: str) -> list[str]:
    """Return the folder of the runtime, and all folders inside."""
    found = []
    for folder, inside, _ in os.walk(f"{package}/runtime"):
        inside[:] = sorted(each for each in inside if each != "__pycache__")
        found.append(folder.removeprefix(f"{package}/"))
    return found
