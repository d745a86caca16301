"""Where a write is made ready: a directory of ours beside what it is for, and what a killed run leaves of one.

A stage is `.mcpgen-XXXXXXXX/`: a note, and `project/` with the files. It is locked for as long as its run lives, which
the system ends even where a run is killed; so one that can be locked belongs to nobody and may be removed.
"""

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = ".mcpgen-"
_FILES = "project"
_NOTE = "unfinished"
_WORDS = b"mcpgen was writing here. If it no longer runs, its next run over the project removes this directory.\n"


@dataclass(slots=True)
class Stage:
    """A directory with files that are ready to be moved. It is removed on the way out, unless `keep` is set."""

    home: Path
    keep: bool = False

    @property
    def files(self) -> Path:
        return self.home / _FILES


@contextlib.contextmanager
def staged(place: Path, files: Mapping[str, bytes]) -> Iterator[Stage]:
    """A stage in the directory `place` that holds `files`, each on disk. OSError where the file system refuses."""
    stage = Stage(Path(tempfile.mkdtemp(prefix=PREFIX, dir=place)))
    lock = None
    try:
        lock = _lock(stage.home)
        (stage.home / _NOTE).write_bytes(_WORDS)
        stage.files.mkdir()
        for path, data in files.items():
            _write(stage.files / path, data)
        yield stage
    finally:
        if not stage.keep:
            _remove(stage.home)
        if lock is not None:
            os.close(lock)


def stages(place: Path) -> list[Stage]:
    """The stages in the directory `place`, of runs that live and of runs that were killed."""
    return [Stage(path) for path in sorted(place.glob(f"{PREFIX}*")) if _is_stage(path)]


def sweep(place: Path) -> None:
    """Remove the stages in `place` that killed runs left. What cannot be removed stays."""
    for stage in stages(place):
        lock = _lock(stage.home)
        if lock is not None:
            _remove(stage.home)
            os.close(lock)


def read(stage: Stage, path: str) -> bytes | None:
    """The bytes of a file that still waits in `stage`, None where it does not."""
    place = stage.files / path
    try:
        regular = not stage.files.is_symlink() and stat.S_ISREG(place.lstat().st_mode)
        return place.read_bytes() if regular else None
    except OSError:
        return None


def _is_stage(path: Path) -> bool:
    """Whether it holds what a stage holds and nothing else: others may call a directory so too."""
    try:
        if path.is_symlink() or not path.is_dir():
            return False
        found = {entry.name for entry in path.iterdir()}
        return not found or (found <= {_NOTE, _FILES} and (path / _NOTE).stat().st_size in (0, len(_WORDS)))
    except OSError:
        return False


def _lock(home: Path) -> int | None:
    """A descriptor that holds the lock of a stage; None where another run has it, or the system has no such locks."""
    if sys.platform == "win32":
        return None
    descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove(home: Path) -> None:
    """The note last: without it a rest would no longer be known as ours."""
    shutil.rmtree(home / _FILES, ignore_errors=True)
    with contextlib.suppress(OSError):
        if not (home / _FILES).exists():
            (home / _NOTE).unlink(missing_ok=True)
            home.rmdir()


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    place.chmod(0o644)
