"""Test that regenerating a project of an older mcpgen moves modules of the server's `runtime/` to their new folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen.lock import lockfile as locks
from tests.functional.regeneration import DELETE, GET, LIST, OUT, run, write

NEW, OLD = "zoo_mcp/runtime/core/stdio.py", "zoo_mcp/runtime/stdio.py"


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Generate a project, move one module to `runtime/` from `runtime/core/`, and return the module's new path.

    The lock file records the new path too, as if an older mcpgen had written the project.
    """
    monkeypatch.chdir(tmp_path)
    write(LIST, GET, DELETE)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    written = json.loads((OUT / locks.NAME).read_bytes())
    (OUT / NEW).rename(OUT / OLD)
    written["files"][OLD] = written["files"].pop(NEW)
    (OUT / locks.NAME).write_text(json.dumps(written))
    return OUT / OLD


def test_a_project_of_an_older_layout_gets_the_new_one(old: Path) -> None:
    hooks = OUT / "zoo_mcp" / "hooks.py"
    hooks.write_text("# mine\n")
    assert run("regenerate", "out") == 0
    assert not old.exists()
    assert (OUT / NEW).exists()
    assert hooks.read_text() == "# mine\n"


def test_an_edited_module_of_an_older_layout_is_not_removed_unasked(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old.write_text("# mine\n")
    assert run("regenerate", "out") == 2
    assert "[edited-file]" in capsys.readouterr().err
    assert old.read_text() == "# mine\n"
    assert run("regenerate", "out", "--overwrite") == 0
    assert not old.exists()
