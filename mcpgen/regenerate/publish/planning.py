"""What it takes to make a directory hold a `FileTree`: what is written, what is kept, and what is refused.

Everything that could go wrong is looked at before the first byte is written: a directory that is not ours, a link in
the way, a generated file that somebody edited. Files that belong to the user are written when they are missing and
never again.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.errors import CannotGoOn
from mcpgen.base.jsonvalue import digest
from mcpgen.base.tree import FileTree
from mcpgen.emit import attributes
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.regenerate.publish import claim, staging
from mcpgen.regenerate.publish.emitted import is_emitted
from mcpgen.regenerate.publish.present import present


@dataclass(frozen=True, slots=True)
class Plan:
    """What publishing would do: paths relative to the directory, sorted. What was `edited` by hand would be lost; of
    that, `line_ends` are the files in which nothing else is different.
    """

    directory: Path
    write: tuple[str, ...]
    remove: tuple[str, ...]
    kept: tuple[str, ...]
    edited: tuple[str, ...] = ()
    line_ends: tuple[str, ...] = ()


def plan(
    directory: Path,
    tree: FileTree,
    owned: Iterable[str],
    previous: Lock | None,
    *,
    carried: Iterable[str] = (),
    overwrite: bool = False,
) -> Plan:
    """What it takes to make `directory` hold `tree`. `owned` are the user's files; of the paths `carried` the tree has
    what was edited.

    CannotGoOn where the directory is not ours to write, or where generated files were edited and `overwrite` is not
    given.
    """
    _refuse_foreign(directory, previous)
    users, unedited = set(owned), {locks.NAME, *carried}
    recorded: Mapping[str, str] = previous.files if previous else {}
    known = _known(directory, recorded)
    write, kept, remove, edited = [], [], [], []
    for path, data in tree.items():
        there = present(directory, path, first=0 if path in users else None)
        if there is None:
            write.append(path)
        elif path in users:
            kept.append(path)
        elif there != data:
            write.append(path)
            if path not in unedited and digest(there) not in known.get(path, ()):
                edited.append(path)
    for path in sorted(filter(is_emitted, known.keys() - set(tree) - users)):
        there = present(directory, path)
        ours = there is not None and digest(there) in known[path]
        if ours or (there is not None and path in recorded):
            remove.append(path)
            edited += [] if ours else [path]
    line_ends = [path for path in edited if _as_on_windows(present(directory, path), known.get(path, ()))]
    planned = Plan(directory, tuple(write), tuple(remove), tuple(kept), tuple(edited), tuple(line_ends))
    if edited and not overwrite:
        found = edits(planned)
        raise CannotGoOn(found.code, found.message, hint=found.hint)
    return planned


def edits(planned: Plan) -> Diagnostic:
    """What is said of generated files that were edited by hand, and where the edit can live; and of those that only
    went through a checkout.
    """
    by_hand = [path for path in planned.edited if path not in planned.line_ends]
    messages, hints = [], []
    if by_hand:
        were = "was" if len(by_hand) == 1 else "were"
        messages.append(f"{_some(by_hand)} in {planned.directory} {were} edited by hand.")
        hints.append(f"Move the edit to {_home(by_hand)}, or give --overwrite to lose it.")
    if planned.line_ends:
        messages.append(f"Only the line ends differ: {_some([*planned.line_ends])} in {planned.directory}.")
        hints.append(_NEW_ATTRIBUTES if attributes.NAME in planned.write else _OWN_ATTRIBUTES)
    return Diagnostic("edited-file", " ".join(messages), " ".join(hints))


_CAUSE = "A checkout by git on Windows does that"
_NEW_ATTRIBUTES = f"{_CAUSE}: give --overwrite, and commit the {attributes.NAME} that it writes, which prevents it."
_OWN_ATTRIBUTES = f"{_CAUSE}: say `-text` for them in {attributes.NAME}, and give --overwrite."


def _as_on_windows(there: bytes | None, known: Iterable[str]) -> bool:
    """Whether a file is what was written, but for CRLF in the place of LF."""
    return there is not None and digest(there.replace(b"\r\n", b"\n")) in known


_HOMES = {".py": "hooks.py", ".json": "mcpgen.yaml", ".md": "a file of your own", ".toml": "a project around this one"}
"""Where that can live which was written into a generated file of that kind."""


def _home(edited: Iterable[str]) -> str:
    homes = [_HOMES.get(PurePosixPath(path).suffix, "a file of your own") for path in edited]
    return " and ".join(dict.fromkeys(homes))


def _known(directory: Path, recorded: Mapping[str, str]) -> dict[str, set[str]]:
    """Path → the digests that our own writing gives it: those of the lock, and of locks that still wait in the stages
    of runs that broke off between the first file and the lock.
    """
    known = {path: {found} for path, found in recorded.items()}
    with claim.reading(directory):
        stages = staging.stages(directory)
    for stage in stages:
        data = staging.read(stage, locks.NAME)
        try:
            lock = locks.load(data, locks.NAME) if data is not None else None
        except CannotGoOn:  # broken off while the lock itself was written: no file had been moved
            lock = None
        for path, found in lock.files.items() if lock else ():
            known.setdefault(path, set()).add(found)
    return known


def _refuse_foreign(directory: Path, previous: Lock | None) -> None:
    reason, hint = "", "Name an empty or new directory."
    with claim.reading(directory):
        if directory.is_symlink():
            reason, hint = "is a link", f"Name the directory itself: {directory.parent / os.readlink(directory)}"
        elif directory.exists() and not directory.is_dir():
            reason = "is not a directory"
        elif previous is None and directory.is_dir() and (found := _strangers(directory)):
            reason = f"holds files that mcpgen did not write ({_some(found)})"
    if reason:
        raise CannotGoOn("output-refused", f"{directory} {reason}.", hint=hint)


def _strangers(directory: Path) -> list[str]:
    """A repository that was just begun is no stranger: its first files are what is written now."""
    ours = {".git", *(stage.home.name for stage in staging.stages(directory))}
    return sorted({path.name for path in directory.iterdir()} - ours)


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
