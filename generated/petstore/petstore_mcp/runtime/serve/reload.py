# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--reload`: watch the table, and serve the newly generated one without a restart.

The watch compares the status of the table's files and of the runtime's folders. A change is read once two checks in a
row found the same status. So several quick changes count as one, and half-written tables are left alone. A table that
is damaged, or with which the server could not start, is not served, and the log says why. The former table then stays.

Only the table is replaced: the running Python code stays, hooks.py too. If the runtime's files have changed as well,
the new table may need the new runtime. Then a restart is required.
"""

from __future__ import annotations

import os
import threading
import time
from binascii import crc32
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core import log
from ..core.catalog import Catalog, CatalogError
from ..core.safe_open import open_regular

if TYPE_CHECKING:
    from ..settings.settings import Again, Settings

    Renew = Callable[[Catalog, Settings], None]

# Decision 0105: The tables are looked at every half second.
SECONDS = 0.5
"""Seconds between two checks."""

_WATCHED = ("tools.json", "bindings.json", "resources.json", "prompts.json", "search.json", "runtime")


class _NotTaken(Exception):
    """A new table that is not served. The message is a sentence that says why."""


# Decision 0104: Reload takes up the table alone.
class Watch:
    """Watch over the table of one server."""

    def __init__(self, package: str, served: Catalog, again: Again, renew: Renew) -> None:
        """Create a watch.

        `package` is the directory, and `served` the table at the start. `again` reads the settings for a new table, and
        `renew` serves both.
        """
        self._package = package
        self._served = served
        self._again = again
        self._renew = renew
        self._runtime = _runtime(package)
        self._seen: object = None
        self._examined: object = None

    def start(self) -> None:
        """Begin to check repeatedly, in a daemon thread."""
        threading.Thread(target=self._watch, name="reload", daemon=True).start()

    def look(self) -> None:
        """Check once, and serve a new table that has not changed since the last check."""
        before, self._seen = self._seen, _seen(self._package)
        if self._seen != before or self._seen == self._examined:
            return
        self._examined = self._seen
        try:
            self._examine()
        except (CatalogError, _NotTaken) as reason:
            log.event("error", "table_not_taken", reason=str(reason))
        except Exception as problem:  # the former table can still be served
            log.event("error", "table_not_taken", error=type(problem).__name__)

    def _watch(self) -> None:
        while True:
            time.sleep(SECONDS)
            self.look()

    def _examine(self) -> None:
        """Load the table and serve it if it is new. Raises CatalogError or _NotTaken."""
        catalog = Catalog.load(self._package, held=True)
        if _runtime(self._package) != self._runtime:
            raise _NotTaken("The server was generated with another runtime. Start it again.")
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
    """Return the status of the watched files, which changes with each file written."""
    found: list[tuple[int, ...]] = []
    for name in (*_WATCHED, *_rooms(package)):
        try:
            status = os.stat(f"{package}/{name}")
            found.append((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
        except OSError:
            found.append(())
    return found


def _runtime(package: str) -> dict[str, int]:
    """Return the checksum of each runtime module on the disk."""
    found = {}
    for folder in ("runtime", *_rooms(package)):
        for name in os.listdir(f"{package}/{folder}"):
            if name.endswith(".py"):
                with open(open_regular(f"{package}/{folder}/{name}"), "rb") as file:
                    found[f"{folder}/{name}"] = crc32(file.read())
    return found


def _rooms(package: str) -> list[str]:
    """Return the folders of the runtime, which are one level deep."""
    try:
        with os.scandir(f"{package}/runtime") as entries:
            return sorted(f"runtime/{each.name}" for each in entries if each.is_dir() and each.name != "__pycache__")
    except OSError:
        return []
