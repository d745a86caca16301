"""Test writes on real file systems: to a full disk, and to mount points, which cannot be exchanged with a directory.

Requirement REL-09: the whole old project or the whole new project is left.

A process that the test starts mounts each file system in a namespace of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

UNSHARED = ("unshare", "--user", "--map-root-user", "--mount")
_SCRIPT = """
import json, os, subprocess, sys
from pathlib import Path
from tests.functional.test_full_disk import TOOLS
from tests.unit.filesystem import contents

place = Path(sys.argv[1])
def mount(where, size):
    where.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(where)], check=True)

def generate(version, target):
    document = place / f"{version}.yaml"
    document.write_text(TOOLS.replace("VERSION", version))
    command = [sys.executable, "-m", "mcpgen", "generate", str(document), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr

"""
_FULL = """
disk = place / "disk"
mount(disk, "4m")
target = disk / "out"
assert generate("one", target)[0] == 0
(target / "notes").write_text("mine")
ends = []
for room in range(0, 200, int(sys.argv[2])):
    old = contents(target)
    filler = os.open(disk / "filler", os.O_CREAT | os.O_WRONLY)
    free = os.statvfs(disk)
    os.posix_fallocate(filler, 0, max(1, (free.f_bavail * free.f_frsize) - room * 1024))
    os.close(filler)
    code, said = generate(f"two{room}", target)
    found = contents(target)
    ends.append([code, said.splitlines()[:1], found == old, sorted(os.listdir(disk))])
    os.unlink(disk / "filler")
    again = generate(f"two{room}", target)
    assert again[0] == 0 and (code or contents(target) == found), again
assert (target / "notes").read_text() == "mine"
print(json.dumps(ends))
"""
_MOUNTED = """
target = place / "out"
mount(target, "4m")
before = os.stat(target)
first, second = generate("one", target), generate("two", target)
assert os.path.samestat(before, os.stat(target))
print(json.dumps([first, second, sorted(name for name in os.listdir(target) if name.startswith(".mcpgen-")),
                  sorted(os.listdir(place)), "two" in (target / "t_mcp" / "tools.json").read_text()]))
"""

TOOLS = """
mcpgen: 1
server: {name: t}
base_url: https://t.example
tools:
  - {name: a, description: In version VERSION., request: GET /a}
"""


def run(script: str, *arguments: str) -> object:
    """Run a script in a new namespace, and return its output. Skip the test if namespaces are forbidden."""
    if subprocess.run([*UNSHARED, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system lets nobody have a mount namespace of his own")
    command = [*UNSHARED, sys.executable, "-c", _SCRIPT + script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_disk_with_too_little_room(tmp_path: Path) -> None:
    """Write a project to disks of several sizes.

    `mcpgen generate` must write the new project, or end with one sentence and leave only the old project.
    """
    ends = run(_FULL, str(tmp_path), "28")
    assert isinstance(ends, list)
    for code, said, is_old, names in ends:
        assert names == ["filler", "out"]
        assert (code, is_old) in ((2, True), (0, False))
        if code:
            assert said == [f"error: {tmp_path}/disk/out cannot be written: No space left on device. [output-failed]"]
    codes = [code for code, *_ in ends]
    assert codes == sorted(codes, reverse=True)
    assert set(codes) == {0, 2}


def test_a_directory_on_which_something_is_mounted(tmp_path: Path) -> None:
    """Write a project to a mount point. A mount point cannot be exchanged, so the files are written one by one."""
    assert run(_MOUNTED, str(tmp_path)) == [[0, ""], [0, ""], [], ["one.yaml", "out", "two.yaml"], True]
