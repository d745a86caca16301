"""The write of a project file by file, where its directory cannot be exchanged: on Windows, on file systems that know
no exchange, where something is mounted on the directory, or where the directory around it is not ours to write.

Each file is moved over its old self from a stage inside of the project: the lock last, so that until then the stage
holds the lock of what came first, and a run after a kill knows the files of both; but first where there was none,
since a directory without a lock is not ours. The table goes behind the Python that was made with it, since a server
that runs may take it up at once. A kill leaves a mix of whole files, which the next run takes up.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from mcpgen.lock import lockfile as locks
from mcpgen.regenerate.publish import staging
from mcpgen.regenerate.publish.replica import remove_empty
from mcpgen.regenerate.publish.staging import Stage


# Decision 0138: Without an exchange files are written one by one.
def write(directory: Path, files: Mapping[str, bytes], gone: Collection[str]) -> None:
    """Make `directory` hold `files` and nothing that is `gone`. Where that breaks off (OSError) the stage stays, for
    the next run.
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
    return path.rpartition("/")[2] in ("tools.json", "bindings.json", "resources.json", "prompts.json")


def _remove(directory: Path, gone: Collection[str]) -> None:
    for path in gone:
        (directory / path).unlink(missing_ok=True)
        remove_empty(directory, (directory / path).parent)
