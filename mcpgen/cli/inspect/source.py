"""What is inspected: a document, or what the lock of a generated project remembers of one."""

from dataclasses import replace
from pathlib import Path

from mcpgen import fetch
from mcpgen import lock as locks
from mcpgen.cli import options
from mcpgen.errors import CannotGoOn
from mcpgen.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source


def compiled(source: str, flags: Options) -> Compiled:
    """The compile of SOURCE, or of the project in DIR as it was generated but for what `flags` say."""
    directory = Path(source)
    if not directory.is_dir():
        return compile_source(fetch.read(source, flags.ref_dir), flags)
    lock_file = directory / locks.NAME
    if not lock_file.is_file():
        raise CannotGoOn("unreadable", f"{source} is a directory without a generated project.", hint="Name a document.")
    lock = locks.load(lock_file.read_bytes(), str(lock_file))
    recorded = lock.source if "://" in lock.source else str(directory / lock.source)
    project = Project(lock, options.settings(directory), lock.source)
    own = replace(
        lock.options,
        ref_dir=tuple(str(directory / path) for path in lock.options.ref_dir),
        overlay=tuple(path if "://" in path else str(directory / path) for path in lock.options.overlay),
    )
    project = replace(project, recorded=own)
    return compile_source(fetch.read(recorded, flags.ref_dir or own.ref_dir), flags, project)
