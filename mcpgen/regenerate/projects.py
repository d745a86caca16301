"""Open existing projects: their lock files, and the JSON files that describe their tools."""

import ast
import codecs
import os
from dataclasses import replace
from pathlib import Path

from mcpgen.base import origins
from mcpgen.base.source_urls import without_secrets
from mcpgen.lock.lockfile import Lock
from mcpgen.pipeline import Project
from mcpgen.read import fetch
from mcpgen.read.fetch import Fetched
from mcpgen.regenerate import orphan_hooks
from mcpgen.regenerate.diff import TABLES, Surface, of_project
from mcpgen.regenerate.publish import no_lock, present, previous_lock


def settings(directory: Path) -> Fetched | None:
    """Return the user's tools file of a project, or None if it is missing or empty."""
    path = directory / "mcpgen.yaml"
    fetched = fetch.read(str(path)) if path.is_file() and not path.is_symlink() else None
    return fetched if fetched is not None and fetched.data.removeprefix(codecs.BOM_UTF8).strip() else None


def lock_of(directory: Path) -> Lock | None:
    """Return the lock file of the project in `directory`, or None if there is none. Raises FatalError if it cannot be
    read.

    The lock file of an older mcpgen has no list of origins. Then the list contains the origins in the project's JSON
    files, or nothing if these files cannot be read.
    """
    lock = previous_lock(directory)
    if lock is None or lock.origins is not None or f"{lock.package}/bindings.json" not in lock.files:
        return lock
    before = surface(directory, lock)
    promised = origins.accepted(before.header) if before is not None else ()
    return replace(lock, origins=dict.fromkeys(sorted(promised), True))


def remembered(directory: Path) -> Project:
    """Return what the next compile needs of the project in `directory`: lock file, tools file, source and options.
    Raises FatalError if there is no project.
    """
    lock = lock_of(directory)
    if lock is None:
        raise no_lock(directory)
    own = lock.options
    recorded = replace(
        own,
        ref_dir=tuple(located(directory, path) for path in own.ref_dir),
        overlay=tuple(located(directory, path) for path in own.overlay),
        workflow_files=tuple(located(directory, path) for path in own.workflow_files),
    )
    hooks = has_hooks(directory, lock)
    return Project(
        lock, settings(directory), lock.source, own.ref_dir, own.overlay, own.workflow_files, recorded, hooks
    )


def has_hooks(directory: Path, lock: Lock | None) -> bool:
    """Return True if the hooks.py of a project has more than a docstring, or cannot be parsed."""
    most = orphan_hooks.LARGEST
    data = present(directory, f"{lock.package}/hooks.py", first=most + 1) if lock is not None else None
    if data is None or len(data) > most:
        return data is not None
    try:
        statements = ast.parse(data).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(not isinstance(each, ast.Expr) or not isinstance(each.value, ast.Constant) for each in statements)


def located(directory: Path, recorded: str) -> str:
    """Return a path from a lock file, changed to be relative to the working directory. A URL or `-` is returned
    unchanged.
    """
    if recorded == "-" or "://" in recorded:
        return recorded
    place = directory / recorded
    shorter = os.path.normpath(place)  # may be another file if a symbolic link precedes `..`: checked by the next line
    return shorter if os.path.realpath(shorter) == os.path.realpath(place) else str(place)


def surface(directory: Path, lock: Lock) -> Surface | None:
    """Describe the project in `directory` for comparisons, as a `Surface`. Return None if its JSON files cannot be
    read.
    """
    tables = {name: data for name in TABLES if (data := present(directory, f"{lock.package}/{name}")) is not None}
    if any(f"{lock.package}/{name}" in lock.files for name in TABLES if name not in tables):
        return None
    try:
        return of_project(tables, lock)
    except (KeyError, ValueError, RecursionError):
        return None


def recorded(source: str, directory: Path) -> str:
    """Return the path of `source` for the lock file: relative to the project, with forward slashes on every system.

    If `source` is a URL, secrets in it are removed.
    """
    if source == "-":
        return source
    if source.lower().startswith(("http://", "https://")):
        return without_secrets(source)
    try:
        path = os.path.relpath(source, directory)
        if not _leads(directory, path, source):
            path = os.path.relpath(os.path.realpath(source), os.path.realpath(directory))
        return Path(path).as_posix()
    except ValueError:  # Windows: no relative path leads to another drive, so store the absolute path
        return Path(source).absolute().as_posix()


def _leads(directory: Path, path: str, source: str) -> bool:
    """Return True if `path`, relative to `directory`, is the file `source`.

    A symbolic link among the parents of `directory` can make `path` lead to another file.
    """
    place = os.path.normpath(os.path.join(os.path.realpath(directory), path))
    return os.path.realpath(place) == os.path.realpath(source)
