"""Build directories in the states in which mcpgen may find them, with files of the user and of other programs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from mcpgen.base.tree import FileTree
from mcpgen.regenerate.publish import claimed, plan, previous_lock, publish
from mcpgen.regenerate.publish.staging import inode
from tests.unit.filesystem import SWAPS, contents, killed_at
from tests.unit.test_publish import USERS, tree_of

OLD = tree_of(x="1", p_mcp__gone__too="1", p_mcp__gone__gone="1", p_mcp__stays="1", p_mcp__q__y="1", hooks="mine")
NEW = tree_of(x="2", p_mcp__y="2", p_mcp__q__y="2", p_mcp__stays="1", p_mcp__r__new="2", hooks="mine")
OTHER = tree_of(x="3", p_mcp__z="3", p_mcp__stays="1", hooks="mine")


def generate(directory: Path, tree: FileTree) -> None:
    """Write the file tree into a directory as the command `generate` does."""
    with claimed(directory):
        publish(plan(directory, tree, USERS, previous_lock(directory)), tree)


def foreign(directory: Path) -> None:
    """Make files and folders of other programs beside the project. Some have names like mcpgen's own."""
    (directory / ".mcpgen-notes").mkdir(parents=True)
    (directory / ".mcpgen-notes" / "project").write_text("mine")
    (directory / ".mcpgen-file").write_text("mine")


def lived_in(directory: Path) -> None:
    """Make a project with an edited hook, notes, a git repository, symlinks, and own folders in generated folders."""
    generate(directory, OLD)
    foreign(directory)
    (directory / "hooks.py").write_text("edited")
    for path in (".git/HEAD", "tests/test_it", "notes", "p_mcp/notes", "p_mcp/own/notes", "p_mcp/q/own/notes"):
        (directory / path).parent.mkdir(exist_ok=True)
        (directory / path).write_text(f"mine: {path}")
    (directory / "link").symlink_to("notes")
    (directory / "p_mcp" / "folder").symlink_to("../tests")
    (directory / "p_mcp").chmod(0o750)


def small(directory: Path) -> None:
    """Make a project with one file to change, one to remove, one to keep, and files of the user."""
    generate(directory, tree_of(x="1", q_mcp__gone="1", stays="1"))
    (directory / ".git").mkdir()
    (directory / ".git" / "HEAD").write_text("mine")
    (directory / "notes").write_text("mine")


def renewed(directory: Path) -> None:
    lived_in(directory)
    generate(directory, NEW)


def empty(directory: Path) -> None:
    directory.mkdir()


def nothing(directory: Path) -> None:
    """Make nothing: even the parent directory is missing."""


SITUATIONS: dict[str, tuple[Callable[[Path], None], FileTree]] = {
    "old to new": (lived_in, NEW),
    "new to other": (renewed, OTHER),
    "small": (small, tree_of(x="2", stays="1")),
    "empty to new": (empty, NEW),
    "nothing to new": (nothing, NEW),
}
"""Name of a situation → function that creates its files in a folder, and the file tree that the run then writes."""


def beside(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.parent.iterdir() if path != directory)


def prepared(home: Path, situation: str) -> Path:
    """Create the directory `home`/out as `situation` says (a key of SITUATIONS), and other programs' files beside it.

    Return the directory's path.
    """
    foreign(home)
    SITUATIONS[situation][0](home / "out")
    return home / "out"


def copied(template: Path, home: Path) -> Path:
    """Return a copy of the prepared directory `template`, which is faster than preparing another."""
    shutil.copytree(template.parent, home, symlinks=True)
    return home / template.name


def after(home: Path, situation: str, *trees: FileTree) -> dict[str, bytes] | None:
    """Create the directory as `situation` says, write each file tree of `trees` into it in turn, and return its
    contents.
    """
    target = prepared(home, situation)
    for tree in trees:
        generate(target, tree)
    return contents(target)


def stopped_between(directory: Path, tree: FileTree) -> bool:
    """Kill a run of mcpgen between its two exchanges of directories (`publish/transaction.py`).

    The first exchange puts the new directory at the project's path, and the second puts the updated old directory back.
    Return True if the new directory is at the project's path.
    """
    before = inode(directory)
    killed_at(1, lambda: generate(directory, tree), SWAPS)
    return inode(directory) != before
