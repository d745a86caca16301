"""Test that compiler and runtime know the same kinds of security schemes, parameter styles, encodings and multipart
parts.

Also test that mypy reports a kind that one of the two does not know.
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
from package.runtime.core import catalog, table
from package.runtime.request import kinds as request_kinds
from package.runtime.request.styles import STYLES
from package.runtime.serve import doctor
from package.runtime.settings import credential_env

from mcpgen.emit import kinds
from mcpgen.model import words

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (catalog.SCHEMES, table.SchemeKind),
        ({*credential_env.ROLES, "login"}, table.SchemeKind),
        (doctor._PURPOSES, table.SchemeKind),
        (STYLES, table.Style),
        (request_kinds.ENCODINGS, table.BodyEncoding),
        (request_kinds.PARTS, table.PartKind),
    ],
)
def test_the_runtime_knows_each_kind_of_its_table(known: Collection[str], kind: Any) -> None:
    assert set(known) == set(get_args(kind))


@pytest.mark.parametrize(
    ("ours", "theirs", "written"),
    [
        (words.SchemeKind, table.SchemeKind, kinds.scheme),
        (words.Style, table.Style, kinds.style),
        (words.BodyEncoding, table.BodyEncoding, kinds.encoding),
        (words.PartKind, table.PartKind, kinds.part),
        (words.OutputForm, table.OutputForm, str),
    ],
)
def test_the_compiler_has_the_kinds_that_the_runtime_has(ours: Any, theirs: Any, written: Any) -> None:
    assert set(get_args(ours)) == set(get_args(theirs))
    for kind in get_args(ours):
        assert written(kind) == kind


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "kind", "modules"),
    [
        ("mcpgen/model/words.py", "SchemeKind", ["mcpgen/emit/kinds.py"]),
        ("mcpgen/model/words.py", "Style", ["mcpgen/emit/kinds.py"]),
        ("mcpgen/model/words.py", "BodyEncoding", ["mcpgen/emit/kinds.py"]),
        ("mcpgen/model/words.py", "PartKind", ["mcpgen/emit/kinds.py"]),
        ("package/runtime/core/table.py", "SchemeKind", ["package/runtime/settings/credentials.py"]),
        ("package/runtime/core/table.py", "BodyEncoding", ["package/runtime/request/bodies.py"]),
        ("package/runtime/core/table.py", "PartKind", ["package/runtime/request/bodies.py"]),
    ],
)
def test_a_kind_that_is_added_to_one_list_alone_is_a_type_error(
    file: str, kind: str, modules: list[str], tmp_path: Path
) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "mcpgen", tmp_path / "mcpgen", ignore=ignored)
    shutil.copytree(ROOT / "templates" / "package", tmp_path / "package", ignore=ignored)
    words_of = (tmp_path / file).read_text(encoding="utf-8")
    before, _, after = words_of.partition(f"\n{kind} = Literal[")
    (tmp_path / file).write_text(f'{before}\n{kind} = Literal["planted", {after}', encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "--config-file", os.devnull]
    # mypy reports errors only in `modules` (`--follow-imports=silent`), and keeps its cache in the temporary folder.
    command += ["--follow-imports=silent", "--cache-dir", str(tmp_path / "cache"), *modules]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr
    assert 'incompatible type "Literal[\'planted\']"; expected "Never"' in run.stdout
