"""Where a write is made ready: a directory of ours beside what it is for, and what a killed run leaves of one.

A stage is `.mcpgen-XXXXXXXX/`: a note for people, `project/` with the files, and, once `project/` may be exchanged for
a project that is there, a record of which of the two is which. It is locked for as long as its run lives, which
the system ends even where a run is killed; so one that can be locked belongs to nobody. It may be removed, unless
the record says that it is the project itself that lies there.

A stage may come with a repository. So nothing in it is believed that is not as we make it, and links lend nothing.
"""

import contextlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen.regenerate.publish import notice
from mcpgen.regenerate.publish.flock import flocked, released

PREFIX = ".mcpgen-"
HOME = re.compile(re.escape(PREFIX) + "[a-z0-9_]{8}")
"""How the name of a stage looks: `mkdtemp` puts eight characters behind the prefix."""

_MODE = 0o700
"""What `mkdtemp` gives a directory."""

FILES = "project"
_RECORD, _SPARE = "exchange", "next"


# Decision 0137: The record of a stage holds inodes.
@dataclass(frozen=True, slots=True)
class Record:
    """The inodes of the directory of the project and of the new one that is exchanged for it. `known` are entries of
    the old one, path → the inode that stands for it in the new one; what is gone from there has that of the old.
    """

    old: int
    new: int
    known: Mapping[str, int]


@dataclass(slots=True)
class Stage:
    """A directory with files that are ready to be moved. It is removed on the way out, unless `keep` is set."""

    home: Path
    locked: bool = False
    keep: bool = False

    @property
    def files(self) -> Path:
        return self.home / FILES

    @property
    def spare(self) -> Path:
        """A name for one file, on its way."""
        return self.home / _SPARE


@contextlib.contextmanager
def staged(place: Path, files: Mapping[str, bytes]) -> Iterator[Stage]:
    """A stage in the directory `place` that holds `files`, each on disk. OSError where the file system refuses."""
    home, lock = _home(place)
    stage = Stage(home, lock is not None)
    try:
        _write(home / notice.NAME, notice.MADE)
        stage.files.mkdir()
        for path, data in files.items():
            _write(stage.files / path, data)
        yield stage
    finally:
        if not stage.keep:
            remove(stage)
        released(lock)


def stages(place: Path) -> list[Stage]:
    """The stages in the directory `place`, of runs that live and of runs that were killed."""
    return [Stage(path) for path in sorted(place.glob(f"{PREFIX}*")) if _is_stage(path)]


def abandoned(place: Path) -> Iterator[Stage]:
    """The stages in `place` that killed runs left, each locked while it is looked at. OSError where one cannot be."""
    for stage in stages(place):
        try:
            lock = flocked(stage.home)
        except (BlockingIOError, FileNotFoundError):  # its run lives, or has just ended
            continue
        stage.locked = lock is not None
        try:
            if stage.locked:
                yield stage
        finally:
            released(lock)


def sweep(place: Path) -> None:
    """Remove what killed runs left in `place`, but for projects. What cannot be removed stays."""
    with contextlib.suppress(OSError):
        for stage in abandoned(place):
            if is_expendable(stage):
                remove(stage)


def is_expendable(stage: Stage) -> bool:
    """Whether what lies there was only ever made to be moved: it never left, or came back in exchange."""
    record = recorded(stage)
    return record is None or inode(stage.files) in (None, record.new)


def note(stage: Stage, record: Record, project: Path) -> None:
    """Remember `record`, and that the stage is not to be deleted: on disk with their names, before anything of
    `project` is exchanged, since a stage without a record is removed.
    """
    _write(stage.spare, notice.exchanged(project))
    os.replace(stage.spare, stage.home / notice.NAME)
    value = {"old": record.old, "new": record.new, "known": dict(record.known)}
    _write(stage.home / _RECORD, json.dumps(value, indent=0).encode())
    descriptor = os.open(stage.home, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def recorded(stage: Stage) -> Record | None:
    """The record of a stage; None where it has none, or no whole one, so that nothing was exchanged."""
    try:
        value = json.loads(_read(stage.home / _RECORD) or b"")
        known = {path: number for path, number in value["known"].items() if _is_inside(path) and type(number) is int}
        return Record(int(value["old"]), int(value["new"]), known)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def read(stage: Stage, path: str) -> bytes | None:
    """The bytes of a file that still waits in `stage`, None where it does not."""
    return None if stage.files.is_symlink() else _read(stage.files / path)


def remove(stage: Stage) -> None:
    """The note last: without it a rest would no longer be known as ours. Twice, since a disk may fail for a moment."""
    for _ in range(2):
        with contextlib.suppress(OSError):
            _make_writable(stage)
            shutil.rmtree(stage.files, ignore_errors=True)
            if not os.path.lexists(stage.files):
                for name in (_SPARE, _RECORD, notice.NAME):
                    (stage.home / name).unlink(missing_ok=True)
                stage.home.rmdir()
        if not os.path.lexists(stage.home):
            return


def _make_writable(stage: Stage) -> None:
    """A replica has the modes of its original, and a folder that nobody may write cannot be emptied."""
    stage.home.chmod(_MODE)
    if stage.files.is_symlink() or not stage.files.is_dir():
        return
    stage.files.chmod(_MODE)
    for folder, names, _ in os.walk(stage.files):  # top down: each may be listed by then
        for path in (Path(folder, name) for name in names):
            if not path.is_symlink():
                path.chmod(_MODE)


def inode(path: Path) -> int | None:
    """What tells an entry from all others of its file system; None where there is none. Links are not followed."""
    try:
        return path.lstat().st_ino
    except (FileNotFoundError, NotADirectoryError):
        return None


def _home(place: Path) -> tuple[Path, int | None]:
    """A new directory and its lock. Another run may take it for abandoned before it is locked; then there is a next."""
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
    """Whether it holds what a stage holds and nothing else: others may call a directory so too.

    A run may be killed before the note is written. What it leaves is told by its name, and by a mode that nobody
    gets by chance.
    """
    try:
        if path.is_symlink() or not path.is_dir() or HOME.fullmatch(path.name) is None:
            return False
        found = {entry.name for entry in path.iterdir()}
        if found <= {notice.NAME} and stat.S_IMODE(path.stat().st_mode) == _MODE:
            return not found or notice.is_broken_off(path)
        return found <= {notice.NAME, FILES, _RECORD, _SPARE} and notice.is_whole(path)
    except OSError:
        return False


def _is_inside(path: str) -> bool:
    return bool(path) and not path.startswith("/") and ".." not in PurePosixPath(path).parts


def _read(place: Path) -> bytes | None:
    try:
        return place.read_bytes() if stat.S_ISREG(place.lstat().st_mode) else None
    except OSError:
        return None


def _write(place: Path, data: bytes) -> None:
    """A new file, on disk before it is needed. Its mode is the same whatever the mask of the run."""
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    place.chmod(0o644)
