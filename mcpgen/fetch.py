"""SOURCE → bytes: a path, `-` for standard input, or an http(s) URL. The only module of the compiler that opens a
socket.

Every way is capped before it is read, and a path must lead to a regular file, so that a pipe or a device cannot hold
the compiler.
"""

import os
import sys
from dataclasses import dataclass, replace
from urllib.parse import urljoin, urlsplit

from mcpgen.diagnostics import Where
from mcpgen.document import budgets
from mcpgen.errors import CannotGoOn
from mcpgen.safe_open import NotRegular, read_below, read_regular

SECONDS = 30.0
REDIRECTS = 3


@dataclass(frozen=True, slots=True)
class Fetched:
    """`name` is what diagnostics call the source; `url` is where it came from, if from the network; `folder` holds the
    files that it may refer to, if it is a file.
    """

    name: str
    data: bytes
    url: str | None = None
    folder: "Folder | None" = None


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the references of a document may lead: into its own folder, and into others that the user named."""

    roots: tuple[str, ...]

    def and_beside(self, name: str, folders: tuple[str, ...]) -> "Folder":
        """This one and `folders`, paths that count from the folder of the file `name`."""
        return Folder((*self.roots, *(os.path.join(os.path.dirname(name), folder) for folder in folders)))

    @staticmethod
    def is_beside(name: str, folder: str) -> bool:
        """Whether there is a `folder`, a path that counts from the folder of the file `name`."""
        return os.path.isdir(os.path.join(os.path.dirname(name), folder))

    def read(self, name: str) -> bytes:
        """The bytes of the file `name`. CannotGoOn where it lies elsewhere, links followed, or cannot be read.

        A link that is put there between the look and the reading is not followed (safe_open.py).
        """
        try:
            real = os.path.realpath(name)
            roots = (root for root in map(os.path.realpath, self.roots) if os.path.commonpath([root, real]) == root)
            root = next(roots, None)
        except (OSError, ValueError):  # OSError: a link that went while it was read
            root = None
        if root is None:
            raise CannotGoOn(
                "foreign-reference",
                f"{name} lies outside of the document's folder.",
                hint="Name its folder with --ref-dir, or `ref_dir` in a tools file, where it may be read.",
            )
        return _read_file(real, name, root).data


def read(source: str, ref_dirs: tuple[str, ...] = ()) -> Fetched:
    """The bytes behind `source`. Its references may lead into its folder and into `ref_dirs`.

    CannotGoOn where it cannot be read or is larger than the budget.
    """
    if source == "-":
        data = sys.stdin.buffer.read(budgets.BYTES + 1)
        return _within_budget(Fetched("<stdin>", data))
    if source.startswith(("http://", "https://")):
        _refuse_login(source)
        return _within_budget(_download(source))
    fetched = _within_budget(_read_file(source, source))
    return replace(fetched, folder=Folder((os.path.dirname(source) or ".", *ref_dirs)))


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


def _read_file(path: str, source: str, root: str | None = None) -> Fetched:
    """The file at `path`, which messages call `source`; below the folder `root` without any link."""
    most = budgets.BYTES + 1
    try:
        data = read_below(root, os.path.relpath(path, root), most) if root else read_regular(path, most)
        if len(data) == most:
            raise _too_large(source)
        return Fetched(source, data)
    except IsADirectoryError:
        raise CannotGoOn("unreadable", f"{source} is a directory.", hint="Name the document in it.") from None
    except NotRegular:
        raise CannotGoOn(
            "unreadable", f"{source} is not a regular file.", hint="Copy it to a file, or pipe it to `-`."
        ) from None
    except FileNotFoundError:
        raise CannotGoOn("unreadable", f"There is no file {source}.", hint="Check the path.") from None
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "it cannot be opened"
        raise CannotGoOn(
            "unreadable", f"{source} cannot be read: {reason}.", hint="Check the path and its rights."
        ) from None


def _refuse_login(url: str) -> None:
    """A URL is repeated in messages and recorded in the lock, so no login may stand in it."""
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise CannotGoOn(
            "unreadable",
            "The URL of the document holds a user name or a password.",
            hint="Download it with them, and name the file.",
        )


def _download(url: str) -> Fetched:
    import httpx  # a tenth of a second that runs on files need not spend

    try:
        with (
            httpx.Client(timeout=SECONDS, follow_redirects=True, max_redirects=REDIRECTS, trust_env=True) as client,
            client.stream("GET", url, headers={"Accept": "application/json, application/yaml, */*"}) as response,
        ):
            if response.status_code != 200:
                raise CannotGoOn(
                    "unreadable",
                    f"{url} answered with status {response.status_code}.",
                    hint="Open the URL in a browser.",
                )
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > budgets.BYTES:
                    raise _too_large(url)
            return Fetched(url, bytes(data), str(response.url))
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise CannotGoOn(
            "unreadable", f"{url} could not be fetched ({type(error).__name__}).", hint="Check the URL and the network."
        ) from None


def _within_budget(fetched: Fetched) -> Fetched:
    if len(fetched.data) > budgets.BYTES:
        raise _too_large(fetched.name)
    return fetched


def _too_large(name: str) -> CannotGoOn:
    return CannotGoOn(
        "too-large",
        f"{name} is larger than {budgets.BYTES:,} bytes.",
        Where(name),
        "Split the document, or take out what is not needed.",
    )
