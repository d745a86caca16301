"""Projects as a write finds them: small trees, and what people and others have beside the generated files."""

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
    """As the command does it."""
    with claimed(directory):
        publish(plan(directory, tree, USERS, previous_lock(directory)), tree)


def foreign(directory: Path) -> None:
    """What others left, some of it called as we call our own."""
    (directory / ".mcpgen-notes").mkdir(parents=True)
    (directory / ".mcpgen-notes" / "project").write_text("mine")
    (directory / ".mcpgen-file").write_text("mine")


def lived_in(directory: Path) -> None:
    """A project with an edited hook, notes, a repository, folders of others in ours, and links."""
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
    """One file that changes, one that goes, one that stays, and a folder and a file of others."""
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
    """Not even the directory around it."""


SITUATIONS: dict[str, tuple[Callable[[Path], None], FileTree]] = {
    "old to new": (lived_in, NEW),
    "new to other": (renewed, OTHER),
    "small": (small, tree_of(x="2", stays="1")),
    "empty to new": (empty, NEW),
    "nothing to new": (nothing, NEW),
}
"""What is there, and what is written."""


def beside(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.parent.iterdir() if path != directory)


def prepared(home: Path, situation: str) -> Path:
    """A directory of its own, with the situation in `out`; others' files lie beside it."""
    foreign(home)
    SITUATIONS[situation][0](home / "out")
    return home / "out"


def copied(template: Path, home: Path) -> Path:
    """Another one like `template`, which was prepared; quicker than to prepare it again."""
    shutil.copytree(template.parent, home, symlinks=True)
    return home / template.name


def after(home: Path, situation: str, *trees: FileTree) -> dict[str, bytes] | None:
    """What is there when nothing goes wrong."""
    target = prepared(home, situation)
    for tree in trees:
        generate(target, tree)
    return contents(target)


def stopped_between(directory: Path, tree: FileTree) -> bool:
    """Kill a run after its first exchange. Whether the new directory lies in the place of the old one then."""
    before = inode(directory)
    killed_at(1, lambda: generate(directory, tree), SWAPS)
    return inode(directory) != before
