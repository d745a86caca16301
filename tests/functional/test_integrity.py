"""Test that `--doctor` compares the runtime's files with what mcpgen wrote, and names the files that differ."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from package.runtime.commands.doctor import describe

import mcpgen
from mcpgen.emit.project import SUMS, checksums
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import read
from tests.leaks import SECRET, searched

ROOT = Path(__file__).parents[2]
UNCHANGED = f"runtime: no accidental edits (its files match SHA256SUMS of mcpgen {mcpgen.__version__})"
CHANGED = f"runtime: changed since mcpgen {mcpgen.__version__} wrote it: "
RESTORE = ". `mcpgen regenerate --overwrite` restores it."
DAMAGED = "runtime: cannot be checked, since its SHA256SUMS is missing or damaged. `mcpgen regenerate` writes it."


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """Return a copy of the runtime of the petstore example."""
    for path, data in compile_source(read(str(ROOT / "specs" / "petstore.openapi.yaml")), Options()).tree.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    return tmp_path / "petstore_mcp" / "runtime"


def windows(runtime: Path) -> None:
    """Change every LF to CRLF, as git does on Windows."""
    for path in runtime.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def edit(runtime: Path, *names: str) -> None:
    for name in names:
        with (runtime / name).open("a") as file:
            file.write("# mine\n")


def leave_caches(runtime: Path) -> None:
    (runtime / "core" / "__pycache__").mkdir()
    (runtime / "core" / "__pycache__" / "log.cpython-311.pyc").write_bytes(b"x")
    (runtime / ".DS_Store").write_bytes(b"x")


def put_a_pipe(runtime: Path) -> None:
    (runtime / "LICENSE").unlink()
    os.mkfifo(runtime / "LICENSE")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda runtime: None, UNCHANGED),
        (windows, UNCHANGED),
        (leave_caches, UNCHANGED),
        (lambda runtime: edit(runtime, "http/client.py"), f"{CHANGED}http/client.py{RESTORE}"),
        (lambda runtime: edit(runtime, "server.py", "LICENSE"), f"{CHANGED}LICENSE, server.py{RESTORE}"),
        (lambda runtime: (runtime / "hooks" / "__init__.py").unlink(), f"{CHANGED}hooks/__init__.py{RESTORE}"),
        (lambda runtime: edit(runtime, "core/evil.py"), f"{CHANGED}core/evil.py{RESTORE}"),
        (lambda runtime: edit(runtime, "core/log.pyc"), f"{CHANGED}core/log.pyc{RESTORE}"),
        (lambda runtime: edit(runtime, "\x1b[2J\n.py"), f"{CHANGED}\\x1b[2J\\n.py{RESTORE}"),
        (put_a_pipe, f"{CHANGED}LICENSE{RESTORE}"),
        (lambda runtime: edit(runtime, *(f"x{n:02}.py" for n in range(12))), f"x08.py, x09.py and 2 more{RESTORE}"),
        (lambda runtime: (runtime / SUMS).unlink(), DAMAGED),
        (lambda runtime: (runtime / SUMS).write_text(""), DAMAGED),
        (lambda runtime: (runtime / SUMS).write_text("# mcpgen 1\n"), DAMAGED),
        (lambda runtime: (runtime / SUMS).write_text(f"# mcpgen \x1b[2J\n{'0' * 64}  a.py\n"), DAMAGED),
        (lambda runtime: (runtime / SUMS).write_bytes(b"# mcpgen 1\n\xff"), DAMAGED),
        (lambda runtime: edit(runtime, SUMS), DAMAGED),
    ],
)
def test_one_line_says_whether_it_is_unchanged(change: Callable[[Path], object], said: str, runtime: Path) -> None:
    change(runtime)
    assert describe(str(runtime)).endswith(said)


def test_doctor_tells_it_and_goes_on(runtime: Path) -> None:
    def doctor() -> tuple[int, str]:
        environ = {**os.environ, "PETSTORE_API_KEY": SECRET}
        command = [sys.executable, "-m", "petstore_mcp", "--doctor", "--base-url", "http://127.0.0.1:1/"]
        done = subprocess.run(
            command, cwd=runtime.parents[1], env=environ, capture_output=True, text=True, check=False, timeout=60
        )  # fmt: skip
        searched((done.stdout + done.stderr).encode())
        return done.returncode, done.stdout.splitlines()[1]

    code, line = doctor()
    assert line == UNCHANGED
    edit(runtime, "http/client.py")
    assert doctor() == (code, f"{CHANGED}http/client.py{RESTORE}")


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="there is no sha256sum")
def test_sha256sum_finds_the_same(runtime: Path) -> None:
    command = ["sha256sum", "--check", "--quiet", "--strict", SUMS]
    assert subprocess.run(command, cwd=runtime, check=False).returncode == 0
    edit(runtime, "server.py")
    done = subprocess.run(command, cwd=runtime, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "server.py: FAILED\n")


def test_the_licence_is_that_of_mcpgen(runtime: Path) -> None:
    assert (runtime / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_line_ends_of_the_compilers_own_files_change_no_digest() -> None:
    """Check that a checkout of mcpgen with CRLF, as by git for Windows, gives the same digests of runtime files."""
    assert checksums({"a.py": b"1\r\n2\r\n"}) == checksums({"a.py": b"1\n2\n"})
