"""Build a replica of a project (`share`), and later make the project's directory equal to the replica (`settle`).

The replica is a second directory, with the project as it will be after the write. Unchanged files in the replica are
hard links to the project's files. Folders that mcpgen does not write, and files that cannot have a second hard link,
become symbolic links. Python's caches are left out.

After `share`, the caller exchanges the names of the two directories. Only then do the symbolic links lead to the
originals. So no file of the user is copied, and a write through a link reaches the original.
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
"""Error codes that mean that a file cannot have a hard link: the file system has no hard links, or the file belongs to
another user.
"""


def share(
    old: Path, stage: Stage, made: Collection[str], gone: Collection[str], paths: Collection[str]
) -> dict[str, int]:
    """Fill the replica in `stage` with links to the files of the project `old`, except files in `made` and `gone`.

    `made`: new files, which are already in the staging directory. `gone`: files to be removed. `paths`: all generated
    files. Folders with files in `paths` or `gone` become real folders, in which each file is a hard link (or a symbolic
    link if no hard link is possible). Any other folder becomes one symbolic link.

    Return path → inode of each link in the replica, and of the original of each file in `gone`. Raises OSError if a
    link cannot be created, or if a folder of `old` with a file in `made` or `gone` is not writable.
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
    # The caller exchanges the project and the replica. Symbolic links in the new project then lead to the user's
    # folders in the old one, which is in the staging directory. So everybody who may enter the project must be able to
    # enter the staging directory.
    _same_mode(old, stage.home)
    return known


def settle(new: Path, old: Path, known: Mapping[str, int], spare: Path) -> dict[str, int]:
    """Make the directory `old` equal to `new`. Return path → inode of all files and links in `new`, as `known` for a
    later call.

    `known`: the result of an earlier call, or that of `share`: path → inode of each link to an entry of `old` and of
    each file to remove.

    - An entry of `new` that has its known inode, or the same inode in `old`, is unchanged and is not written to `old`.
    - Every other entry of `new` replaces the entry of `old`: as a hard link, or as a copy if no link is possible.
    - If `new` lacks a known path, its entry in `old` is removed, provided that this entry has the known inode.
    - All other files of `old` stay. Folders of `new`, even empty ones, and their permissions are created in `old`.

    The function may be called again after any failure. Raises OSError if the file system fails.
    """
    found = {path: number for path in entries(new) if (number := inode(new / path)) is not None}
    for path, number in found.items():
        if known.get(path) != number and inode(old / path) != number:
            _bring(new / path, old / path, spare)
    for path in sorted(known.keys() - found.keys()):
        if inode(old / path) == known[path]:
            (old / path).unlink(missing_ok=True)
            remove_empty(old, (old / path).parent)
    for folder in [*_folders_of(new)][::-1]:  # the deepest first: new permissions of a folder may forbid entering it
        _same_rights(new / folder, old / folder)
    return found


def remove_empty(directory: Path, folder: Path) -> None:
    """Remove `folder` and its parents below `directory` while they are empty. `directory` itself stays."""
    while folder != directory and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _folders(path: str) -> Iterator[str]:
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


def entries(root: Path, inside: Callable[[str], bool] = lambda path: True, at: str = "") -> Iterator[str]:
    """Yield the sorted paths below `root`. A folder for which `inside` returns True is entered and not itself yielded.

    Links are not followed.
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
    """Return the relative target for a symbolic link at `path` of a project. The link points to the same path in the
    staging directory `home` beside the project.
    """
    return f"{'../' * (path.count('/') + 1)}{home}/{FILES}/{path}"


def _folders_of(root: Path, at: str = "") -> Iterator[str]:
    """Yield the paths of `root` and of all folders below it, parents first. Links are not followed."""
    yield at
    with os.scandir(root / at) as listed:
        found = sorted(entry.name for entry in listed if entry.is_dir(follow_symlinks=False))
    for name in found:
        if name != _CACHE:
            yield from _folders_of(root, f"{at}/{name}" if at else name)


def _stand_in(original: Path, stage: Stage, path: str) -> None:
    """Create a hard link to `original` at `path` of the replica.

    For a folder, or if a hard link is impossible, create a symbolic link.
    """
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
    """Raise PermissionError if `folder` cannot be written. This is checked before directories are exchanged."""
    if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _same_mode(old: Path, new: Path) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # `old` or `new` is missing: nothing to do
        os.chmod(new, stat.S_IMODE(old.lstat().st_mode))


def _same_rights(new: Path, old: Path) -> None:
    """Create the folder `old` if it is missing, and give it the permissions of the replica's folder `new`.

    While the replica is at the project's path, a person may change permissions of its folders. `old`, which returns to
    this path, must have them too.
    """
    if not os.path.lexists(old):
        old.mkdir(parents=True)
    mode, wanted = old.lstat().st_mode, new.lstat().st_mode
    if stat.S_ISDIR(mode) and (mode ^ wanted) & _RIGHTS:
        with contextlib.suppress(PermissionError):  # only a folder's owner can change its permissions: leave them
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
