"""Provide `assert_sound`: a check of what must hold for every generated project, whatever the document says.

The attack cases and the property tests call it.
"""

from __future__ import annotations

import json
import re
import tomllib
import zlib
from collections.abc import Set
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from mcpgen.base import assets
from mcpgen.base.invisible import hidden_characters
from mcpgen.base.once import ValueCache
from mcpgen.base.tree import FileTree
from mcpgen.check.catalog import problems
from mcpgen.emit import offered, wings
from mcpgen.emit.offered import GITATTRIBUTES
from mcpgen.emit.project import LICENSE, RUNTIME, SUMS, emit
from mcpgen.emit.table_schema import table_schema
from mcpgen.lock import lockfile
from mcpgen.pipeline import Compiled
from mcpgen.read.toolsfile import editors

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[Add to [A-Za-z ]{4,9}\]\((https|goose)://[a-z./-]+\?[A-Za-z0-9&=%._~-]+\)")
"""A line with a link that installs a server in an editor. Such lines stand within blocks of code."""

EXTRAS = {"http": "http_server", "keyring": "login", "otel": "telemetry", "programs": "programs", "socks": "reach"}
"""Optional dependency of a server → the folder of its runtime that imports the libraries."""

RENDERED = ("CHANGELOG.md", "README.md", "SKILL.md", "mcpgen.yaml", "pyproject.toml")


@cache
def python_templates() -> dict[str, bytes]:
    root = assets.package_templates()
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.py")}
    return {path: data for path, data in found.items() if "__pycache__" not in path}


@cache
def _bindings() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(table_schema())


def assert_sound(compiled: Compiled) -> None:
    """Check a generated project: expected files, unchanged Python from the templates, well-formed data, and tools with
    schemas that every client accepts.
    """
    package = compiled.catalog.identity.package
    tree = compiled.tree
    python = {path for path in python_templates() if f"{package}/{path}" in tree}
    _assert_whole_wings(python)
    assert set(tree) == {
        *(f"{package}/{path}" for path in python),
        *(f"{package}/{name}" for name in ("tools.json", "bindings.json")),
        *RENDERED,
        lockfile.NAME,
        editors.NAME,
        GITATTRIBUTES,
        *offered.OFFERED,
        f"{package}/{LICENSE}",
        f"{package}/{RUNTIME}{SUMS}",
    }
    for path in python:
        assert tree[f"{package}/{path}"] == python_templates()[path], f"{path} depends on the document"
    assert tree[offered.TEST] == offered.test_file()
    assert tree[offered.GITIGNORE] == (assets.project_templates() / ".gitignore.jinja").read_bytes()
    _assert_tables(tree, package)
    _assert_project(tree, compiled)
    _assert_markdown(tree)
    assert lockfile.load(tree[lockfile.NAME], lockfile.NAME) == compiled.lock
    for tool in compiled.catalog.tools:
        assert not list(problems(tool, ValueCache()))


def _assert_whole_wings(python: Set[str]) -> None:
    """Check that the server has each file outside of the runtime, and whole wings of the runtime with those they need.

    `python`: paths of the templates that the server has.
    """
    absent = python_templates().keys() - python
    assert all(path.startswith(RUNTIME) for path in absent)
    present = {path for path in python if path.startswith(RUNTIME)}
    has, lacks = ({wings.wing_of(path.removeprefix(RUNTIME)) for path in paths} for paths in (present, absent))
    assert wings.PLAIN in has
    assert has.isdisjoint(lacks)
    assert all(has.issuperset(wing.needs) for wing in wings.WINGS if wing.name in has)


def _assert_tables(tree: FileTree, package: str) -> None:
    tools, bindings = tree[f"{package}/tools.json"], tree[f"{package}/bindings.json"]
    table = json.loads(bindings)
    assert tools.isascii()
    assert bindings.isascii()
    assert not re.search(
        rb"\\u[dD][89a-fA-F]", re.sub(rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\\\", b"", tools + bindings)
    )
    errors = [error.message for error in _bindings().iter_errors(table)]
    assert errors == []
    assert table["digest"] == f"{zlib.crc32(tools):08x}"
    names = [tool["name"] for tool in json.loads(tools)]
    assert names == [binding["name"] for binding in table["bindings"]] == sorted(names)
    assert len({name.casefold() for name in names}) == len(names)
    assert tools.count(b"\n") == bindings.count(b"\n") == len(names) + 2


def keys_of(value: Any) -> Any:
    """Return the keys of a parsed TOML document, without its values."""
    return {key: keys_of(member) for key, member in value.items()} if isinstance(value, dict) else None


def _assert_project(tree: FileTree, compiled: Compiled) -> None:
    text = tree["pyproject.toml"].decode("ascii")
    project = tomllib.loads(text)
    identity = compiled.catalog.identity
    assert keys_of(project) == {
        "build-system": {"requires": None, "build-backend": None},
        "project": {
            **dict.fromkeys(("name", "version", "description", "readme", "requires-python", "dependencies")),
            "optional-dependencies": {
                extra: None for extra, wing in EXTRAS.items() if any(f"/{RUNTIME}{wing}/" in path for path in tree)
            },
            "scripts": {identity.command: None},
        },
        "tool": {"hatch": {"build": {"targets": {"wheel": {"packages": None}, "sdist": {"include": None}}}}},
    }
    assert project["project"]["scripts"] == {identity.command: f"{identity.package}.__main__:main"}
    assert "\n" not in project["project"]["description"]
    assert re.fullmatch(r"[a-z][a-z0-9-]{0,43}", project["project"]["name"])


def outside_code(line: str) -> str:
    """Return a line of Markdown without code spans and escaped characters (CommonMark 0.31, 2.4 and 6.1)."""
    kept, at = "", 0
    while at < len(line):
        if line[at] == "\\":
            at += 2
        elif line[at] == "`":
            fence = re.compile("`+").match(line, at)
            assert fence is not None
            closing = re.compile(f"(?<!`){fence[0]}(?!`)").search(line, fence.end())
            at = closing.end() if closing else fence.end()
        else:
            kept += line[at]
            at += 1
    return kept


def _assert_markdown(tree: FileTree) -> None:
    """Check that the README's headings, fences, tables and links all come from the template, none from a document."""
    readme = tree["README.md"].decode("utf-8")
    assert not re.search(r"[\x09\x0d\u2028\u2029]", readme)
    assert hidden_characters(readme.replace("\n", "")) == 0
    headings = [line for line in readme.split("\n") if line.startswith("#")]
    assert headings[0].endswith(": an MCP server")
    known = [
        "## Use",
        "## Tools",
        "## Not compiled",
        "## Settings",
        "## Over HTTP",
        "## Your own code",
        "## Who owns which file",
        "## Install links",
        "## Licence",
        "## Parts that this server does not have",
    ]
    assert [line for line in known if line in headings] == headings[1:]
    fences = [line for line in readme.split("\n") if line.lstrip().startswith(("```", "~~~"))]
    assert fences == ["```sh", "```", "```json", "```", "```markdown", "```"]
    lines = readme.split("\n")
    assert [LINK.fullmatch(line) is not None for line in lines].count(True) == 5
    prose = "".join(outside_code(line) for line in lines if not LINK.fullmatch(line))
    assert not re.search(r"<[a-zA-Z/!]|\]\(|\]\[|!\[", prose), "markup comes from a document"
    assert tree["mcpgen.yaml"] == (assets.project_templates() / "mcpgen.yaml.jinja").read_bytes()


def assert_reproducible(compiled: Compiled) -> None:
    """Check that writing the files of the compiled server again gives the same bytes."""
    again = emit(compiled.catalog, compiled.lock.chosen, deploy=compiled.lock.options.deploy)
    assert {path: compiled.tree[path] for path in again} == dict(again)
