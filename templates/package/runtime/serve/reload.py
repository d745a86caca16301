# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""With --reload: the table is watched, and once the server is generated again the new one is served without a restart.

What is watched is how the files of the table lie on the disk, and the folders of the runtime. A change is looked
at once it has rested from one look to the next, so many in a row are one, and a table that is being written is left
alone. One that is torn, or with which the server could not have started, is not served, and the log says why; the one
before stays until the files change again.

It is the table alone that is brought in: the Python that runs stays what it was at the start, hooks.py too. Where the
runtime beside it is another one by now, a table may mean what this one does not know; that takes a restart.
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
"""Between two looks."""

_WATCHED = ("tools.json", "bindings.json", "resources.json", "prompts.json", "runtime")


class _NotTaken(Exception):
    """A new table that is not served; the message is a sentence that says why."""


# Decision 0104: Reload takes up the table alone.
class Watch:
    """Watches the table of one server."""

    def __init__(self, package: str, served: Catalog, again: Again, renew: Renew) -> None:
        """`package` is the directory, `served` the table at the start; `again` reads the settings for another one, and
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
        """From now on, look again and again, in a thread that ends with the process."""
        threading.Thread(target=self._watch, name="reload", daemon=True).start()

    def look(self) -> None:
        """Look once, and serve what is new and has rested."""
        before, self._seen = self._seen, _seen(self._package)
        if self._seen != before or self._seen == self._examined:
            return
        self._examined = self._seen
        try:
            self._examine()
        except (CatalogError, _NotTaken) as reason:
            log.event("error", "table_not_taken", reason=str(reason))
        except Exception as problem:  # whatever it is, the table before can still be served
            log.event("error", "table_not_taken", error=type(problem).__name__)

    def _watch(self) -> None:
        while True:
            time.sleep(SECONDS)
            self.look()

    def _examine(self) -> None:
        """Raises CatalogError or _NotTaken."""
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
    """How they lie there: it changes with each file that is written."""
    found: list[tuple[int, ...]] = []
    for name in (*_WATCHED, *_rooms(package)):
        try:
            status = os.stat(f"{package}/{name}")
            found.append((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
        except OSError:
            found.append(())
    return found


def _runtime(package: str) -> dict[str, int]:
    """The digest of each module of the runtime that lies there."""
    found = {}
    for folder in ("runtime", *_rooms(package)):
        for name in os.listdir(f"{package}/{folder}"):
            if name.endswith(".py"):
                with open(open_regular(f"{package}/{folder}/{name}"), "rb") as file:
                    found[f"{folder}/{name}"] = crc32(file.read())
    return found


def _rooms(package: str) -> list[str]:
    """Return the folders of the runtime, which are one deep."""
    try:
        with os.scandir(f"{package}/runtime") as entries:
            return sorted(f"runtime/{each.name}" for each in entries if each.is_dir() and each.name != "__pycache__")
    except OSError:
        return []
