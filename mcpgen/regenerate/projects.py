"""Generated projects that are there: what they remember, and what their tables say."""

import codecs
import os
from dataclasses import replace
from pathlib import Path

from mcpgen.base import origins
from mcpgen.base.errors import CannotGoOn
from mcpgen.base.source_urls import without_secrets
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.pipeline import Project
from mcpgen.read import fetch
from mcpgen.read.fetch import Fetched
from mcpgen.regenerate.diff import TABLES, Surface, of_tables
from mcpgen.regenerate.publish import present, previous_lock


def settings(directory: Path) -> Fetched | None:
    """The user's tools file of a project; None where there is none, or nothing in it."""
    path = directory / "mcpgen.yaml"
    fetched = fetch.read(str(path)) if path.is_file() and not path.is_symlink() else None
    return fetched if fetched is not None and fetched.data.removeprefix(codecs.BOM_UTF8).strip() else None


def lock_of(directory: Path) -> Lock | None:
    """Return the lock of the project in `directory`, None where there is none. CannotGoOn where it cannot be read.

    A lock that is older than the list of origins gets the origins that its table names: these were promised. Where
    the table cannot be read, none is; a lock that knows of no table is of a project that was never generated.
    """
    lock = previous_lock(directory)
    if lock is None or lock.origins is not None or f"{lock.package}/bindings.json" not in lock.files:
        return lock
    before = surface(directory, lock)
    promised = origins.accepted(before.header) if before is not None else ()
    return replace(lock, origins=dict.fromkeys(sorted(promised), True))


def remembered(directory: Path) -> Project:
    """The project in `directory`, which compiles as it did before. CannotGoOn where there is none."""
    lock = lock_of(directory)
    if lock is None:
        message = f"{directory} holds no generated project: there is no {locks.NAME}."
        hint = "Name the directory of one, or make one with `mcpgen generate SOURCE -o DIR`."
        raise CannotGoOn("no-project", message, hint=hint)
    own = lock.options
    recorded = replace(
        own,
        ref_dir=tuple(located(directory, path) for path in own.ref_dir),
        overlay=tuple(located(directory, path) for path in own.overlay),
    )
    return Project(lock, settings(directory), lock.source, own.ref_dir, own.overlay, recorded)


def located(directory: Path, recorded: str) -> str:
    """What a lock calls a path or a URL, as it is reached from here."""
    if recorded == "-" or "://" in recorded:
        return recorded
    place = directory / recorded
    shorter = os.path.normpath(place)  # where a link lies above the project it may be another
    return shorter if os.path.realpath(shorter) == os.path.realpath(place) else str(place)


def surface(directory: Path, lock: Lock) -> Surface | None:
    """What the tables of the project in `directory` say; None where they cannot be read."""
    tables = {name: data for name in TABLES if (data := present(directory, f"{lock.package}/{name}")) is not None}
    try:
        return of_tables(tables, lock.promises.tools)
    except (KeyError, ValueError, RecursionError):
        return None


def recorded(source: str, directory: Path) -> str:
    """A path as the lock remembers it: relative to where the project lies, with forward slashes on every system. Of a
    URL what may be a secret is left out.
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
    except ValueError:  # another drive
        return Path(source).absolute().as_posix()


def _leads(directory: Path, path: str, source: str) -> bool:
    """Whether `path` is `source` from `directory` on: it is not where a link lies above the project."""
    place = os.path.normpath(os.path.join(os.path.realpath(directory), path))
    return os.path.realpath(place) == os.path.realpath(source)
