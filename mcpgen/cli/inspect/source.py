"""What is inspected: a document, or what the lock of a generated project remembers of one."""

from pathlib import Path

from mcpgen import fetch
from mcpgen import lock as locks
from mcpgen.cli import options
from mcpgen.errors import CannotGoOn
from mcpgen.pipeline import Compiled, Options, Project, compile_source


def compiled(source: str, flags: Options) -> Compiled:
    """The compile of SOURCE, or of the project in DIR as it was generated but for what `flags` say."""
    directory = Path(source)
    if not directory.is_dir():
        return compile_source(fetch.read(source, flags.ref_dirs), flags)
    lock_file = directory / locks.NAME
    if not lock_file.is_file():
        raise CannotGoOn("unreadable", f"{source} is a directory without a generated project.", hint="Name a document.")
    lock = locks.load(lock_file.read_bytes(), str(lock_file))
    recorded = lock.source if "://" in lock.source else str(directory / lock.source)
    project = Project(lock, options.settings(directory), lock.source)
    remembered = Options(
        flags.name,
        flags.base_url or lock.base_url,
        flags.include or lock.include,
        flags.exclude or lock.exclude,
        flags.ref_dirs or tuple(str(directory / path) for path in lock.ref_dirs),
        flags.body_types or lock.body_types,
        flags.server_variables or lock.server_variables,
    )
    return compile_source(fetch.read(recorded, remembered.ref_dirs), remembered, project)
