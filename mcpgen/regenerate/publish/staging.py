"""Prepare a write in a stage, a temporary directory beside the target; and find stages that killed runs left behind.

A stage is called `.mcpgen-XXXXXXXX/`. It contains a note for people, and the files in `project/`. If `project/` may be
exchanged for an existing project, a record (inodes) shows which directory is the old and which the new one.

The stage is locked during its run, and the system releases the lock even if the run is killed. So a stage that can be
locked is abandoned. It may be removed, unless the record shows that the project itself is in it. A stage may come with
a repository, so contents that mcpgen cannot have made are ignored, and links are not followed.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen.regenerate.publish.flock import flocked, released

NOTE = "unfinished"
_FIRST_LINE = b"mcpgen was writing here.\n"
_NOTE_OF_FILES = _FIRST_LINE + b"If it no longer runs, its next run over the project removes this directory.\n"
"""Note for a stage that contains only files of mcpgen."""

PREFIX = ".mcpgen-"
HOME = re.compile(re.escape(PREFIX) + "[a-z0-9_]{8}")
"""Pattern of a stage's name: `mkdtemp` adds eight characters to the prefix."""

_MODE = 0o700
"""Permissions of a directory that `mkdtemp` creates."""

FILES = "project"
_RECORD, _SPARE = "exchange", "next"

_WRITERS = 8
"""Number of files that are synced to disk at once, which takes a fifth of the time of one after the other."""


# A copied directory has other inodes, so mcpgen does not act on the copy of a staging directory
# (docs/decisions/writing.md).
@dataclass(frozen=True, slots=True)
class Record:
    """Record of an exchange of directories: the inodes of the project's directory (`old`) and of its replacement
    (`new`).

    `known`: path → inode, for each entry of the old directory, except files that are written anew. The inode of a kept
    entry is that of its (hard or symbolic) link in the replacement. The inode of a removed file is its own.
    """

    old: int
    new: int
    known: Mapping[str, int]


@dataclass(slots=True)
class Stage:
    """A stage: a directory with files that are ready to be moved. The stage is removed at the end, unless `keep` is
    set.
    """

    home: Path
    locked: bool = False
    keep: bool = False

    @property
    def files(self) -> Path:
        return self.home / FILES

    @property
    def spare(self) -> Path:
        """Return the path in the staging directory at which a single file is prepared before it is moved."""
        return self.home / _SPARE


@contextlib.contextmanager
def staged(place: Path, files: Mapping[str, bytes]) -> Iterator[Stage]:
    """Create a staging directory in `place` with `files`, synced to disk, and yield it. Raises OSError if the file
    system refuses.
    """
    home, lock = _home(place)
    stage = Stage(home, lock is not None)
    try:
        _write(home / NOTE, _NOTE_OF_FILES)
        stage.files.mkdir()
        waiting = [(stage.files / path, data) for path, data in files.items()]
        for folder in dict.fromkeys(place.parent for place, _ in waiting):
            folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(_WRITERS) as writers:
            list(writers.map(_write_each, [waiting[first::_WRITERS] for first in range(_WRITERS)]))
        yield stage
    finally:
        if not stage.keep:
            remove(stage)
        released(lock)


def stages(place: Path) -> list[Stage]:
    """Return the staging directories in `place`, both of running and of killed runs."""
    return [Stage(path) for path in sorted(place.glob(f"{PREFIX}*")) if _is_stage(path)]


def abandoned(place: Path) -> Iterator[Stage]:
    """Yield the staging directories in `place` that killed runs left behind. Each directory is locked until the next
    one is requested.

    Raises OSError if a staging directory cannot be examined.
    """
    for stage in stages(place):
        try:
            lock = flocked(stage.home)
        except (BlockingIOError, FileNotFoundError):  # skip a directory in use by a running mcpgen, or just removed
            continue
        stage.locked = lock is not None
        try:
            if stage.locked:
                yield stage
        finally:
            released(lock)


def sweep(place: Path) -> None:
    """Remove the staging directories that killed runs left in `place`, except directories that contain a project.
    Failures are ignored.
    """
    with contextlib.suppress(OSError):
        for stage in abandoned(place):
            if is_expendable(stage):
                remove(stage)


def is_expendable(stage: Stage) -> bool:
    """Return True if deleting the staging directory loses none of the user's files.

    Its folder `project/` holds the new project until it is exchanged for the user's directory. `note` writes a record
    (the inodes of both) before the exchange. So without a record, return True. With a record, return True if `project/`
    is missing or still the new project.
    """
    record = recorded(stage)
    return record is None or inode(stage.files) in (None, record.new)


