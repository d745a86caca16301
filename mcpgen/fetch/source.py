"""A source by its name → `Fetched`, and what a file names beside itself."""

import os
import sys
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from mcpgen.document import budgets
from mcpgen.errors import CannotGoOn
from mcpgen.fetch.files import Folder, read_file
from mcpgen.fetch.network import download, refuse_login
from mcpgen.fetch.size import within_budget


@dataclass(frozen=True, slots=True)
class Fetched:
    """`name` is what diagnostics call the source; `url` is where it came from, if from the network; `folder` holds the
    files that it may refer to, if it is a file.
    """

    name: str
    data: bytes
    url: str | None = None
    folder: Folder | None = None


def read(source: str, ref_dirs: tuple[str, ...] = ()) -> Fetched:
    """The bytes behind `source`. Its references may lead into its folder and into `ref_dirs`.

    CannotGoOn where it cannot be read or is larger than the budget.
    """
    if source == "-":
        data = sys.stdin.buffer.read(budgets.BYTES + 1)
        return Fetched("<stdin>", within_budget(data, "<stdin>"))
    if source.startswith(("http://", "https://")):
        refuse_login(source)
        return Fetched(source, *download(source))
    folder = Folder((os.path.dirname(source) or ".", *ref_dirs))
    return Fetched(source, read_file(source, source), folder=folder)


def beside(fetched: Fetched, name: str) -> Fetched:
    """What the file `fetched` calls `name`: a path that counts from its folder and leads to where it may refer, or a
    URL. A file that came by URL may name what is of its own origin alone, and one from standard input only URLs.

    CannotGoOn where it may not, or where there is nothing to read.
    """
    own = fetched.url
    is_url = name.startswith(("http://", "https://"))
    if own is not None:
        try:
            name = urljoin(own, name)
            same = _origin(name) == _origin(own)
        except ValueError:
            same = False
        if not same:
            raise _foreign(name, "is of another origin than the file that names it")
    elif not is_url:
        if fetched.folder is None:
            raise _foreign(name, "is a path, and what comes from standard input has no folder")
        path = os.path.normpath(os.path.join(os.path.dirname(fetched.name), name))
        return Fetched(path.replace(os.sep, "/"), fetched.folder.read(path), folder=fetched.folder)
    found = read(name)
    if own is not None and _origin(found.url or "") != _origin(own):
        raise _foreign(name, "leads to another origin than that of the file that names it")
    return found


def _foreign(name: str, why: str) -> CannotGoOn:
    return CannotGoOn("unreadable", f"{name} {why}.", hint="Keep both in one place, or name the file itself.")


def _origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL. ValueError where it has none."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme)
