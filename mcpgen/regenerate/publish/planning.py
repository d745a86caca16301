"""Plan a write: which files are written, kept or removed, and reasons to refuse.

Before the first byte is written, the plan is checked for every reason to refuse the write: files that mcpgen did not
write, a link in the path, an edited generated file. The user's files are written if they are missing, and never
changed. Files that a server does not need are written only once; if their owner deletes them, they are not written
again.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import digest
from mcpgen.base.tree import FileTree
from mcpgen.emit import ONCE
from mcpgen.emit.offered import GITATTRIBUTES
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.regenerate.publish import claim, staging
from mcpgen.regenerate.publish.emitted import is_emitted, packages
from mcpgen.regenerate.publish.present import git_last_version, no_lock, present


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned write, as sorted paths relative to `directory`: files to write, to keep and to remove.

    `kept`: the user's files that are not written: existing ones, and deleted ones that mcpgen writes only once.
    `edited`: generated files with edits by hand that would be lost. `line_ends`: edited files that differ only in line
    ends. `lock_missing`: True if `edited` are all files that differ, since no lock file shows which ones were edited.
    """

    directory: Path
    write: tuple[str, ...]
    remove: tuple[str, ...]
    kept: tuple[str, ...]
    edited: tuple[str, ...] = ()
    line_ends: tuple[str, ...] = ()
    lock_missing: bool = False


def plan(
    directory: Path,
    tree: FileTree,
    owned: Iterable[str],
    previous: Lock | None,
    *,
    carried: Iterable[str] = (),
    overwrite: bool = False,
) -> Plan:
    """Return the plan for writing `tree` to `directory`.

    `owned`: the user's files. `carried`: paths whose edits `tree` already contains. Raises FatalError if the directory
    contains no project of mcpgen, or if generated files were edited and `overwrite` is False.
    """
    _refuse_foreign(directory, previous)
    users, unedited = set(owned), {locks.NAME, *carried}
    recorded: Mapping[str, str] = previous.files if previous else {}
    is_rebuilt = previous is not None and previous.rebuilt
    known = {path: set[str]() for path in recorded} if is_rebuilt else _known(directory, recorded)
    offered = {path for path in ONCE if path in users and path in tree}
    left = {path for path in offered if not _is_to_be_offered(directory, path, previous)}
    write, kept, remove, edited = [], [*left], [], []
    for path, data in tree.items():
        if path in left:
            continue
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
    planned = Plan(
        directory, tuple(write), tuple(remove), tuple(sorted(kept)), tuple(edited), tuple(line_ends), is_rebuilt
    )
    if edited and not overwrite:
        found = edits(planned)
        raise FatalError(found.code, found.message, hint=found.hint)
    return planned


# Nothing is written through a linked folder, because the file could land outside the project
# (docs/decisions/writing.md).
def _is_to_be_offered(directory: Path, path: str, previous: Lock | None) -> bool:
    """Return True if an optional file is to be written: no earlier run has written it, and nothing exists at `path`."""
    place = directory / path
    folders = [directory / folder for folder in PurePosixPath(path).parents if folder.name]
    with claim.reading(place):
        is_taken = os.path.lexists(place) or any(os.path.lexists(each) and not each.is_dir() for each in folders)
        is_elsewhere = any(each.is_symlink() for each in folders)
    return not (is_taken or is_elsewhere) and (previous is None or path not in previous.offered)


def edits(planned: Plan) -> Diagnostic:
    """Return the error for generated files that were edited by hand, or whose line ends were changed by a checkout.

    The hint names a file of the user in which the same change can be made.
    """
    if planned.lock_missing:
        return _perhaps_edited(planned)
    by_hand = [path for path in planned.edited if path not in planned.line_ends]
    messages, hints = [], []
    if by_hand:
        were = "was" if len(by_hand) == 1 else "were"
        messages.append(f"{claim.first_few(by_hand)} in {planned.directory} {were} edited by hand.")
        hints.append(f"Move the edit to {_home(by_hand)}, or discard the edit with --overwrite.")
    if planned.line_ends:
        messages.append(
            "Only the line ends differ from what mcpgen wrote: "
            f"{claim.first_few(planned.line_ends)} in {planned.directory}."
        )
        hints.append(_NEW_ATTRIBUTES if GITATTRIBUTES in planned.write else _OWN_ATTRIBUTES)
    return Diagnostic("edited-file", " ".join(messages), " ".join(hints))


