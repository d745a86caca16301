"""Carry out what the README's "Your first server" and the tutorial tell a reader to do, in a clone. Compare what the
commands print with what the pages show.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.docs.console import ROOT, Addition, Command, Shell, is_shown, section, steps

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
PAGES = {"README.md": section("README.md", "Your first server"), "docs/tutorial.md": TUTORIAL}
STEPS = {page: [*steps(text)] for page, text in PAGES.items()}
PORTS = ("8080", "8000")
"""Ports in the pages' commands. Free ones take their place here."""

KEPT = ("PIP_", "UV_", "SSL_")
"""Prefixes of variables that say where packages come from on this machine."""

NOT_THERE = re.compile(
    r"No matching distribution found for (\S+)"  # pip
    r"|because (\S+) was not found in the (?:package registry|provided package locations)"  # uv
    r"|Failed to fetch: `?\S+/([\w.-]+)/"  # uv
)
SHORT_WAY = 4
"""Limit on the commands of the tutorial's short way."""

WIDEST = 76
"""Characters of a block that a window of 1280 pixels shows without scrolling."""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a copy of the files that git knows or does not ignore, as a clone has them."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("git: this is no clone")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "clone" / name).write_bytes((ROOT / name).read_bytes())
    assert (tmp_path / "clone" / "generated" / "petstore" / "mcpgen.lock.json").is_file()
    return tmp_path / "clone"


def only_python(folder: Path) -> dict[str, str]:
    """Return the environment of a person who has Python with pip, and else what every system has."""
    venv.create(folder / "python", with_pip=True, symlinks=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(sys._base_executable)  # type: ignore[attr-defined]  # uv takes no virtual one
    (folder / ".config" / "uv").mkdir(parents=True)
    # MCP clients start servers without variables such as `SSL_CERT_FILE`, so uv gets this setting in a file.
    (folder / ".config" / "uv" / "uv.toml").write_text("system-certs = true\n" if "SSL_CERT_FILE" in os.environ else "")
    kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    return {**kept, **settings(folder, folder / "python" / "bin", folder / "bin")}


def settings(home: Path, *programs: Path) -> dict[str, str]:
    path = os.pathsep.join([*map(str, programs), os.defpath])
    return {"HOME": str(home), "PATH": path, "COLUMNS": "400", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def elsewhere(step: Command | Addition, ports: Mapping[str, str]) -> Command | Addition:
    """Return a step with other ports."""
    if isinstance(step, Addition):
        return step
    line, shown = step.line, step.shown
    for port, free in ports.items():
        line, shown = line.replace(port, free), shown.replace(port, free)
    return Command(line, shown)


def free_ports() -> dict[str, str]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in PORTS]
    ports = {port: str(each.getsockname()[1]) for port, each in zip(PORTS, held, strict=True)}
    for each in held:
        each.close()
    return ports


def follow(page: str, folder: Path, environ: Mapping[str, str], *, only: str = "") -> None:
    """Carry out the steps of a page; with `only`, of its commands those that begin with this word."""
    ports = free_ports()
    with Shell(folder, environ) as shell:
        for step in (elsewhere(each, ports) for each in STEPS[page]):
            if isinstance(step, Command) and not step.line.startswith(only):
                continue
            code, printed = shell.carry_out(step)
            if isinstance(step, Command):
                if code and (lacking := NOT_THERE.search(printed)):
                    pytest.skip(f"{lacking[lacking.lastindex or 0]}: no package index has it here ({step.line})")
                assert code == 0, f"{step.line}\n{printed[-3000:]}"
                assert is_shown(step.shown, printed), (
                    f"{page}: $ {step.line}\n{step.shown}\n-- is printed as:\n{printed}"
                )


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_mcpgen_print_what_the_page_shows(page: str, clone: Path, tmp_path: Path) -> None:
    follow(page, clone, settings(tmp_path, Path(sys.executable).parent), only="mcpgen ")


@pytest.mark.slow
@pytest.mark.world
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", PAGES)
def test_every_step_of_a_page_works(page: str, clone: Path, tmp_path: Path) -> None:
    follow(page, clone, only_python(tmp_path / "home"))


def test_the_short_way_is_short_and_uses_the_short_ways() -> None:
    commands = [each.line for each in steps(section("docs/tutorial.md", "The short way")) if isinstance(each, Command)]
    assert 1 < len(commands) <= SHORT_WAY
    assert any(command.startswith("uvx ") and " mcpgen install " in command for command in commands)


def test_the_tree_of_files_is_complete_and_fits_on_a_page(clone: Path, tmp_path: Path) -> None:
    [tree] = re.findall(r"^```text\n(my-server/\n.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    lines = tree.splitlines()[1:]
    assert [line for line in lines if len(line) > WIDEST] == []
    folder, named = "", set()
    for indent, name in re.findall(r"^( +)(\S+)", "\n".join(lines), re.MULTILINE):
        folder = folder if len(indent) > 2 else ""
        named.add(folder + name.removesuffix("/"))
        if len(indent) == 2 and name.endswith("/"):
            folder = name
    follow("docs/tutorial.md", clone, settings(tmp_path, Path(sys.executable).parent), only="mcpgen generate")
    project = clone / "my-server"
    written = {path.relative_to(project).as_posix() for path in [*project.glob("*"), *project.glob("*/*")]}
    assert named == written


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("", "anything\n", True),
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("…\nb\n", "a\nb\n", True),
        ("…\nb\n", "b\n", True),
        ("a\n…\n", "a\n", True),
        ("a\n…\nc\n", "a\nb\n", False),
        ("in ….json.\n", "in /home/ann/x.json.\n", True),
        ("in ….json.\n", "in x\n.json.\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_output_is_compared_line_by_line_but_for_what_is_left_out(shown: str, printed: str, fits: bool) -> None:
    assert is_shown(shown, printed) is fits


@pytest.mark.parametrize(
    "printed",
    [
        "ERROR: No matching distribution found for uv\n",
        "because uv was not found in the package registry and",
        "error: Failed to fetch: https://pypi.example/simple/uv/\n  cause: client error (Connect)\n",
    ],
)
def test_a_package_that_no_index_has_is_named(printed: str) -> None:
    lacking = NOT_THERE.search(printed)
    assert lacking is not None
    assert lacking[lacking.lastindex or 0] == "uv"


def test_a_block_that_nobody_carries_out_is_refused() -> None:
    assert [*steps("Open `a.yaml` and add:\n\n```yaml\nb: 1\n```\n")] == [Addition("a.yaml", "b: 1\n")]
    with pytest.raises(AssertionError, match="what to do"):
        [*steps("Then:\n\n```sh\nmcpgen demo\n```\n")]
