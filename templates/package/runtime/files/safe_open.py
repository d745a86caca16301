# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Open and create files in folders that other users may write to.

Only regular files are opened, and no symbolic link below a given folder is followed. Each system call looks a path up
again, so a check of the path says nothing about what is opened next (CWE-367). Here each folder is opened by descriptor
relative to its parent, without following links (openat). Checks apply to the opened file, not to the path. Hard links
look like ordinary files and are not detected.

Without openat (Windows), the path is checked before and after opening. An attacker would have to place and remove a
link between two system calls, twice.
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
#: Open a named pipe without waiting for its other end.
_FILE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
#: O_PATH opens a folder even without permission to list it.
_FOLDER = _NO_LINK | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_PATH", os.O_RDONLY)
#: Create a new file, readable and writable by its owner alone.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OTHERS_WRITE = 0o022
_MOST_LINKS = 40


class LinkFound(OSError):
    """Raised if the path leads through a symbolic link."""


class NotRegular(OSError):
    """Raised if the path leads to something other than a regular file: a folder, a pipe, a device."""


def open_regular(path: str, flags: int = os.O_RDONLY, folder: int | None = None) -> int:
    """Open the regular file at `path` and return its descriptor. Never wait, even if `path` is a named pipe.

    A relative `path` is relative to the folder with the descriptor `folder`. Raise NotRegular if `path` is no regular
    file, or another OSError if it cannot be opened.
    """
    descriptor = os.open(path, flags | _FILE, 0o600, dir_fd=folder)
    if S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise NotRegular(errno.EINVAL, "is no regular file", path)


# Folder by folder, because somebody may replace one by a link between the check of a path and its use.
def open_below(root: str, steps: Sequence[str], flags: int = os.O_RDONLY) -> int:
    """Open the regular file at `steps` below the folder `root` and return its descriptor.

    `steps`: names of the folders on the way and of the file. Raise LinkFound if one of them is a symbolic link,
    NotRegular if the file is not regular, ValueError for an invalid name, or another OSError.
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
    """Open the folder at the path `steps`, a list of folder names, below the folder `root`. Return its descriptor.

    Call this function only on systems with openat. Raise LinkFound if a folder in `steps` is a symbolic link,
    ValueError for an invalid name, or another OSError.
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
    """Raise ValueError if a name in `steps` is empty, `.` or `..`, or contains a path separator (`os.sep`)."""
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
    except OSError:  # the file was removed in the meantime
        return False


def _checked(path: str, flags: int) -> int:
    """Open the file at `path` and return its descriptor, for systems without openat.

    Raise LinkFound if the path leads through a symbolic link, before or after the file is opened, or if it then leads
    to another file.
    """
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
    """New file that appears complete or not at all: it has a temporary name until `finish`.

    Every method may raise OSError. The creator must call `finish` or `discard`.
    """

    __slots__ = ("_file", "_folder", "_name", "_replaces", "_root", "_steps", "_unfinished")

    def __init__(self, root: str, steps: Sequence[str], replaces: bool) -> None:
        """Begin the file at `steps` below the folder `root`. `steps`: names of the folders on the way and of the file.

        `replaces`: an existing file is overwritten; otherwise it is an error. Raise LinkFound if a folder is a symbolic
        link, ValueError for an invalid name, or another OSError.
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
        """Append `data` to the file."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]

    def finish(self) -> None:
        """Give the file its final name. Raise FileExistsError if another file has got that name in the meantime."""
        os.close(self._file)
        try:
            place = self._path(self._name)
            if not self._replaces:  # creating the file reserves its name; this fails if the name is taken
                os.close(os.open(place, _NEW, 0o600, dir_fd=self._folder))
            os.replace(self._path(self._unfinished), place, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            self._remove()
            raise
        finally:
            self._leave()

    def discard(self) -> None:
        """Remove the unfinished file."""
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
        except OSError:  # another process has already removed it
            return

    def _leave(self) -> None:
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None


def is_there(root: str, steps: Sequence[str]) -> bool:
    """Return True if a file, a folder or a link exists at the path `steps`, a list of names, below the folder `root`.

    With openat, raise LinkFound if a folder on the way is a symbolic link, and another OSError if it does not exist.
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
    """Return the absolute `path` with links resolved, provided that no other user could have created them.

    A link is trusted if its folder, and every folder above, is writable only by root and this user. `/var/run` and
    `/var/log` on macOS are such links. Raises LinkFound for any other link, or another OSError.
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
    """Return the names of which a path consists, in order."""
    return [step for step in reversed(path.split("/")) if step not in ("", os.curdir)]


def _is_ours(folder: str) -> bool:
    """Return True if only root and this user can change the contents of a folder."""
    status = os.stat(folder)
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & _OTHERS_WRITE
