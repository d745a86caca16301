"""Test that real clients read the configuration that `install` has written for them, and start the server.

The clients are those that are npm packages.

VS Code's own parser of JSON with comments reads every JSON file.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command import mcpgen
from tests.install.client_files import CASES, HERE, PLACES, ROOT, SECTIONS, Home
from tests.interop import environments
from tests.leaks import SECRET, searched

pytestmark = [pytest.mark.slow, pytest.mark.world]

PACKAGES = {
    "@openai/codex": "0.169.0",
    "@google/gemini-cli": "0.61.0",
    "opencode-ai": "1.18.33",
    "@anthropic-ai/claude-code": "2.1.331",
    "@github/copilot": "1.0.102",
    "jsonc-parser": "3.3.1",
}
PATIENCE = 120


@pytest.fixture(scope="module")
def programs() -> Path:
    """Return the folder with the clients' programs."""
    try:
        return environments.node("install-clients", PACKAGES) / "node_modules"
    except (environments.Missing, subprocess.CalledProcessError) as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a newly generated petstore project."""
    folder = tmp_path_factory.mktemp("project") / "petstore"
    done = mcpgen("generate", str(ROOT / "specs" / "petstore.openapi.yaml"), "-o", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


NATIVE = {"claude": "@anthropic-ai/claude-code-*/claude", "opencode": "opencode-*-baseline/bin/opencode"}
"""Programs that their npm package links only by an installation script. Such scripts do not run here."""


def program(programs: Path, name: str) -> str:
    """Return the path of a client's program."""
    native = sorted(programs.glob(NATIVE[name])) if name in NATIVE else []
    return str(native[0] if native else programs / ".bin" / name)


def said(command: list[str], folder: Path, environ: Mapping[str, str]) -> str:
    """Run a program, and return its output on both streams without colors."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environ},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    searched((done.stdout + done.stderr).encode())
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


#: Rows: client, a configuration file of a user, command that lists servers, and text that the output must contain.
ASKED = [
    ("codex", "servers.toml", ["codex", "mcp", "get", "petstore", "--json"], ['"petstore_mcp"', '"PETSTORE_API_KEY"']),
    ("gemini-cli", "comments.json", ["gemini", "mcp", "list"], ["petstore: ", "-m petstore_mcp (stdio)"]),
    ("opencode", "mcp.json", ["opencode", "mcp", "list"], ["petstore connected", "-m petstore_mcp"]),
    ("claude-code", "state.json", ["claude", "mcp", "get", "petstore"], ["Connected", "Args: -m petstore_mcp"]),
    ("copilot-cli", "playwright.json", ["copilot", "mcp", "get", "petstore"], ["Status: Enabled", "-m petstore_mcp"]),
]


@pytest.mark.parametrize(("client", "case", "question", "answer"), ASKED, ids=[each[0] for each in ASKED])
def test_the_client_reads_it(
    client: str, case: str, question: list[str], answer: list[str], programs: Path, project: Path, tmp_path: Path
) -> None:
    file, before = tmp_path / PLACES[client], (HERE / "cases" / client / case).read_bytes()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(before)
    (tmp_path / "work").mkdir()
    (tmp_path / ".secrets").mkdir()
    (tmp_path / ".secrets" / "a").write_text("read by the file of OpenCode")
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    server = [sys.executable, "-P", "-m", "petstore_mcp"]
    own = {**environ, "PYTHONPATH": str(project), "PETSTORE_API_KEY": SECRET}
    assert "is installed in" in said([*server, "install", client], tmp_path / "work", own)
    answered = said([program(programs, question[0]), *question[1:]], tmp_path / "work", environ)
    assert all(part in answered for part in answer), answered
    written = file.read_bytes()
    assert SECRET.encode() not in written
    # if Claude Code has written `numStartups` into the file, `uninstall` cannot restore the old bytes
    if b'"numStartups"' not in written:
        assert "was taken out of" in said([*server, "uninstall", client], tmp_path / "work", own)
        assert file.read_bytes() == before


JSON_CASES = [case for case in CASES if case.suffix == ".json"]
READER = """
const { parse } = require("jsonc-parser"), { readFileSync } = require("fs");
console.log(JSON.stringify(process.argv.slice(1).map(path => {
  const errors = [];
  const text = readFileSync(path, "utf8").replace(/^\\uFEFF/, "");
  return [parse(text, errors, { allowTrailingComma: true }), errors];
})));
"""


def test_the_reader_of_vs_code_reads_every_json_file(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    files = []
    for number, case in enumerate(JSON_CASES):
        here = Home(tmp_path / str(number), case.parent.name, monkeypatch, capfd)
        here.fill(case.read_bytes())
        assert here.install()[0] == 0
        files.append(here)
    asked = ["node", "-e", READER, *(str(here.file) for here in files)]
    environ = {**os.environ, "NODE_PATH": str(programs)}
    read = json.loads(subprocess.run(asked, capture_output=True, check=True, env=environ, timeout=PATIENCE).stdout)
    assert len(read) == len(JSON_CASES)
    for here, (value, errors) in zip(files, read, strict=True):
        assert errors == []
        assert "petstore" in value[SECTIONS.get(here.client, "mcpServers")]
