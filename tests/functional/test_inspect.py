"""Test `mcpgen inspect` as people use it: on a terminal, with `--call`, with `--max-tokens`, and with an HTML page that
cannot be written.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from mcpgen.cli import main
from mcpgen.emit import page

ROOT = Path(__file__).parents[2]
PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"


def on_a_terminal(columns: int, *arguments: str, **environ: str) -> str:
    """Run a command on a pseudo-terminal of this width, and return what it prints."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environ = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **environ}
    command = [sys.executable, "-m", "mcpgen", "inspect", *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        told = b""
        try:
            while data := os.read(ours, 65536):
                told += data
        except OSError:
            pass  # Linux reports by EIO that the other side of the terminal is closed
    os.close(ours)
    return told.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("arguments", [[], ["update_pet"], ["create_pets"]], ids=str)
def test_it_fits_the_terminal(columns: int, arguments: list[str]) -> None:
    told = on_a_terminal(columns, str(PETSTORE), *arguments, NO_COLOR="1")
    requests = [line for line in told.splitlines() if " https://" in line or "operationId" in line]
    assert max(len(line) for line in told.splitlines() if line not in requests) <= columns
    assert "\x1b" not in told
    assert len(told.splitlines()) > 10


def test_a_terminal_sees_the_head_in_bold() -> None:
    assert re.search(r"\x1b\[1mtool +method", on_a_terminal(100, str(PETSTORE)))


def inspected(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["inspect", str(PETSTORE), *arguments])
    return (ended.value.code, *capsys.readouterr())


def test_a_call_has_the_environment_of_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Check that a call in `inspect` uses the base URL and the readable files that environment variables set.

    A credential is shown as the name of its variable, and no file is left behind.
    """
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("PETSTORE_BASE_URL", "http://localhost:8/v2")
    monkeypatch.setenv("PETSTORE_FILES_DIR", str(tmp_path / "files"))
    monkeypatch.setenv("PETSTORE_BEARER", "correct-horse-battery-staple")
    call = json.dumps({"petId": 7, "file": "file:a.png", "caption": "Mitzi, été"})
    code, out, err = inspected(capsys, "upload_photo", "--call", call)
    assert (code, err) == (0, "")
    assert "POST http://localhost:8/v2/pets/7/photos\n" in out
    assert 'filename="a.png"' in out
    assert "(9 bytes that are not shown)" in out
    assert "Mitzi, été" in out
    assert "<PETSTORE_BEARER>" in out
    assert "horse" not in out
    code, out, _ = inspected(capsys, "upload_photo", "--call", call, "--format", "json")
    parts = json.loads(out)["call"]["request"]["body"]["parts"]
    assert code == 0
    assert sorted((part["length"], part["text"]) for part in parts if part["text"] is None) == [(9, None)]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_budget_is_kept_or_broken_tool_by_tool(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = inspected(capsys, "--format", "json")
    costs = {tool["name"]: tool["tokens"] for tool in json.loads(out)["tools"]}
    most = sorted(costs.values())[-3]
    code, out, err = inspected(capsys, "--max-tokens", str(most), "--format", "json")
    over = {found["tools"][0] for found in json.loads(out)["diagnostics"] if found["code"] == "over-budget"}
    assert over == {name for name, cost in costs.items() if cost > most}
    assert len(over) == 2
    assert code == 1
    assert all(f"{name} {costs[name]}" in err for name in over)
    code, _, err = inspected(capsys, "--max-tokens", str(max(costs.values())))
    assert (code, "over-budget" in err) == (0, False)


def test_a_page_is_whole_or_as_it_was(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = tmp_path / "page.html"
    assert inspected(capsys, "--html", str(target))[0] == 0
    before = target.read_bytes()
    assert before.startswith(page.MARK)
    assert target.stat().st_mode & 0o777 == 0o666 & ~_mask()

    def broken(self: Path, other: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    code, _, err = inspected(capsys, "--html", str(target), "--include", "tag:Pets")
    assert code == 2
    assert f"{target} cannot be written: No space left on device." in err
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
