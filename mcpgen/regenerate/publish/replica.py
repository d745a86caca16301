"""A second directory that shows what a project is about to be, made of its own files where they stay as they are; and
the way back, from that directory to the project's own.

What stays has the same file under a second name (a hard link); a folder that is not ours, or a file that can have no
second name, has a symbolic link that leads to it once the two directories are exchanged. So nothing of anybody is
copied, and whoever writes to such a file writes to the one that there is. Caches of Python are left out.
"""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from mcpgen.regenerate.publish.staging import FILES, Stage, inode

_CACHE = "__pycache__"
_RIGHTS = 0o777
_NO_SECOND_NAME = frozenset(
    {errno.EPERM, errno.EACCES, errno.EMLINK, errno.EXDEV, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
)
"""Errors that say that a file cannot have one: of a file system that knows none, or of somebody else's file."""


def share(
    old: Path, stage: Stage, made: Collection[str], gone: Collection[str], paths: Collection[str]
) -> dict[str, int]:
    """Fill the directory in `stage`, which holds the files `made`, with all else of `old` but what is `gone`. The
    folders of `paths` are ours, all others stay folders of `old`.

    Path → inode of what stands there for an entry of `old`; of what is gone, its own. OSError, also where `old` could
    not be made the same later on.
    """
    folders = {"", *(folder for path in (*paths, *gone) for folder in _folders(path))}
    for path in (*made, *gone):
        _check_writable((old / path).parent)
    known: dict[str, int] = {}
    for path in entries(old, inside=lambda path: path in folders):
        if path in gone:
            found = inode(old / path)
        elif path in made:
            continue
        else:
            _stand_in(old / path, stage, path)
            found = inode(stage.files / path)
        if found is not None:
            known[path] = found
    for folder in sorted(folders):
        _same_mode(old / folder, stage.files / folder)
    _same_mode(old, stage.home)  # the way to what stands in for folders leads through it
    return known


def settle(new: Path, old: Path, known: Mapping[str, int], spare: Path) -> dict[str, int]:
    """Make `old` hold what `new` does: files that differ are replaced one by one, but for those that are `known` and as
    they were, which only stand for what `old` has; what is `known` and no longer there is removed. Folders come along
    also where they are empty, and whoever may use one of `new` may use that of `old`.

    Path → inode of all that `new` holds: `known` for the next time. It can be done again at any point. OSError.
    """
    found = {path: number for path in entries(new) if (number := inode(new / path)) is not None}
    for path, number in found.items():
        if known.get(path) != number and inode(old / path) != number:
            _bring(new / path, old / path, spare)
    for path in sorted(known.keys() - found.keys()):
        if inode(old / path) == known[path]:
            (old / path).unlink(missing_ok=True)
            remove_empty(old, (old / path).parent)
    for folder in [*_folders_of(new)][::-1]:  # the deepest first: one may be closed by what its own mode becomes
        _same_rights(new / folder, old / folder)
    return found


def remove_empty(directory: Path, folder: Path) -> None:
    """Remove `folder` and its parents up to `directory` as long as they are empty."""
    while folder != directory and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _folders(path: str) -> Iterator[str]:
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


def entries(root: Path, inside: Callable[[str], bool] = lambda path: True, at: str = "") -> Iterator[str]:
    """The paths of what lies in `root` and in those of its folders that are looked `inside`, but for the folders
    themselves. Links are not followed.
    """
    with os.scandir(root / at) as listed:
        found = sorted(listed, key=lambda entry: entry.name)
    for entry in found:
        path = at + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and entry.name == _CACHE:
            continue
        if is_folder and inside(path):
            yield from entries(root, inside, f"{path}/")
        else:
            yield path


def way_to(home: str, path: str) -> str:
    """Where a link leads that stands at `path` of a project for what its stage `home`, beside the project, holds."""
    return f"{'../' * (path.count('/') + 1)}{home}/{FILES}/{path}"


def _folders_of(root: Path, at: str = "") -> Iterator[str]:
    """The paths of `root` and of all folders in it, each before those inside of it. Links are not followed."""
    yield at
    with os.scandir(root / at) as listed:
        found = sorted(entry.name for entry in listed if entry.is_dir(follow_symlinks=False))
    for name in found:
        if name != _CACHE:
            yield from _folders_of(root, f"{at}/{name}" if at else name)


def _stand_in(original: Path, stage: Stage, path: str) -> None:
    """Something at `path` of the new directory that is `original` for whoever reads it there."""
    place = stage.files / path
    place.parent.mkdir(parents=True, exist_ok=True)
    if not stat.S_ISDIR(original.lstat().st_mode):
        try:
            os.link(original, place, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_SECOND_NAME:
                raise
        else:
            return
    os.symlink(way_to(stage.home.name, path), place)


def _check_writable(folder: Path) -> None:
    """Before anything is exchanged: afterwards the new project would be there, and could not be tidied up."""
    if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _same_mode(old: Path, new: Path) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # a folder that is new, or gone
        os.chmod(new, stat.S_IMODE(old.lstat().st_mode))


def _same_rights(new: Path, old: Path) -> None:
    """A folder that somebody made or closed meanwhile is so in `old`, where nothing else has its name."""
    if not os.path.lexists(old):
        old.mkdir(parents=True)
    mode, wanted = old.lstat().st_mode, new.lstat().st_mode
    if stat.S_ISDIR(mode) and (mode ^ wanted) & _RIGHTS:
        with contextlib.suppress(PermissionError):  # somebody else's folder
            os.chmod(old, stat.S_IMODE(mode) & ~_RIGHTS | wanted & _RIGHTS)


def _bring(source: Path, target: Path, spare: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    spare.unlink(missing_ok=True)
    try:
        os.link(source, spare, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_SECOND_NAME:
            raise
        shutil.copy2(source, spare, follow_symlinks=False)
    spare.replace(target)
