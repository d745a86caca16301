"""Test that the demo APIs share no code with the servers that call them, and need no installed package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
import mcpgen.demo.petstore.__main__, tests.station
print(*sorted(name for name in sys.modules if name.partition(".")[0] in ("mcpgen", "runtime", "package")))
"""


def test_they_import_only_the_standard_library_and_each_other() -> None:
    # -S leaves out site-packages, so that only the standard library can be imported.
    command = [sys.executable, "-S", "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    loaded = done.stdout.split()
    assert "mcpgen.demo.petstore.store" in loaded
    assert [name for name in loaded if name != "mcpgen" and not name.startswith("mcpgen.demo")] == []
