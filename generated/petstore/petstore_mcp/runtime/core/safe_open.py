# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Opens and makes files in folders that others may write to: regular files alone, below a folder none through a link.

A path is looked up anew by every call, so a check of it says nothing of what is opened next (CWE-367). Here each folder
is opened relative to the one before, by descriptor and without following links (openat), and what was opened is looked
at, not what the path led to. Hard links cannot be told from files.

Where the system has no openat (Windows), the path is checked before and after: a link must then come and go between
two calls, twice.
"""

from __future__ import annotations

import errno
import os
from stat import S_ISLNK, S_ISREG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HAS_OPENAT = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
#: Without waiting for the other end of a pipe.
_FILE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
#: O_PATH asks for no right to list the folder.
_FOLDER = _NO_LINK | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_PATH", os.O_RDONLY)
#: A file that nobody had, of its owner alone.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OTHERS_WRITE = 0o022
_MOST_LINKS = 40


class LinkFound(OSError):
    """There is a link on the way."""


class NotRegular(OSError):
    """There is something else than a file: a folder, a pipe, a device."""


def open_regular(path: str, flags: int = os.O_RDONLY, folder: int | None = None) -> int:
    """Return a descriptor of a regular file, whose `path` counts from the descriptor of a `folder`. Never waits.

    Raises NotRegular and other OSErrors.
    """
    descriptor = os.open(path, flags | _FILE, 0o600, dir_fd=folder)
    if S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise NotRegular(errno.EINVAL, "is no regular file", path)


# Decision 0085: Files below a directory are opened without links.
def open_below(root: str, steps: Sequence[str], flags: int = os.O_RDONLY) -> int:
    """Return a descriptor of the regular file to which `steps`, names without separators, lead from the folder `root`.

    Raises LinkFound, NotRegular and other OSErrors; ValueError for what is no name.
    """
    _check_names(steps)
    if not HAS_OPENAT:
        return _checked(os.path.join(root, *steps), flags)
    folder = open_folder(root, steps[:-1])
    try:
        return _without_link(steps[-1], folder, flags | _NO_LINK)
    finally:
        os.close(folder)


def open_folder(root: str, steps: Sequence[str]) -> int:
    """Return a descriptor of the folder to which `steps` lead from the folder `root`, where the system has openat.

    Raises as `open_below` does.
    """
    _check_names(steps)
    folder = os.open(root, _FOLDER & ~_NO_LINK)
    for step in steps:
        try:
            below = _without_link(step, folder, _FOLDER)
        finally:
            os.close(folder)
        folder = below
    return folder


def _check_names(steps: Sequence[str]) -> None:
    """Raise ValueError where one of them is no name of a file or a folder."""
    if any(step in ("", os.curdir, os.pardir) or os.sep in step for step in steps):
        raise ValueError("not the name of a file or a folder")


def _without_link(name: str, folder: int, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder) if flags == _FOLDER else open_regular(name, flags, folder)
    except OSError as problem:
        if problem.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK) and _is_link(name, folder):
            raise LinkFound(errno.ELOOP, "is a link", name) from None
        raise


def _is_link(name: str, folder: int) -> bool:
    try:
        return S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:  # gone by now
        return False


def _checked(path: str, flags: int) -> int:
    """Return a descriptor of the file at `path`, whose folders are looked at before and after it is opened."""
    if _has_links(path):
        raise LinkFound(errno.ELOOP, "is a link", path)
    descriptor = open_regular(path, flags)
    if not _has_links(path) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
        return descriptor
    os.close(descriptor)
    raise LinkFound(errno.ELOOP, "was exchanged", path)


def _has_links(path: str) -> bool:
    return os.path.normcase(os.path.realpath(path)) != os.path.normcase(path)


class NewFile:
    """A file below a folder that comes to be whole, or not at all: it has another name until `finish`.

    Each of its methods raises OSError. Whoever made one calls `finish` or `discard`.
    """

    __slots__ = ("_file", "_folder", "_name", "_replaces", "_root", "_steps", "_unfinished")

    def __init__(self, root: str, steps: Sequence[str], replaces: bool) -> None:
        """Begin the file to which `steps`, names without separators, lead from the folder `root`. It `replaces` one
        that is there, or else is refused. Raises LinkFound too, and ValueError for what is no name.
        """
        self._root, self._steps, self._replaces = root, steps, replaces
        self._name, self._unfinished = steps[-1], f".{os.urandom(8).hex()}.part"
        self._folder: int | None = None
        if HAS_OPENAT:
            self._folder = open_folder(root, steps[:-1])
        try:
            if not replaces and is_there(root, steps):
                raise FileExistsError(errno.EEXIST, "is there", self._name)
            self._file = os.open(self._path(self._unfinished), _NEW, 0o600, dir_fd=self._folder)
        except BaseException:
            self._leave()
            raise

    def write(self, data: bytes) -> None:
        """Add to it."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]

    def finish(self) -> None:
        """Give it its name. Raises FileExistsError where another file has it by now."""
        os.close(self._file)
        try:
            place = self._path(self._name)
            if not self._replaces:  # takes the name, which no two can
                os.close(os.open(place, _NEW, 0o600, dir_fd=self._folder))
            os.replace(self._path(self._unfinished), place, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            self._remove()
            raise
        finally:
            self._leave()

    def discard(self) -> None:
        """Leave nothing of it."""
        os.close(self._file)
        self._remove()
        self._leave()

    def _path(self, name: str) -> str:
        if self._folder is not None:
            return name
        folder = os.path.join(self._root, *self._steps[:-1])
        if _has_links(folder):
            raise LinkFound(errno.ELOOP, "is a link", folder)
        return os.path.join(folder, name)

    def _remove(self) -> None:
        try:
            os.unlink(self._path(self._unfinished), dir_fd=self._folder)
        except OSError:  # somebody else took it away
            return

    def _leave(self) -> None:
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None


def is_there(root: str, steps: Sequence[str]) -> bool:
    """Return whether anything, a link too, has that name below a folder. Raises OSError where the way leads nowhere,
    and LinkFound where a link is on it.
    """
    if not HAS_OPENAT:
        return os.path.lexists(os.path.join(root, *steps))
    folder = open_folder(root, steps[:-1])
    try:
        os.stat(steps[-1], dir_fd=folder, follow_symlinks=False)
        return True
    except FileNotFoundError:
        return False
    finally:
        os.close(folder)


def without_links(path: str) -> str:
    """Return the absolute `path` of a file with the links on its way resolved that nobody else can have put there.

    Such a link stands in a folder of root's or of this user's, to which nobody else can write, and so does every folder
    before it: `/var/run` and `/var/log` of macOS. Raises LinkFound for any other, and other OSErrors.
    """
    if not HAS_OPENAT:
        return path
    done, waiting, safe, links = "/", _steps(path), True, 0
    while len(waiting) > 1:
        step = waiting.pop()
        if step == os.pardir:
            done = os.path.dirname(done)
            continue
        safe = safe and _is_ours(done)
        place = os.path.join(done, step)
        if not S_ISLNK(os.lstat(place).st_mode):
            done = place
            continue
        links += 1
        if not safe or links > _MOST_LINKS:
            raise LinkFound(errno.ELOOP, "is a link", place)
        target = os.readlink(place)
        done = "/" if target.startswith("/") else done
        waiting += _steps(target)
    return os.path.join(done, waiting[0])


def _steps(path: str) -> list[str]:
    """Return the names on a path, the first one last."""
    return [step for step in reversed(path.split("/")) if step not in ("", os.curdir)]


def _is_ours(folder: str) -> bool:
    """Return whether nobody but root and this user can change what is in a folder."""
    status = os.stat(folder)
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & _OTHERS_WRITE
