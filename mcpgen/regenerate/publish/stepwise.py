"""Write a project file by file, if its directory cannot be exchanged.

Directories cannot be exchanged on Windows, on some file systems, at mount points, and if the parent directory belongs
to another user.

Each file is moved over the old one from a staging directory inside the project. The lock file is moved last. Until then
that directory contains the new lock file, so after a kill the next run knows the files of both generations. In a new
project the lock file is moved first, since mcpgen refuses a directory with files and without a lock file. JSON files
are moved after the Python code that reads them, since a running server may load them at once.

A kill leaves a mix of old and new files, each complete. The next run writes the files that still differ, from a new
staging directory. Of the old staging directory, the next run reads only the lock file, and at last removes the
directory. On systems that cannot lock directories, such as Windows, the old staging directory stays.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from mcpgen.lock import lockfile as locks
from mcpgen.regenerate.publish import staging
from mcpgen.regenerate.publish.emitted import TABLES
from mcpgen.regenerate.publish.replica import remove_empty
from mcpgen.regenerate.publish.staging import Stage


# Windows, mount points and some file systems cannot exchange directories (docs/decisions/writing.md).
def write(directory: Path, files: Mapping[str, bytes], gone: Collection[str]) -> None:
    """Write `files` into `directory`, and remove the paths in `gone`.

    After a failure (OSError) the staging directory is kept: by its lock file, the next run recognises files that were
    already replaced.
    """
    with staging.staged(directory, files) as stage:
        stage.keep = True
        _move(stage, directory, files, gone)
        stage.keep = False


def _move(stage: Stage, directory: Path, files: Collection[str], gone: Collection[str]) -> None:
    first_ever = not (directory / locks.NAME).exists()
    for path in sorted(files, key=lambda path: ((path == locks.NAME) is not first_ever, _is_table(path))):
        if path == locks.NAME and not first_ever:
            _remove(directory, gone)
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (stage.files / path).replace(directory / path)
    _remove(directory, gone)


def _is_table(path: str) -> bool:
    return path.rpartition("/")[2] in TABLES


def _remove(directory: Path, gone: Collection[str]) -> None:
    for path in gone:
        (directory / path).unlink(missing_ok=True)
        remove_empty(directory, (directory / path).parent)
