"""Test that the runtime knows each way to get a credential, parameter style, encoding and multipart part.

Also test that mypy reports a kind that the runtime does not know.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any, get_args

import pytest
from package.runtime.core import catalog
from package.runtime.request import arguments as request_kinds
from package.runtime.request.styles import STYLES
from package.runtime.tables import table, words

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (catalog.WAYS, words.CredentialWay),
        (catalog.WAYS, table.CredentialWays.__annotations__),
        (STYLES, words.Style),
        (request_kinds.ENCODINGS, words.BodyEncoding),
        (request_kinds.PARTS, words.PartKind),
    ],
)
def test_the_runtime_knows_each_kind_of_its_table(known: Collection[str], kind: Any) -> None:
    assert set(known) == set(get_args(kind) or kind)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "module"),
    [
        ("BodyEncoding", "package/runtime/request/request.py"),
        ("PartKind", "package/runtime/files/multipart.py"),
    ],
)
def test_a_kind_that_no_module_knows_is_a_type_error(kind: str, module: str, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "templates" / "package", tmp_path / "package", ignore=ignored)
    file = tmp_path / "package" / "runtime" / "tables" / "words.py"
    before, _, after = file.read_text(encoding="utf-8").partition(f"\n{kind} = Literal[")
    file.write_text(f'{before}\n{kind} = Literal["planted", {after}', encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "--config-file", os.devnull]
    # mypy reports errors only in `module` (`--follow-imports=silent`), and keeps its cache in the temporary folder.
    command += ["--follow-imports=silent", "--cache-dir", str(tmp_path / "cache"), module]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr
    assert 'incompatible type "Literal[\'planted\']"; expected "Never"' in run.stdout
