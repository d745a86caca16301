"""Test that FastMCP's client, which verifies front matter and digests, lists and reads the skills of a server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.cases.test_cases import HERE as CASES
from tests.interop import environments

pytestmark = [pytest.mark.slow, pytest.mark.world]
DRIVER = Path(__file__).with_name("drivers") / "skills.py"
REQUIREMENTS = ("fastmcp==4.2.3", "pyyaml>=6,<7")


@pytest.mark.parametrize("case", ["of_the_owner", "tags", "project"])
def test_a_client_verifies_and_reads_each_skill(case: str, tmp_path: Path) -> None:
    source = CASES / "skills" / case
    with pytest.raises(SystemExit) as ended:
        main(["generate", "--parts=none", str(source / "t.tools.yaml"), "-o", str(tmp_path / "out")])
    assert ended.value.code == 0
    python = environments.python("fastmcp-search", *REQUIREMENTS) / "bin" / "python"
    command = [str(each) for each in (python, DRIVER, sys.executable, tmp_path / "out", "shop_mcp")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=environments.PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    entries = json.loads((tmp_path / "out" / "shop_mcp" / "resources.json").read_bytes())
    assert [text for files in found.values() for text in files.values()] == [
        each["text"] for each in entries if each["listed"]["uri"].startswith("skill://")
    ]
