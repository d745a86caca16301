"""Test projects that a killed run left unfinished: the user's folders are in the run's temporary directory (stage), and
the project links to them there. If the stage is missing, or beside another project, commands must report an error.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.base.tree import FileTree
from mcpgen.cli import main
from mcpgen.emit import OFFERED
from mcpgen.lock import lockfile as locks
from mcpgen.regenerate.publish import staging
from mcpgen.regenerate.publish.staging import inode
from tests.unit.filesystem import SWAPS, killed_at, quick
from tests.unit.projects import NEW, OTHER, generate, prepared, stopped_between

TOOLS = (
    "mcpgen: 1\nserver: {name: t}\nbase_url: https://t.example\n"
    "tools: [{name: a, description: A %s., request: GET /a}]\n"
)


@pytest.fixture(autouse=True)
def _quick_disk() -> Iterator[None]:
    with quick():
        yield


def lying(directory: Path) -> dict[str, str | bytes]:
    """Return a mapping from path to the target of a link, or the bytes of a file. Links are not followed."""
    paths = (Path(folder, name) for folder, folders, names in os.walk(directory) for name in (*folders, *names))
    return {
        str(path): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in paths
        if path.is_symlink() or not path.is_dir()
    }


def deleted(target: Path) -> Path:
    [stage] = staging.stages(target.parent)
    shutil.rmtree(stage.home)
    return target


def cleaned(target: Path) -> Path:
    """Remove untracked files, as `git clean` does in a repository around the project."""
    subprocess.run(["git", "init", "-q", str(target.parent)], check=True)
    subprocess.run(["git", "add", target.name], cwd=target.parent, check=True)
    subprocess.run(["git", "clean", "-qfd"], cwd=target.parent, check=True)
    return target


def moved(target: Path) -> Path:
    (target.parent / "elsewhere").mkdir()
    return target.rename(target.parent / "elsewhere" / "out")


def copied_away(target: Path) -> Path:
    return Path(shutil.copytree(target, target.parent / "elsewhere" / "out", symlinks=True))


def copied_beside(target: Path) -> Path:
    return Path(shutil.copytree(target, target.parent / "copy", symlinks=True))


def copied_with_its_stage(target: Path) -> Path:
    shutil.copytree(target.parent, target.parent.parent / "all", symlinks=True)
    return target.parent.parent / "all" / target.name


CASES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "deleted": (deleted, "are missing in"),
    "cleaned": (cleaned, "are missing in"),
    "moved": (moved, "are missing in"),
    "copied away": (copied_away, "are missing in"),
    "copied beside": (copied_beside, "which belongs to another project"),
    "copied with its stage": (copied_with_its_stage, "which belongs to another project"),
}
"""Name of a change to an unfinished project → function that makes the change and returns the new path, and words of the
error.
"""


@pytest.mark.parametrize("tree", [NEW, OTHER], ids=["again", "another"])
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_written_over_a_project_whose_parts_lie_elsewhere(tmp_path: Path, case: str, tree: FileTree) -> None:
    change, words = CASES[case]
    target = prepared(tmp_path / "home", "old to new")
    assert stopped_between(target, NEW)
    [stage] = staging.stages(target.parent)
    target = change(target)
    before, kept = lying(target), lying(target.parent / stage.home.name)
    with pytest.raises(FatalError, match=words) as end:
        generate(target, tree)
    said = end.value.diagnostic
    assert said.code == "output-unfinished"
    assert all(word in said.message for word in (".git", str(target), f"{stage.home.name}/project"))
    assert lying(target) == before
    assert lying(target.parent / stage.home.name) == kept


@pytest.mark.parametrize("where", ["p_mcp/own", "p_mcp/gone/own"])
def test_a_part_inside_of_a_package_is_missed_too(tmp_path: Path, where: str) -> None:
    """Kill a run, and delete its temporary directory, which holds folders of the user. The error of the next run must
    also name a folder inside a package, even if mcpgen no longer generates the folder around it.
    """
    target = prepared(tmp_path / "home", "old to new")
    for name in (".git", "tests"):
        shutil.rmtree(target / name)
    (target / where).mkdir(exist_ok=True)
    (target / where / "mine").write_text("mine")
    assert stopped_between(target, NEW)
    with pytest.raises(FatalError, match=f"its links .*{where}.* are missing"):
        generate(deleted(target), NEW)


def test_what_is_put_back_is_finished(tmp_path: Path) -> None:
    """Complete the project on the next run, after the user has moved the temporary directory (stage) of the killed run
    back beside the project, as the hint of the error says.
    """
    target = prepared(tmp_path / "home", "old to new")
    before = inode(target)
    assert stopped_between(target, NEW)
    [stage] = staging.stages(target.parent)
    target = moved(target)
    with pytest.raises(FatalError, match="missing"):
        generate(target, NEW)
    stage.home.rename(target.parent / stage.home.name)
    generate(target, NEW)
    assert (inode(target), (target / ".git" / "HEAD").read_text()) == (before, "mine: .git/HEAD")
    assert os.listdir(target.parent) == ["out"]


def test_a_link_of_somebody_is_a_link(tmp_path: Path) -> None:
    target = prepared(tmp_path / "home", "old to new")
    for name, place in (("a", "../.mcpgen-abcdefgh/project/b"), ("b", "nowhere"), ("c", "../.mcpgen-notes/project/c")):
        (target / name).symlink_to(place)
    generate(target, NEW)
    assert (target / "x").read_text() == "2"


def code_of(*arguments: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return end.value.code


@pytest.mark.parametrize("more", [[], ["--check"], ["--dry-run"]], ids=str)
def test_the_command_ends_with_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOOLS % "first")
    assert code_of("generate", "t.yaml", "-o", "out") == 0
    Path("out/.git").mkdir()
    Path("t.yaml").write_text(TOOLS % "second")
    assert killed_at(1, lambda: main(["regenerate", "out"]), SWAPS)
    deleted(tmp_path / "out")
    capsys.readouterr()
    assert code_of("regenerate", "out", *more) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        "error: A killed mcpgen run left out unfinished: the targets of its links .git, tests are missing in "
    )
    assert len(said.err.splitlines()) == 2


def test_a_folder_beside_the_offered_test_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOOLS % "first")
    assert code_of("generate", "t.yaml", "-o", "out") == 0
    lock = json.loads(Path("out", locks.NAME).read_text())
    del lock["offered"]
    Path("out", locks.NAME).write_text(json.dumps(lock))
    Path("out", OFFERED[1]).unlink()
    Path("out/tests/cases").mkdir()
    assert killed_at(1, lambda: main(["regenerate", "out"]), SWAPS)
    assert Path("out/tests/cases").is_symlink()
    deleted(tmp_path / "out")
    capsys.readouterr()
    assert code_of("regenerate", "out", "--check") == 2
    assert "the targets of its links tests/cases are missing in " in capsys.readouterr().err
