"""Write a project file by file where its directory cannot be exchanged.

That is so on Windows, on file systems without exchange, for mount points, and below directories that are not ours.

Each file is moved over the old one from a stage inside the project. The lock is moved last. Until then the stage holds
the new lock, so the next run after a kill knows the files of both. In a new project the lock is moved first, since a
directory without a lock is not ours. Tables are moved after the Python that fits them, since a running server may load
them at once. A kill leaves a mix of whole files, which the next run completes.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from mcpgen.lock import lockfile as locks
from mcpgen.regenerate.publish import staging
from mcpgen.regenerate.publish.replica import remove_empty
from mcpgen.regenerate.publish.staging import Stage


# Decision 0138: Where directories cannot be exchanged, files are written one by one.
def write(directory: Path, files: Mapping[str, bytes], gone: Collection[str]) -> None:
    """Make `directory` hold `files` and nothing that is `gone`.

    After a failure (OSError) the stage stays for the next run.
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
    return path.rpartition("/")[2] in ("tools.json", "bindings.json", "resources.json", "prompts.json", "search.json")


def _remove(directory: Path, gone: Collection[str]) -> None:
    for path in gone:
        (directory / path).unlink(missing_ok=True)
        remove_empty(directory, (directory / path).parent)
