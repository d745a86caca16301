"""Test the commands as a new user runs them: real processes, real pipes, and no leftover files."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcpgen.cli import COMMANDS, main
from mcpgen.demo import petstore
from mcpgen.demo.client import connect
from tests.wheel import installed

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
PATIENCE = 120


def _environment(temporary: Path, **more: str) -> Mapping[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "TMPDIR": str(temporary), **more}


def test_the_demo_shows_the_whole_job_and_leaves_nothing_behind(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "mcpgen", "demo"],
        cwd=ROOT,
        env=_environment(tmp_path),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    for fragment in (
        "24 tools",
        ".cursor/mcp.json now says: python -P -m petstore_mcp",
        "tools/list",
        "GET /v1/pets?species=cat&limit=2",
        "the API holds 13 pets; it held 12",
        'did you mean "available"?',
        "HTTP 404",
        "image/png",
        "+ list_toys (additive)",
        "- get_featured_pet (breaking)",
        "~ list_pets: Argument breed is new and optional. (additive)",
        "Nothing is left behind",
    ):
        assert fragment in told.stdout
    assert list(tmp_path.iterdir()) == []
    printed = told.stdout.splitlines()
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("$ make demo\n")[1].split("\n\n$ make test")[0]
    assert [line for line in shown.splitlines() if line != "…" and line not in printed] == []


def test_run_serves_a_document_and_keeps_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mcpgen", "run", str(PETSTORE)]
    with petstore.serve() as api:
        more = {"PETSTORE_BASE_URL": api.url, "PETSTORE_API_KEY": petstore.API_KEY}
        with connect(command, ROOT, _environment(tmp_path, **more)) as client:
            assert len(client.request("tools/list")["tools"]) == 24
            answer = client.call("get_pet", petId=1)
            assert json.loads(answer["content"][0]["text"])["name"] == "Mitzi"
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_says_what_would_be_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for more in ([], ["--name", "other", "--dry-run"], ["--name", "other"]):
        with pytest.raises(SystemExit):
            main(["generate", str(PETSTORE), "-o", str(tmp_path / "out"), "--format", "json", *more])
        told.append(json.loads(capsys.readouterr().out))
    _, would, did = told
    assert "petstore_mcp/tools.json" in would["wouldRemove"]
    assert "other_mcp/tools.json" in would["wouldWrite"]
    assert (would["written"], would["removed"]) == ([], [])
    assert (did["written"], did["removed"]) == (would["wouldWrite"], would["wouldRemove"])
    assert (did["wouldWrite"], did["wouldRemove"]) == ([], [])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"Usage: mcpgen {command}")


@pytest.mark.parametrize(
    "command", [each for each in COMMANDS if each not in ("regenerate", "bundle", "demo", "schema", "uninstall")]
)
def test_a_command_without_words_says_what_is_missing(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command])
    assert ended.value.code == 2
    assert "Missing " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("genrate", "No such command 'genrate'. Did you mean 'generate' or 'regenerate'?"),
        ("isntall", "No such command 'isntall'. Did you mean 'install'?"),
        ("xyzzy", "No such command 'xyzzy'."),
    ],
)
def test_a_misspelt_command_is_told_what_is_near(written: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([written, "x"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"Error: {said}"


@pytest.mark.slow
def test_the_wheel_alone_is_enough_for_the_demo(wheel: Path, tmp_path: Path) -> None:
    """Run the demo with only the wheel and its declared dependencies. The checkout is not on the path."""
    assert_demo_runs(installed(wheel, tmp_path / "clean"), tmp_path / "elsewhere")


@pytest.mark.slow
def test_it_installs_into_a_clean_environment(tmp_path: Path) -> None:
    """Run `pip install .` in a new environment, then `mcpgen demo` outside of the checkout."""
    venv.create(tmp_path / "clean", with_pip=True, symlinks=True)
    programs = tmp_path / "clean" / "bin"
    install = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)]
    subprocess.run(install, check=True, timeout=300, stderr=subprocess.DEVNULL)
    assert_demo_runs(programs, tmp_path / "elsewhere")


def assert_demo_runs(programs: Path, elsewhere: Path) -> None:
    elsewhere.mkdir()
    told = subprocess.run(
        [str(programs / "mcpgen"), "demo"],
        cwd=elsewhere,
        env=_environment(elsewhere),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert "Nothing is left behind" in told.stdout
    assert list(elsewhere.iterdir()) == []
