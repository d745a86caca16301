"""Test the artifacts in which mcpgen itself is published: a wheel that uvx starts, an sdist from which the same wheel
is built, and a container image.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.bundle.releases import PETSTORE, ROOT, archived
from tests.bundle.tools import empty_environment, python_tools
from tests.deployment.containerfile import Build, context

PATIENCE = 300
NAMED = ("mcpgen", "templates", "specs", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", ".gitignore")

pytestmark = pytest.mark.slow


def source(folder: Path) -> Path:
    """Copy the files of the repository from which a release is made, and some files that must not be in a release."""
    for name in NAMED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    (folder / "generated" / "petstore").mkdir(parents=True)
    (folder / "generated" / "petstore" / "README.md").write_text("not of the release")
    (folder / ".git").mkdir()
    return folder


def run(*command: str | Path, **options: Any) -> str:
    """Run a program, which must succeed, and return its output."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=PATIENCE, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def built(folder: Path, *targets: str) -> dict[str, bytes]:
    """Build the artifacts from a copy of the repository, as the release workflow does.

    Return a mapping from names to contents of the artifacts.
    """
    command = [sys.executable, "-P", "-m", "hatchling", "build", "--directory", str(folder / "dist"), *targets]
    run(*command, cwd=folder, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    return {path.name: path.read_bytes() for path in sorted((folder / "dist").iterdir())}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return built(source(tmp_path_factory.mktemp("one") / "source"))


def test_two_directories_and_the_sdist_give_the_same_bytes(files: dict[str, bytes], tmp_path: Path) -> None:
    assert built(source(tmp_path / "other" / "name")) == files
    [sdist] = [name for name in files if name.endswith(".tar.gz")]
    (tmp_path / sdist).write_bytes(files[sdist])
    with tarfile.open(tmp_path / sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    [wheel] = [name for name in files if name.endswith(".whl")]
    from_sdist = built(tmp_path / sdist.removesuffix(".tar.gz"), "-t", "wheel")
    assert from_sdist == {wheel: files[wheel]}
    inside = {path.split("/")[1] for path, _ in archived(sdist, files[sdist])}
    assert inside == {*NAMED, "PKG-INFO"}


@pytest.mark.world
def test_uvx_starts_the_wheel_which_makes_a_server_and_its_release(files: dict[str, bytes], tmp_path: Path) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    run(python_tools() / "twine", "check", "--strict", *(tmp_path / name for name in files))
    [wheel] = tmp_path.glob("*.whl")
    mcpgen = [str(python_tools() / "uv"), "tool", "run", "--from", str(wheel), "mcpgen"]
    environ = empty_environment(tmp_path)
    shutil.copy(PETSTORE, tmp_path / "api.yaml")
    run(*mcpgen, "generate", "api.yaml", "-o", "petstore", cwd=tmp_path, env=environ)
    run(*mcpgen, "bundle", "petstore", "--registry-name", "io.github.ann/petstore", cwd=tmp_path, env=environ)
    assert len([*(tmp_path / "petstore" / "dist").iterdir()]) == 7


@pytest.mark.world
def test_the_image_compiles_what_lies_in_the_folder(tmp_path: Path) -> None:
    """Carry out the steps of the Containerfile without an image builder.

    Then run the image's command on a document in the current folder.
    """
    build = Build((ROOT / "Containerfile").read_text(), source_with_rules(tmp_path), tmp_path, sys.executable)
    build.run()
    assert build.image.user == (10001, 10001)
    work = tmp_path / "work"
    work.mkdir()
    shutil.copy(PETSTORE, work / "api.yaml")
    environ = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **build.image.environment}
    run(*build.image.entrypoint, "generate", "api.yaml", "-o", "petstore", cwd=work, env=environ)
    assert (work / "petstore" / "petstore_mcp" / "tools.json").is_file()
    assert "Usage: mcpgen" in run(*build.image.entrypoint, *build.image.command, cwd=work, env=environ)


def source_with_rules(home: Path) -> Path:
    folder = source(home / "source")
    shutil.copy(ROOT / ".dockerignore", folder / ".dockerignore")
    (folder / "secret").write_text("of somebody")
    assert not (context(folder, home / "admitted") / "secret").exists()
    return folder
