"""Test that the same input gives the same bytes in any environment.

Also test that the generated Python is the same for every document.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.base import assets
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.lock.lockfile import NAME
from mcpgen.model.options import Options
from mcpgen.pipeline import Project, compile_source
from mcpgen.read.document import load
from mcpgen.read.fetch import Fetched, read

ROOT = Path(__file__).parents[2]
PETSTORE = assets.specs() / "petstore.openapi.yaml"

SURROUNDINGS: list[dict[str, str]] = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "4711", "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "99", "TZ": "Pacific/Apia", "LC_ALL": "de_DE.UTF-8"},
]


def _tree(directory: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(directory).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def _generate(source: Path, output: Path, environment: dict[str, str], directory: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "mcpgen", "generate", str(source), "-o", str(output)],
        cwd=directory,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment},
        check=True,
        capture_output=True,
        timeout=120,
    )


def test_hash_seed_locale_time_zone_and_directory_change_nothing(tmp_path: Path) -> None:
    source = tmp_path / "petstore.openapi.yaml"
    source.write_bytes(PETSTORE.read_bytes())
    (tmp_path / "elsewhere").mkdir()
    trees = []
    for number, surroundings in enumerate(SURROUNDINGS):
        output = tmp_path / f"out{number}"
        _generate(source, output, surroundings, tmp_path / "elsewhere" if number else tmp_path)
        trees.append(_tree(output))
    assert trees[0]
    assert trees[0] == trees[1] == trees[2]


def test_findings_come_in_one_order(tmp_path: Path) -> None:
    parameters = [{"name": f"id_{number}", "in": "path", "required": True} for number in range(8)]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"parameters": parameters}}},
    }
    (tmp_path / "api.json").write_text(json.dumps(document))
    command = [sys.executable, "-m", "mcpgen", "check", "api.json"]
    told = [
        subprocess.run(
            command,
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **surroundings},
            check=False,
            capture_output=True,
            timeout=120,
        ).stderr
        for surroundings in SURROUNDINGS
    ]
    assert told[0].count(b"unused-path-parameter") == len(parameters)
    assert told[0] == told[1] == told[2]


def test_generating_over_itself_changes_nothing(tmp_path: Path) -> None:
    output = tmp_path / "out"
    _generate(PETSTORE, output, {}, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.is_file()}
    _generate(PETSTORE, output, {}, tmp_path)
    assert before == {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.is_file()}


def _shuffled(value: JsonValue, chance: random.Random) -> JsonValue:
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: _shuffled(value[key], chance) for key in keys}
    if isinstance(value, list):
        return [_shuffled(item, chance) for item in value]
    return value


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_mapping_keys_changes_nothing(seed: int) -> None:
    fetched = read(str(PETSTORE))
    value = load(fetched.name, fetched.data, Diagnostics()).value
    straight = compile_source(Fetched("p", json.dumps(value).encode()), Options()).tree
    other = compile_source(Fetched("p", json.dumps(_shuffled(value, random.Random(seed))).encode()), Options()).tree
    assert {path for path in straight if straight[path] != other[path]} == {NAME}, (
        "the lock alone knows the source's bytes"
    )


def test_no_byte_of_python_depends_on_the_document() -> None:
    """Compile two entirely different documents.

    The generated Python must be the same for both, and equal to the templates. With fewer parts, files are left out.
    """
    names = ("petstore.openapi.yaml", "station.tools.yaml")
    whole, few = (
        [compile_source(read(str(assets.specs() / name)), Options(parts=(choice,)), Project()).tree for name in names]
        for choice in ("all", "none")
    )
    trees = whole + few
    python = [{path.split("/", 1)[1]: data for path, data in tree.items() if path.endswith(".py")} for tree in trees]
    templates = assets.package_templates()
    source = {
        path.relative_to(templates).as_posix(): path.read_bytes()
        for path in templates.rglob("*.py")
        if "__pycache__" not in path.parts
    }
    source["test_server.py"] = (assets.project_templates() / "tests" / "test_server.py").read_bytes()
    assert python[0] == python[1] == source
    assert all(found.items() < source.items() for found in python[2:])
    assert all(data.isascii() for data in source.values())