def note(stage: Stage, record: Record, project: Path) -> None:
    """Write two files into the staging directory: `record`, and the warning not to delete the directory. Sync both to
    disk.

    Call this before the project's directory is exchanged. The next run removes a staging directory without a record.
    """
    _write(stage.spare, _note_of_an_exchange(project))
    os.replace(stage.spare, stage.home / NOTE)
    value = {"old": record.old, "new": record.new, "known": dict(record.known)}
    _write(stage.home / _RECORD, json.dumps(value, indent=0).encode())
    descriptor = os.open(stage.home, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def recorded(stage: Stage) -> Record | None:
    """Return the record that `note` has written into a staging directory before the directories are exchanged. Return
    None if the record is missing or incomplete, which means that nothing was exchanged.
    """
    try:
        value = json.loads(_read(stage.home / _RECORD) or b"")
        known = {path: number for path, number in value["known"].items() if _is_inside(path) and type(number) is int}
        return Record(int(value["old"]), int(value["new"]), known)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def read(stage: Stage, path: str) -> bytes | None:
    """Return the bytes of the file `project/PATH` in `stage`, or None if it was moved away or never written."""
    return None if stage.files.is_symlink() else _read(stage.files / path)


def remove(stage: Stage) -> None:
    """Remove a staging directory, its note last: without the note, the directory would not be recognised as mcpgen's.

    The removal is tried twice, since a disk may fail for a moment.
    """
    for _ in range(2):
        with contextlib.suppress(OSError):
            _make_writable(stage)
            shutil.rmtree(stage.files, ignore_errors=True)
            if not os.path.lexists(stage.files):
                for name in (_SPARE, _RECORD, NOTE):
                    (stage.home / name).unlink(missing_ok=True)
                stage.home.rmdir()
        if not os.path.lexists(stage.home):
            return


def _make_writable(stage: Stage) -> None:
    """Make the folders of a staging directory writable.

    Staged folders have the permissions of the project's folders, and files in a read-only folder cannot be removed.
    """
    stage.home.chmod(_MODE)
    if stage.files.is_symlink() or not stage.files.is_dir():
        return
    stage.files.chmod(_MODE)
    # `walk` goes top down: the loop makes each folder readable before `walk` lists the folder
    for folder, names, _ in os.walk(stage.files):
        for path in (Path(folder, name) for name in names):
            if not path.is_symlink():
                path.chmod(_MODE)


def inode(path: Path) -> int | None:
    """Return the inode of the file, folder or link at `path`, without following links; None if nothing is there."""
    try:
        return path.lstat().st_ino
    except (FileNotFoundError, NotADirectoryError):
        return None


def _home(place: Path) -> tuple[Path, int | None]:
    """Create a staging directory and lock it. If another run takes the directory for abandoned and removes it before it
    is locked, create a new one.
    """
    while True:
        home = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        try:
            lock = flocked(home)
        except (BlockingIOError, FileNotFoundError):
            continue
        except OSError:
            _remove_empty_home(home)
            raise
        if home.exists():
            return home, lock
        released(lock)


def _remove_empty_home(home: Path) -> None:
    with contextlib.suppress(OSError):
        home.rmdir()


def _is_stage(path: Path) -> bool:
    """Return True if a directory has the name, the entries and the note (file `unfinished`) of a staging directory. The
    name alone proves nothing, since others may use such a name too.

    A run that was killed early may leave no complete note. Its staging directory is recognised by its name and its
    permissions (0700), and must be empty or contain only the beginning of the note.
    """
    try:
        if path.is_symlink() or not path.is_dir() or HOME.fullmatch(path.name) is None:
            return False
        found = {entry.name for entry in path.iterdir()}
        if found <= {NOTE} and stat.S_IMODE(path.stat().st_mode) == _MODE:
            return not found or _has_broken_note(path)
        return found <= {NOTE, FILES, _RECORD, _SPARE} and _has_whole_note(path)
    except OSError:
        return False


def _is_inside(path: str) -> bool:
    return bool(path) and not path.startswith("/") and ".." not in PurePosixPath(path).parts


def _read(place: Path) -> bytes | None:
    try:
        return place.read_bytes() if stat.S_ISREG(place.lstat().st_mode) else None
    except OSError:
        return None


def _write_each(files: Iterable[tuple[Path, bytes]]) -> None:
    for place, data in files:
        _write(place, data)


def _write(place: Path, data: bytes) -> None:
    """Write a new file and sync it to disk. The permissions do not depend on the umask."""
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    place.chmod(0o644)


# -- the note for people -----------------------------------------------------------------------------------------------


def _note_of_an_exchange(project: Path) -> bytes:
    """Return the note for a staging directory that is exchanged with the project's directory, and then contains the
    user's files. The note says not to delete the staging directory, and how to restore the files.
    """
    command = f"mcpgen regenerate {shlex.quote(str(project))}"
    return _FIRST_LINE + os.fsencode(
        f"Do not delete this directory: folders and files of the project {project} lie here, in `project`.\n"
        f"If mcpgen no longer runs, this puts them back and removes the directory:\n    {command}\n"
    )


def _has_whole_note(stage: Path) -> bool:
    """Return True if the note file in the directory `stage` has the complete first line of a note of mcpgen."""
    return _beginning_of_note(stage) == _FIRST_LINE


def _has_broken_note(stage: Path) -> bool:
    """Return True if the note file in the staging directory `stage` begins as every note of mcpgen does. It may end
    within the first line, even before its first byte, because mcpgen was killed while writing the note.
    """
    return _FIRST_LINE.startswith(_beginning_of_note(stage))


def _beginning_of_note(stage: Path) -> bytes:
    """Return as many bytes of the note in the staging directory `stage` as the first line of every note has.

    Raises OSError if the note cannot be read.
    """
    descriptor = os.open(stage / NOTE, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        return os.read(descriptor, len(_FIRST_LINE))
    finally:
        os.close(descriptor)