def _perhaps_edited(planned: Plan) -> Diagnostic:
    these = "this file was" if len(planned.edited) == 1 else "these files were"
    message = (
        f"Without {locks.NAME}, mcpgen cannot know whether {these} edited by hand: {claim.first_few(planned.edited)} "
        f"in {planned.directory}."
    )
    command = git_last_version(planned.directory, locks.NAME)
    hint = (
        f"Bring the lock file back with `{command}`, or write the files again with --overwrite, which discards such "
        "edits. --dry-run --overwrite shows the changes first."
    )
    return Diagnostic("edited-file", message, hint)


_NEW_ATTRIBUTES = (
    "Git on Windows changes line ends at a checkout. Give --overwrite to write the files again, and commit the "
    f"{GITATTRIBUTES} that mcpgen writes, so that git keeps the line ends."
)
_OWN_ATTRIBUTES = (
    f"Git on Windows changes line ends at a checkout. Write `-text` for these files in {GITATTRIBUTES}, so that git "
    "keeps the line ends, and give --overwrite to write the files again."
)


def _as_on_windows(there: bytes | None, known: Iterable[str]) -> bool:
    """Return True if CRLF instead of LF is the only difference between a file and the version that mcpgen wrote."""
    return there is not None and digest(there.replace(b"\r\n", b"\n")) in known


_HOMES = {".py": "hooks.py", ".json": "mcpgen.yaml", ".md": "a file of your own", ".toml": "a project around this one"}
"""Suffix of a generated file → where the user can make the same change for good."""


def _home(edited: Iterable[str]) -> str:
    homes = [_HOMES.get(PurePosixPath(path).suffix, "a file of your own") for path in edited]
    return " and ".join(dict.fromkeys(homes))


def _known(directory: Path, recorded: Mapping[str, str]) -> dict[str, set[str]]:
    """Return path → digests of the file as mcpgen wrote it. The digests come from the lock file, and from lock files in
    staging directories of interrupted runs.
    """
    known = {path: {found} for path, found in recorded.items()}
    with claim.reading(directory):
        stages = staging.stages(directory)
    for stage in stages:
        data = staging.read(stage, locks.NAME)
        try:
            lock = locks.load(data, locks.NAME) if data is not None else None
        except FatalError:  # incomplete lock file: its run was killed before it moved any file
            lock = None
        for path, found in lock.files.items() if lock else ():
            known.setdefault(path, set()).add(found)
    return known


def _refuse_foreign(directory: Path, previous: Lock | None) -> None:
    if previous is None and packages(directory):
        raise no_lock(directory, is_readable=False)
    reason, hint = "", "Name an empty or new directory."
    with claim.reading(directory):
        if directory.is_symlink():
            reason, hint = "is a link", f"Name the target of the link: {directory.parent / os.readlink(directory)}"
        elif directory.exists() and not directory.is_dir():
            reason = "is not a directory"
        elif previous is None and directory.is_dir() and (found := _strangers(directory)):
            reason = f"holds files that mcpgen did not write ({claim.first_few(found)})"
    if reason:
        raise FatalError("output-refused", f"{directory} {reason}.", hint=hint)


def _strangers(directory: Path) -> list[str]:
    """Return the names of files in `directory` that mcpgen did not write.

    `.git` does not count: the project may be the first files of a new repository.
    """
    ours = {".git", *(stage.home.name for stage in staging.stages(directory))}
    return sorted({path.name for path in directory.iterdir()} - ours)
