"""Test that a command imports no module that it does not need, because imports make every start slower."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENT = {"openapi": "3.1.0", "servers": [{"url": "https://api.example"}], "paths": {"/a": {"get": {}}}}
OVERLAY = {
    "overlay": "1.0.0",
    "info": {"title": "t", "version": "1"},
    "actions": [{"target": "$.info", "remove": True}],
}
TOOLS = {"mcpgen": 1, "openapi": [{"document": "openapi.json"}]}

GENERATE = """
import sys
from mcpgen.cli import main
try:
    main(["generate", *sys.argv[1:], "-o", "project"])
finally:
    print(*sys.modules)
"""


def imported(folder: Path, *arguments: str) -> set[str]:
    command = [sys.executable, "-c", GENERATE, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "again", "library"),
    [
        (["openapi.json", "--overlay", "overlay.json"], False, "jsonpath_rfc9535"),
        (["tools.json"], False, "mcpgen.read.toolsfile.read"),
        (["openapi.json"], True, "mcpgen.regenerate.diff.rules"),
        (["openapi.yaml"], False, "yaml"),
    ],
    ids=["an overlay", "a tools file", "a project that is there", "YAML"],
)
def test_what_reads_something_is_imported_where_there_is_something_to_read(
    arguments: list[str], again: bool, library: str, tmp_path: Path
) -> None:
    for name, value in {"openapi.json": DOCUMENT, "overlay.json": OVERLAY, "tools.json": TOOLS}.items():
        (tmp_path / name).write_text(json.dumps(value))
    (tmp_path / "openapi.yaml").write_text("# YAML\n" + json.dumps(DOCUMENT))
    assert library not in imported(tmp_path, "openapi.json")
    if not again:
        (tmp_path / "project").rename(tmp_path / "other")
    assert library in imported(tmp_path, *arguments)
